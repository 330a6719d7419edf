"""Threads for searches: bounded, fair between owners, and never in the reactor's way."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from yoddd.daemon.clock import Reactor

Task = Callable[[Callable[[], bool]], object]
"""Work for a thread; it is handed a function that says whether to stop early."""

QUEUE_LIMIT: Final = 1024
"""How many tasks may wait before further ones are refused."""


PATIENCE: Final = 20.0
"""Seconds after which a search ends with what it has if others wait."""


class PoolBusy(Exception):
    """Too many tasks wait already."""


class Job:
    """One submitted task; ``result`` fires in the reactor's thread."""

    def __init__(self, owner: object, task: Task) -> None:
        """Wait for a thread."""
        self.owner = owner
        self.task = task
        self.result: Deferred[object] = Deferred()
        self.dropped = False
        self.begun = 0.0
        self._stop = threading.Event()

    def stop(self) -> None:
        """Ask the task to end soon with what it has; one that still waits runs briefly."""
        self._stop.set()

    def run(self) -> object:
        """The task itself, in its thread."""
        return self.task(self._stop.is_set)


class SearchPool:
    """Runs tasks in at most ``threads`` threads, taking owners in turn.

    A hundred clients that ask at once each get their first answer before any gets its second. While
    somebody waits, no task runs longer than ``patience`` seconds.
    """

    def __init__(
        self,
        reactor: Reactor,
        threads: int = 1,
        queue_limit: int = QUEUE_LIMIT,
        patience: float = PATIENCE,
    ) -> None:
        """Prepare; threads start with the first task."""
        self._reactor = reactor
        self._free = threads
        self._queue_limit = queue_limit
        self._patience = patience
        self._hurry: IDelayedCall | None = None
        self._waiting: OrderedDict[object, deque[Job]] = OrderedDict()
        self._running: set[Job] = set()
        self._pool = ThreadPool(minthreads=0, maxthreads=threads, name="search")

    @property
    def waiting(self) -> int:
        """How many tasks wait for a thread."""
        return sum(len(jobs) for jobs in self._waiting.values())

    @property
    def running(self) -> int:
        """How many tasks run."""
        return len(self._running)

    def submit(self, owner: object, task: Task) -> Job:
        """Queue ``task`` on behalf of ``owner``.

        Raises:
            PoolBusy: the queue is full.
        """
        if self.waiting >= self._queue_limit:
            raise PoolBusy(f"{self._queue_limit} searches wait already")
        job = Job(owner, task)
        self._waiting.setdefault(owner, deque()).append(job)
        self._fill()
        return job

    def forget(self, owner: object) -> None:
        """Drop what waits for ``owner``, stop what runs for it, and report neither."""
        for job in [*self._waiting.pop(owner, ()), *self._running]:
            if job.owner is owner:
                job.dropped = True
                job.stop()

    def close(self) -> None:
        """Stop every task and wait for the threads."""
        for owner in [*self._waiting, *(job.owner for job in self._running)]:
            self.forget(owner)
        self._watch()
        if self._pool.started:
            self._pool.stop()

    def _fill(self) -> None:
        while self._free and self._waiting:
            owner, jobs = self._waiting.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                self._waiting[owner] = jobs  # behind everybody else
            self._free -= 1
            self._running.add(job)
            job.begun = self._reactor.seconds()
            if not self._pool.started:
                self._pool.start()
            self._pool.callInThreadWithCallback(self._from_thread, self._run, job)
        self._watch()

    def _watch(self) -> None:
        """Look again when the oldest task has run long enough, as long as somebody waits."""
        if self._hurry is not None and self._hurry.active():
            self._hurry.cancel()
        self._hurry = None
        if self._waiting and self._running:
            due = min(job.begun for job in self._running) + self._patience
            delay = max(0.0, due - self._reactor.seconds())
            self._hurry = self._reactor.callLater(delay, self._hasten)

    def _hasten(self) -> None:
        now = self._reactor.seconds()
        for job in self._running:
            if now - job.begun >= self._patience:
                job.stop()
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
        self._fill()
        if not job.dropped:
            job.result.callback(result)
