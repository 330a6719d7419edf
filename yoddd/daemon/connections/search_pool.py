"""Threads for searches: bounded, fair between owners, and never in the reactor's way."""

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

Task = Callable[[Callable[[], bool]], object]
"""Work for a thread; it is handed a function that says whether to stop early."""


PATIENCE: Final = 20.0
"""Seconds after which a search ends with what it has if others wait."""

SHARE: Final = 2.0
"""Seconds after which a task that can be run again makes room for others that wait."""


class Rank(Enum):
    """What may be done to a task for the sake of others.

    Attributes:
        ONCE: it runs once, and is hastened when others have waited for long.
        AGAIN: broken off and run again it goes on where it was, so it makes room soon.
        IDLE: likewise, but it runs only while a thread is free, and makes room at once.
    """

    ONCE = auto()
    AGAIN = auto()
    IDLE = auto()


class PoolBusy(Exception):
    """Too many tasks wait already."""


class Job:
    """One submitted task; ``result`` fires in the reactor's thread.

    Attributes:
        due: when it has to end at the latest; infinite if nobody said so.
        outcome: what it had come to when it was last broken off.
    """

    def __init__(
        self, owner: object, task: Task, rank: Rank = Rank.ONCE, due: float = math.inf
    ) -> None:
        """Wait for a thread."""
        self.owner = owner
        self.task = task
        self.rank = rank
        self.due = due
        self.result: Deferred[object] = Deferred()
        self.dropped = False
        self.outcome: object = None
        self.begun = 0.0
        self._stop = threading.Event()
        self._pause = threading.Event()

    def stop(self) -> None:
        """Ask the task to end soon with what it has; one that still waits runs briefly."""
        self._stop.set()

    def pause(self) -> None:
        """Have it broken off; it is run again later unless it was stopped meanwhile."""
        self._pause.set()

    def is_needless(self) -> bool:
        """Whether it was asked to end while it waited, and need not run for it."""
        return self._stop.is_set() and (self.rank is Rank.IDLE or self.outcome is not None)

    def wants_more(self) -> bool:
        """Whether it was only broken off; asked once, when it has ended."""
        paused = self._pause.is_set()
        self._pause.clear()
        return paused and not self._stop.is_set()

    def run(self) -> object:
        """The task itself, in its thread."""
        return self.task(lambda: self._stop.is_set() or self._pause.is_set())


