"""A pool of threads for searches: bounded, fair between clients, with preemption."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Container, Iterator
from enum import Enum, auto
from functools import partial
from itertools import chain
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.admission.places import Full, Network, Places
from yoddd.daemon.base.world import World
from yoddd.engine import Preemption

Work = Callable[[Callable[[], bool]], object]
"""A search to run in a thread; its argument is a function that returns whether to stop early."""

RUN_LIMIT: Final = 20.0
"""Seconds that a job may run while others wait; then it is stopped."""

TIME_SLICE: Final = 1.0
"""Seconds that jobs that can be resumed may run in turn while others wait, all together."""

LEAST_SLICE: Final = 0.02
"""Seconds that one of them may run at least: to stop and resume it takes some milliseconds."""

PATIENCE: Final = 5.0
"""Seconds in which a job that is told to stop has to return; then its thread is abandoned."""

STARVED: Final = 12
"""How many times as long a job may take whose thread had no processor for half of that time."""


class JobKind(Enum):
    """The ways in which a job is preempted by others.

    Attributes:
        ONCE: it runs once, and is stopped if it takes long while others wait.
        SLICED: it is preempted soon while others wait, and resumes by running again until it ends.
        RESUMABLE: as SLICED, but it does not end by itself.
        IDLE: as RESUMABLE, but it runs only on a thread that is free, and is preempted at once.
    """

    ONCE = auto()
    SLICED = auto()
    RESUMABLE = auto()
    IDLE = auto()


class PoolBusy(Exception):
    """The queue of the pool is full, or a search of the owner has not returned."""


class Abandoned(Exception):
    """A job did not return when it was told to stop."""


@attrs.define(eq=False, slots=False)
class Job:
    """One submitted search; a job of the pool is queued, running or finished.

    Attributes:
        owner: on whose behalf it runs; one job of an owner runs at a time.
        client: who has many owners, such as an address with many connections.
        network: who has many clients; None for a client that is a network of its own.
        work: the search; removed once it has ended, since it may hold much memory.
        kind: how it gives way to others.
        deadline: the time at which it has to end; infinite without one.
        result: fires in the reactor's thread with the result of the last run, unless dropped.
        is_dropped: whether the result is discarded, because the owner is gone; set by the pool.
        outcome: the result of the latest run that was preempted; None before.
        started: the time at which the current run began; set by the pool.
    """

    owner: object
    work: Work
    kind: JobKind = JobKind.ONCE
    deadline: float = math.inf
    client: object = None
    network: Network | None = None
    # Is called when the job is told to stop.
    _stopped: Callable[[Job], None] = lambda _job: None
    result: Deferred[object] = attrs.Factory(Deferred)
    is_dropped: bool = False
    outcome: object = None
    started: float = 0.0
    # Set by `stop`, for good.
    _stop: threading.Event = attrs.Factory(threading.Event)
    # Set by `preempt`; cleared when the run has ended.
    _preempt: threading.Event = attrs.Factory(threading.Event)
    # A clock of the processor time of the current run; 0 between runs.
    _clock: Callable[[], float] = attrs.field(factory=lambda: _stopped_clock)
    # Who take turns, from the largest to the smallest: networks, clients, and owners.
    path: tuple[object, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Count an owner without a client as a client, and set the path."""
        self.client = self.owner if self.client is None else self.client
        self.path = (self.network or self.client, self.client, self.owner)

    def stop(self) -> None:
        """Make the search return soon with what it has; one that is queued runs briefly."""
        if not self._stop.is_set():
            self._stop.set()
            self._stopped(self)

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop, for good or until it resumes."""
        return self._stop.is_set() or self._preempt.is_set()

    def preempt(self) -> None:
        """Make the search return soon, to run again later unless it is stopped before."""
        self._preempt.set()

    @property
    def is_settled(self) -> bool:
        """Whether it was stopped while it was queued, and has a result without running."""
        return self._stop.is_set() and (self.kind is JobKind.IDLE or self.outcome is not None)

    def take_preemption(self) -> bool:
        """Return whether the run that has ended was only preempted, and reset that."""
        is_preempted = self._preempt.is_set()
        self._preempt.clear()
        return is_preempted and not self._stop.is_set()

    def run(self, clock: Callable[[], float]) -> object:
        """Run the search in this thread of the pool, whose processor time ``clock`` shows."""
        self._clock = clock
        try:
            return self.work(Preemption(lambda: self.is_stopping, self._stop.is_set))
        finally:
            self._clock = _stopped_clock

    @property
    def used(self) -> float:
        """Seconds for which the current run has had a processor."""
        return self._clock()


class FairQueue:
    """Jobs in the order in which they are due.

    The first network is next, with its first client and that one's first owner; who has had a turn
    goes behind the others. So a client with thirty connections gets no more turns than one with a
    single one, and a network with thirty clients no more than another.
    """

    def __init__(self) -> None:
        """Create it empty."""
        # The jobs by path, as nested mappings; none of these without jobs.
        self._tree: OrderedDict[object, Any] = OrderedDict()
        # Each job with its path; the order is that in which they were added.
        self._jobs: dict[Job, tuple[object, ...]] = {}

    def __iter__(self) -> Iterator[Job]:
        """Yield the jobs."""
        return iter(tuple(self._jobs))

    def __len__(self) -> int:
        """Return the number of jobs."""
        return len(self._jobs)

    def has_owner(self, job: Job) -> bool:
        """Return whether another job of the owner of ``job`` waits."""
        return any(one.owner == job.owner for one in self._jobs)

    def add(self, job: Job) -> None:
        """Append a job to the jobs of its owner."""
        level = self._tree
        self._jobs[job] = job.path
        for key in job.path:
            level = level.setdefault(key, OrderedDict())
        level[job] = None

    def take(self, busy: Container[object]) -> Job | None:
        """Remove and return the next job whose owner is not in ``busy``; None if there is none."""
        found = next((job for job in _in_turn(self._tree) if job.owner not in busy), None)
        if found is not None:
            level = self._tree
            for key in found.path:
                level.move_to_end(key)
                level = level[key]
            self.remove(found)
        return found

    def remove(self, job: Job) -> None:
        """Remove a job."""
        path = [*self._jobs.pop(job), job]
        levels = [self._tree]
        for key in path[:-1]:
            levels.append(levels[-1][key])
        for level, key in zip(reversed(levels), reversed(path), strict=True):
            del level[key]
            if level:
                break

    def drop(self, owner: object) -> list[Job]:
        """Remove and return the jobs of an owner."""
        found = [job for job in self._jobs if job.owner == owner]
        for job in found:
            self.remove(job)
        return found


def _in_turn(level: OrderedDict[object, Any]) -> Iterator[Job]:
    """Yield the jobs below a level in the order in which they are due."""
    for key, below in level.items():
        if isinstance(key, Job):
            yield key
        else:
            yield from _in_turn(below)


class SearchPool:
    """Runs jobs in at most ``threads`` threads, in turn, one of each owner at a time.

    The networks take turns, so each of a hundred that ask at once gets its first result before any
    gets its second; so do the clients of each network, and the owners of each client. While others
    wait, a job that can be resumed runs for a part of ``time_slice``, the smaller the more networks
    wait, and goes on in its next turn; any other runs for a part of ``run_limit`` at most. Idle
    jobs never delay others and take turns of ``time_slice`` among themselves.
    Jobs with a deadline share their time with those that wait, so that twenty searches of a second
    each that are submitted at once all end within it.

    A job that does not return within ``patience`` seconds of being told to stop fails, and another
    thread takes the place of its own. While others have the processors it has up to `STARVED` times
    as long: until it has had one for half of ``patience``.
    """

    log = Logger()

    def __init__(
        self,
        world: World,
        threads: int = 1,
        queue_limit: int = 1024,
        run_limit: float = RUN_LIMIT,
        time_slice: float = TIME_SLICE,
        patience: float = PATIENCE,
        share: Callable[[], int] = lambda: 1,
    ) -> None:
        """Create a pool without jobs; the threads start with the first job.

        Args:
            world: the surroundings of the daemon.
            threads: how many there are.
            queue_limit: how many jobs may wait.
            run_limit: see above.
            time_slice: see above.
            patience: see above.
            share: returns how many jobs of each network may wait in any case.
        """
        self._world = world
        self._reactor = world.reactor
        self._threads = threads
        self._queue_limit = queue_limit
        self._run_limit = run_limit
        self._time_slice = time_slice
        # The places of those that wait.
        self._places = Places(world.reactor.seconds, share)
        # The number of threads without a job: less while a job runs, until its end is reported.
        self._free = threads
        # Stops or preempts the first job whose time is over; set only while others wait.
        self._timer: IDelayedCall | None = None
        # The queued jobs without the idle ones.
        self._waiting: FairQueue = FairQueue()
        # The queued idle jobs of all owners; the first is next.
        self._idle: deque[Job] = deque()
        # The jobs that have a thread, until their end is reported to the reactor.
        self._running: set[Job] = set()
        # The jobs that did not return when they were told to, until they do.
        self._abandoned: set[Job] = set()
        self._patience = patience
        # The timers of the running jobs that are told to stop.
        self._watches: dict[Job, IDelayedCall] = {}
        self._pool = world.threads("search", threads)

    @property
    def threads(self) -> int:
        """The number of jobs that run at once."""
        return self._threads

    @property
    def waiting(self) -> int:
        """The number of queued jobs, without idle ones."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """The number of running jobs."""
        return len(self._running)

    @property
    def abandoned(self) -> int:
        """The number of jobs that did not return when they were told to."""
        return len(self._abandoned)

    @property
    def is_needed(self) -> bool:
        """Whether a job that ends by itself runs or waits."""
        jobs = chain(self._running, self._waiting)
        return any(job.kind in (JobKind.ONCE, JobKind.SLICED) for job in jobs)

    def submit(
        self,
        owner: object,
        work: Work,
        kind: JobKind = JobKind.ONCE,
        seconds: float | None = None,
        client: object = None,
        network: Network | None = None,
    ) -> Job:
        """Queue a search of ``owner``, which has to end within ``seconds`` if that is given.

        Args:
            owner: one job of an owner runs at a time.
            work: the search.
            kind: how it gives way to others.
            seconds: the time in which it has to end; None for no limit.
            client: whose owner it is; None for an owner that is a client of its own.
            network: whose client that is; None for a client that is a network of its own.

        Raises:
            PoolBusy: the queue is full, or a search of the owner was abandoned.
        """
        if any(job.owner is owner for job in self._abandoned):  # which may use what this one does
            raise PoolBusy("an earlier search has not ended")
        if kind is not JobKind.IDLE:
            try:
                self._places.make_room(network, self._queue_limit)
            except Full:
                raise PoolBusy(f"{self._queue_limit} searches wait already") from None
        deadline = math.inf if seconds is None else self._reactor.seconds() + seconds
        job = Job(owner, work, kind, deadline, client, network, self._watch)
        self._queue(job)
        self._fill()
        return job

    def drop(self, owner: object) -> None:
        """Remove the queued jobs of ``owner`` and stop its running one; no result fires."""
        idle = [job for job in self._idle if job.owner is owner]
        for job in [*idle, *self._waiting.drop(owner)]:
            self._places.release(job)
            job.is_dropped = True
            job.work = _ended
            job.stop()
        self._idle = deque(job for job in self._idle if job.owner is not owner)
        for job in self._running:
            if job.owner is owner:
                job.is_dropped = True
                job.stop()

    def close(self) -> None:
        """Stop every job and wait for the threads, but not for those that do not return."""
        for job in [*self._waiting, *self._running, *self._idle]:
            self.drop(job.owner)
        self._set_timer()
        for timer in self._watches.values():
            timer.cancel()
        self._watches.clear()
        self._pool.close(0.0 if self._abandoned else self._patience)

    def _queue(self, job: Job) -> None:
        if job.kind is JobKind.IDLE:
            self._idle.append(job)
        else:
            self._waiting.add(job)
            self._places.add(job, job.network, partial(self._make_room, job))

    def _make_room(self, job: Job) -> bool:
        """End a job that waits, with what it has found if it has had a turn."""
        self._waiting.remove(job)
        self._give_later(job)
        return True

    def _give_later(self, job: Job) -> None:
        """End a job without a thread; not now, since its owner may submit the next one at once."""
        self._reactor.callLater(0, self._give, job)

    def _give(self, job: Job) -> None:
        job.work = _ended
        if job.is_dropped:
            return
        if job.outcome is None and job.kind is not JobKind.IDLE:
            job.result.errback(PoolBusy("others of your network wait already"))
        else:
            job.result.callback(job.outcome)

    def _fill(self) -> None:
        while self._free and (job := self._next()) is not None:
            self._free -= 1
            self._running.add(job)
            job.started = self._reactor.seconds()
            done = self._pool.run(partial(self._run, job))
            done.addBoth(partial(self._finished, job))
        for job in self._running:
            delays_others = self._waiting.has_owner(job) if self._free else bool(self._waiting)
            if job.kind is JobKind.IDLE and delays_others:
                job.preempt()
            if job.is_stopping:
                self._watch(job)
        self._set_timer()

    def _next(self) -> Job | None:
        """Take the next job; never a second one of an owner, whose jobs may share state."""
        busy = {job.owner for job in chain(self._running, self._abandoned)}
        while (job := self._waiting.take(busy)) is not None:
            self._places.release(job)
            if not job.is_settled:
                return job
            self._give_later(job)
        return None if self._waiting else self._next_idle(busy)

    def _next_idle(self, busy: set[object]) -> Job | None:
        for job in tuple(self._idle):
            if job.is_settled:
                self._idle.remove(job)
                self._give_later(job)
            elif job.owner not in busy:
                self._idle.remove(job)
                return job
        return None

    def _is_in_the_way(self, job: Job) -> bool:
        """Return whether another job waits for the thread of a running one that is to go on."""
        waits = bool(self._waiting) or (job.kind is JobKind.IDLE and bool(self._idle))
        return waits and not job.is_stopping

    def _set_timer(self) -> None:
        """Set the timer to the first running job that has to give way, if others wait."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
        times = [self._gives_way_at(job) for job in self._running if self._is_in_the_way(job)]
        if times:
            delay = max(0.0, min(times) - self._reactor.seconds())
            self._timer = self._reactor.callLater(delay, self._make_way)

    def _gives_way_at(self, job: Job) -> float:
        """Return the time at which a running job has to give way to those that wait."""
        own = [one for one in self._waiting if one.client == job.client]
        others = [one for one in self._waiting if one.client != job.client]
        top, *_ = job.path
        # Those who take turns with it: other networks, and other clients of its network.
        rivals = len({one.path[:1] if one.path[0] != top else one.path[:2] for one in others})
        if job.kind is JobKind.ONCE:
            seconds, least = self._run_limit / max(1, rivals), 0.0
            if others:
                seconds /= 1 + len(own)
        else:
            seconds, least = self._time_slice / (1 + rivals), LEAST_SLICE
        clients = {one.client for one in others if one.deadline < math.inf}
        own_timed = sum(one.deadline < math.inf for one in own)
        if clients or own_timed:
            share = (1 + len(clients) / self._threads) * (1 + own_timed / self._threads)
            seconds = min(seconds, (job.deadline - job.started) / share)
        return job.started + max(least, seconds)

    def _make_way(self) -> None:
        now = self._reactor.seconds()
        for job in self._running:
            if self._is_in_the_way(job) and now >= self._gives_way_at(job):
                if job.kind is JobKind.ONCE:
                    job.stop()
                else:
                    job.preempt()
                    self._watch(job)
        self._set_timer()

    def _watch(self, job: Job) -> None:
        """Abandon a job that is told to stop unless it returns in time."""
        if job in self._running and job not in self._watches:
            self._look_later(job, job.used, 1)

    def _look_later(self, job: Job, used: float, look: int) -> None:
        later = self._reactor.callLater(self._patience, self._look_at, job, used, look)
        self._watches[job] = later

    def _look_at(self, job: Job, used: float, look: int) -> None:
        """Abandon a job that had ``used`` so much when it was told, unless it lacks a processor."""
        del self._watches[job]
        if look < STARVED and job.used - used < self._patience / 2:
            self._look_later(job, used, look + 1)
        else:
            self._abandon(job, look * self._patience)

    def _abandon(self, job: Job, seconds: float) -> None:
        self.log.critical(
            "a search has not returned {seconds} s after it was told to stop; its thread is lost",
            seconds=seconds,
        )
        self._running.discard(job)
        self._abandoned.add(job)
        self._free += 1
        self._pool.resize(self._threads + len(self._abandoned))
        if not job.is_dropped:
            job.result.errback(Abandoned())
        self._fill()

    def _run(self, job: Job) -> object:
        return job.run(self._world.processor_clock())

    def _finished(self, job: Job, result: object) -> None:
        if job in self._abandoned:
            self._abandoned.discard(job)
            self._pool.resize(self._threads + len(self._abandoned))
            return
        watch = self._watches.pop(job, None)
        if watch is not None:
            watch.cancel()
        self._free += 1
        self._running.discard(job)
        was_preempted = job.take_preemption()
        resumes = was_preempted and not job.is_dropped and not isinstance(result, Failure)
        if resumes:
            job.outcome = result
            self._queue(job)
        else:
            job.work = _ended
        self._fill()
        if not job.is_dropped and not resumes:
            job.result.callback(result)


def _stopped_clock() -> float:
    return 0.0


def _ended(_stop: Callable[[], bool]) -> object:
    """Take the place of the work of a job that has ended, which can then be freed."""
    raise RuntimeError("the job has ended")
