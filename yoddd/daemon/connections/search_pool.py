"""A pool of threads for searches: bounded, fair between owners, with preemption."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from enum import Enum, auto
from itertools import chain
from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.settings import QUEUE_LIMIT

Work = Callable[[Callable[[], bool]], object]
"""A search to run in a thread; its argument is a function that returns whether to stop early."""

RUN_LIMIT: Final = 20.0
"""Seconds that a job may run while others wait; then it is stopped."""

TIME_SLICE: Final = 2.0
"""Seconds that a job that can be resumed may run while others wait; then it is preempted."""


class JobKind(Enum):
    """The ways in which a job gives way to others.

    Attributes:
        ONCE: it runs once, and is stopped if it takes long while others wait.
        RESUMABLE: it is preempted soon while others wait, and resumes by running again.
        IDLE: as RESUMABLE, but it runs only on a thread that is free, and is preempted at once.
    """

    ONCE = auto()
    RESUMABLE = auto()
    IDLE = auto()


class PoolBusy(Exception):
    """The queue of the pool is full."""


class Job:
    """One submitted search; a job of the pool is queued, running or finished.

    Attributes:
        owner: on whose behalf it runs; one job of an owner runs at a time.
        work: the search.
        kind: how it gives way to others.
        deadline: the time at which it has to end; infinite without one.
        result: fires in the reactor's thread with the result of the last run, unless dropped.
        is_dropped: whether the result is discarded, because the owner is gone; set by the pool.
        outcome: the result of the latest run that was preempted; None before.
        started: the time at which the current run began, or was last told to end; set by the pool.
    """

    def __init__(
        self, owner: object, work: Work, kind: JobKind = JobKind.ONCE, deadline: float = math.inf
    ) -> None:
        """Create a job that is not queued yet."""
        self.owner = owner
        self.work = work
        self.kind = kind
        self.deadline = deadline
        self.result: Deferred[object] = Deferred()
        self.is_dropped = False
        self.outcome: object = None
        self.started = 0.0
        # Set by `stop`, for good.
        self._stop = threading.Event()
        # Set by `preempt`; cleared when the run has ended.
        self._preempt = threading.Event()

    def stop(self) -> None:
        """Make the search return soon with what it has; one that is queued runs briefly."""
        self._stop.set()

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

    def run(self) -> object:
        """Run the search; called in a thread of the pool."""
        return self.work(lambda: self._stop.is_set() or self._preempt.is_set())


class SearchPool:
    """Runs jobs in at most ``threads`` threads, owner by owner, one job of each at a time.

    The owners take turns, so each of a hundred clients that ask at once gets its first result
    before any gets its second. While others wait, a job runs for ``run_limit`` seconds at most, and
    one that can be resumed for ``time_slice``. Idle jobs never delay others and take turns of
    ``time_slice`` among themselves. Jobs with a deadline share their time with those that wait, so
    that twenty searches of a second each that are submitted at once all end within it.
    """

    def __init__(
        self,
        reactor: Reactor,
        threads: int = 1,
        queue_limit: int = QUEUE_LIMIT,
        run_limit: float = RUN_LIMIT,
        time_slice: float = TIME_SLICE,
    ) -> None:
        """Create a pool without jobs; the threads start with the first job."""
        self._reactor = reactor
        self._threads = threads
        self._queue_limit = queue_limit
        self._run_limits = {
            JobKind.ONCE: run_limit,
            JobKind.RESUMABLE: time_slice,
            JobKind.IDLE: time_slice,
        }
        # The number of threads without a job: less while a job runs, until its end is reported.
        self._free = threads
        # Stops or preempts the first job whose time is over; set only while others wait.
        self._timer: IDelayedCall | None = None
        # The queued jobs of each owner, without the idle ones; the first owner is next. An owner
        # without jobs is removed.
        self._waiting: OrderedDict[object, deque[Job]] = OrderedDict()
        # The queued idle jobs of all owners; the first is next.
        self._idle: deque[Job] = deque()
        # The jobs that have a thread, until their end is reported to the reactor.
        self._running: set[Job] = set()
        self._pool = ThreadPool(minthreads=0, maxthreads=threads, name="search")

    @property
    def waiting(self) -> int:
        """The number of queued jobs, without idle ones."""
        return sum(len(jobs) for jobs in self._waiting.values())

    @property
    def running(self) -> int:
        """The number of running jobs."""
        return len(self._running)

    @property
    def is_needed(self) -> bool:
        """Whether a job that ends by itself runs or waits."""
        jobs = chain(self._running, *self._waiting.values())
        return any(job.kind is JobKind.ONCE for job in jobs)

    def submit(
        self,
        owner: object,
        work: Work,
        kind: JobKind = JobKind.ONCE,
        seconds: float | None = None,
    ) -> Job:
        """Queue a search of ``owner``, which has to end within ``seconds`` if that is given.

        Raises:
            PoolBusy: the queue is full.
        """
        if kind is not JobKind.IDLE and self.waiting >= self._queue_limit:
            raise PoolBusy(f"{self._queue_limit} searches wait already")
        deadline = math.inf if seconds is None else self._reactor.seconds() + seconds
        job = Job(owner, work, kind, deadline)
        self._queue(job)
        self._fill()
        return job

    def drop(self, owner: object) -> None:
        """Remove the queued jobs of ``owner`` and stop its running one; no result fires."""
        self._idle = deque(job for job in self._idle if job.owner is not owner)
        for job in [*self._waiting.pop(owner, ()), *self._running]:
            if job.owner is owner:
                job.is_dropped = True
                job.stop()

    def close(self) -> None:
        """Stop every job and wait for the threads."""
        owners = (job.owner for job in [*self._running, *self._idle])
        for owner in [*self._waiting, *owners]:
            self.drop(owner)
        self._set_timer()
        if self._pool.started:
            self._pool.stop()

    def _queue(self, job: Job) -> None:
        if job.kind is JobKind.IDLE:
            self._idle.append(job)
        else:
            self._waiting.setdefault(job.owner, deque()).append(job)

    def _fill(self) -> None:
        while self._free and (job := self._next()) is not None:
            self._free -= 1
            self._running.add(job)
            job.started = self._reactor.seconds()
            if not self._pool.started:
                self._pool.start()
            self._pool.callInThreadWithCallback(self._from_thread, self._run, job)
        for job in self._running:
            delays_others = job.owner in self._waiting if self._free else bool(self._waiting)
            if job.kind is JobKind.IDLE and delays_others:
                job.preempt()
        self._set_timer()

    def _next(self) -> Job | None:
        """Take the next job; never a second one of an owner, whose jobs may share state."""
        busy = {job.owner for job in self._running}
        for owner in [one for one in self._waiting if one not in busy]:
            jobs = self._waiting.pop(owner)
            job = _first(jobs)
            if jobs:
                self._waiting[owner] = jobs  # behind all other owners
            if job is not None:
                return job
        return None if self._waiting else self._next_idle(busy)

    def _next_idle(self, busy: set[object]) -> Job | None:
        for job in tuple(self._idle):
            if job.is_settled:
                self._idle.remove(job)
                job.result.callback(job.outcome)
            elif job.owner not in busy:
                self._idle.remove(job)
                return job
        return None

    def _is_contended(self, job: Job) -> bool:
        """Return whether another job waits for the thread of a running one."""
        return bool(self._waiting) or (job.kind is JobKind.IDLE and bool(self._idle))

    def _set_timer(self) -> None:
        """Set the timer to the first running job that has to give way, if others wait."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
        times = [self._gives_way_at(job) for job in self._running if self._is_contended(job)]
        if times:
            delay = max(0.0, min(times) - self._reactor.seconds())
            self._timer = self._reactor.callLater(delay, self._make_way)

    def _gives_way_at(self, job: Job) -> float:
        """Return the time at which a running job has to give way to those that wait."""
        seconds = self._run_limits[job.kind]
        waiting = sum(one.deadline < math.inf for jobs in self._waiting.values() for one in jobs)
        if waiting:
            seconds = min(seconds, (job.deadline - job.started) / (1 + waiting / self._threads))
        return job.started + seconds

    def _make_way(self) -> None:
        now = self._reactor.seconds()
        for job in self._running:
            if self._is_contended(job) and now >= self._gives_way_at(job):
                if job.kind is JobKind.ONCE:
                    job.stop()
                else:
                    job.preempt()
                job.started = now  # told again after as long, unless it returns before
        self._set_timer()

    @staticmethod
    def _run(job: Job) -> tuple[Job, object]:
        try:
            return job, job.run()
        except Exception:  # noqa: BLE001 — the failure is the result of the job
            return job, Failure()

    def _from_thread(self, _success: bool, outcome: tuple[Job, object]) -> None:  # noqa: FBT001 — Twisted's callback signature
        self._reactor.callFromThread(self._finished, *outcome)

    def _finished(self, job: Job, result: object) -> None:
        self._free += 1
        self._running.discard(job)
        was_preempted = job.take_preemption()
        resumes = was_preempted and not job.is_dropped and not isinstance(result, Failure)
        if resumes:
            job.outcome = result
            self._queue(job)
        self._fill()
        if not job.is_dropped and not resumes:
            job.result.callback(result)


def _first(jobs: deque[Job]) -> Job | None:
    """Take the first job that has to run; those before it end with the results that they have."""
    while jobs:
        job = jobs.popleft()
        if not job.is_settled:
            return job
        job.result.callback(job.outcome)
    return None