class SearchPool:
    """Runs tasks in at most ``threads`` threads, taking owners in turn, one task of each at a time.

    A hundred clients that ask at once each get their first answer before any gets its second. While
    somebody waits, no task runs longer than ``patience`` seconds, and one that can be run again no
    longer than ``share``. Idle tasks never make anybody wait; they take turns of ``share`` as well.
    Tasks that have to end at some time share what time there is with others of the kind that wait,
    so that twenty searches of a second which are asked for at once all end within it.
    """

    def __init__(
        self,
        reactor: Reactor,
        threads: int = 1,
        queue_limit: int = QUEUE_LIMIT,
        patience: float = PATIENCE,
        share: float = SHARE,
    ) -> None:
        """Prepare; threads start with the first task."""
        self._reactor = reactor
        self._threads = self._free = threads
        self._queue_limit = queue_limit
        self._limits = {Rank.ONCE: patience, Rank.AGAIN: share, Rank.IDLE: share}
        self._hurry: IDelayedCall | None = None
        self._waiting: OrderedDict[object, deque[Job]] = OrderedDict()
        self._idle: deque[Job] = deque()
        self._running: set[Job] = set()
        self._pool = ThreadPool(minthreads=0, maxthreads=threads, name="search")

    @property
    def waiting(self) -> int:
        """How many tasks wait for a thread, idle ones not counted."""
        return sum(len(jobs) for jobs in self._waiting.values())

    @property
    def running(self) -> int:
        """How many tasks run."""
        return len(self._running)

    @property
    def is_needed(self) -> bool:
        """Whether anything runs or waits that will end by itself."""
        jobs = chain(self._running, *self._waiting.values())
        return any(job.rank is Rank.ONCE for job in jobs)

    def submit(
        self,
        owner: object,
        task: Task,
        rank: Rank = Rank.ONCE,
        seconds: float | None = None,
    ) -> Job:
        """Queue ``task`` on behalf of ``owner``; it has to end in so many seconds, if any.

        Raises:
            PoolBusy: the queue is full.
        """
        if rank is not Rank.IDLE and self.waiting >= self._queue_limit:
            raise PoolBusy(f"{self._queue_limit} searches wait already")
        due = math.inf if seconds is None else self._reactor.seconds() + seconds
        job = Job(owner, task, rank, due)
        self._queue(job)
        self._fill()
        return job

    def forget(self, owner: object) -> None:
        """Drop what waits for ``owner``, stop what runs for it, and report neither."""
        self._idle = deque(job for job in self._idle if job.owner is not owner)
        for job in [*self._waiting.pop(owner, ()), *self._running]:
            if job.owner is owner:
                job.dropped = True
                job.stop()

    def close(self) -> None:
        """Stop every task and wait for the threads."""
        owners = (job.owner for job in [*self._running, *self._idle])
        for owner in [*self._waiting, *owners]:
            self.forget(owner)
        self._watch()
        if self._pool.started:
            self._pool.stop()

    def _queue(self, job: Job) -> None:
        if job.rank is Rank.IDLE:
            self._idle.append(job)
        else:
            self._waiting.setdefault(job.owner, deque()).append(job)

    def _fill(self) -> None:
        while self._free and (job := self._next()) is not None:
            self._free -= 1
            self._running.add(job)
            job.begun = self._reactor.seconds()
            if not self._pool.started:
                self._pool.start()
            self._pool.callInThreadWithCallback(self._from_thread, self._run, job)
        for job in self._running:
            hinders = job.owner in self._waiting if self._free else bool(self._waiting)
            if job.rank is Rank.IDLE and hinders:
                job.pause()
        self._watch()

    def _next(self) -> Job | None:
        """What runs next: never two tasks of one owner, who may use the same things in both."""
        busy = {job.owner for job in self._running}
        for owner in [one for one in self._waiting if one not in busy]:
            jobs = self._waiting.pop(owner)
            job = _first(jobs)
            if jobs:
                self._waiting[owner] = jobs  # behind everybody else
            if job is not None:
                return job
        return None if self._waiting else self._next_idle(busy)

    def _next_idle(self, busy: set[object]) -> Job | None:
        for job in tuple(self._idle):
            if job.is_needless():
                self._idle.remove(job)
                job.result.callback(job.outcome)
            elif job.owner not in busy:
                self._idle.remove(job)
                return job
        return None

    def _is_waited_for(self, job: Job) -> bool:
        """Whether somebody could have the thread of a task that runs."""
        return bool(self._waiting) or (job.rank is Rank.IDLE and bool(self._idle))

    def _watch(self) -> None:
        """Look again when the first task has run long enough, as long as somebody waits."""
        if self._hurry is not None and self._hurry.active():
            self._hurry.cancel()
        self._hurry = None
        due = [self._due(job) for job in self._running if self._is_waited_for(job)]
        if due:
            delay = max(0.0, min(due) - self._reactor.seconds())
            self._hurry = self._reactor.callLater(delay, self._hasten)

    def _due(self, job: Job) -> float:
        """When a task that runs has to make room for those that wait."""
        longest = self._limits[job.rank]
        hurried = sum(one.due < math.inf for jobs in self._waiting.values() for one in jobs)
        if hurried:
            longest = min(longest, (job.due - job.begun) / (1 + hurried / self._threads))
        return job.begun + longest

    def _hasten(self) -> None:
        now = self._reactor.seconds()
        for job in self._running:
            if self._is_waited_for(job) and now >= self._due(job):
                if job.rank is Rank.ONCE:
                    job.stop()
                else:
                    job.pause()
                job.begun = now  # one that does not listen is told again
        self._watch()

    @staticmethod
    def _run(job: Job) -> tuple[Job, object]:
        try:
            return job, job.run()
        except Exception:  # noqa: BLE001 — whatever it is, it belongs to the one who asked
            return job, Failure()

    def _from_thread(self, _success: bool, outcome: tuple[Job, object]) -> None:  # noqa: FBT001 — Twisted's callback signature
        self._reactor.callFromThread(self._finished, *outcome)

    def _finished(self, job: Job, result: object) -> None:
        self._free += 1
        self._running.discard(job)
        goes_on = job.wants_more() and not job.dropped and not isinstance(result, Failure)
        if goes_on:
            job.outcome = result
            self._queue(job)
        self._fill()
        if not job.dropped and not goes_on:
            job.result.callback(result)


def _first(jobs: deque[Job]) -> Job | None:
    """Take out the first task that has to run; those before it end with what they had."""
    while jobs:
        job = jobs.popleft()
        if not job.is_needless():
            return job
        job.result.callback(job.outcome)
    return None
