"""Durable writes without holding up the reactor: one thread, many writes in one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from yoddd.daemon.base.clock import Reactor

T = TypeVar("T")


class GroupCommit(Generic[T]):
    """Collects what comes while the last batch is being written, and writes that together.

    So a commit that takes long carries more, and the rate of acknowledged writes is not bound by
    how often a disk can be made to sync. The order of the writes is the order of the calls.
    """

    def __init__(
        self, reactor: Reactor, name: str, write: Callable[[list[T]], Sequence[object]]
    ) -> None:
        """Start the thread.

        Args:
            reactor: Twisted's.
            name: of the thread.
            write: runs in the thread, never twice at once; it returns the outcome of each item, an
                exception if it failed. If it raises, all have failed.
        """
        self._reactor = reactor
        self._write_batch = write
        self._waiting: list[tuple[T, Deferred[object]]] = []
        self._busy = False
        self._pool = ThreadPool(1, 1, name=name)
        self._pool.start()

    def commit(self, item: T) -> Deferred[object]:
        """Fires with the outcome once the item is on the disk, or fails with its exception."""
        done: Deferred[object] = Deferred()
        self._waiting.append((item, done))
        if not self._busy:
            # Whatever else this turn of the reactor brings goes into the same batch.
            self._busy = True
            self._reactor.callLater(0, self._write)
        return done

    @property
    def pending(self) -> int:
        """How many items wait for the batch after the one that is being written."""
        return len(self._waiting)

    def close(self) -> None:
        """End the thread, after what it is writing; what still waits is lost."""
        self._pool.stop()

    def _write(self) -> None:
        batch, self._waiting = self._waiting, []
        items = [item for item, _ in batch]
        written = deferToThreadPool(self._reactor, self._pool, self._write_batch, items)
        written.addBoth(self._written, [done for _, done in batch])

    def _written(self, result: Sequence[object] | Failure, waiting: list[Deferred[object]]) -> None:
        outcomes = [result] * len(waiting) if isinstance(result, Failure) else result
        for done, outcome in zip(waiting, outcomes, strict=True):
            if isinstance(outcome, Failure | BaseException):
                done.errback(outcome)
            else:
                done.callback(outcome)
        # Only now: whoever has heard may have written again, and that goes out together.
        self._busy = bool(self._waiting)
        if self._busy:
            self._write()
