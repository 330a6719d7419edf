"""Group commit: durable writes in a thread, many of them in one transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.process.reactor_share import ReactorShare, current_share
from yoddd.daemon.base.world import World

T = TypeVar("T")


class GroupCommit(ABC, Generic[T]):
    """Collects the items that are committed during a write, and writes them as the next batch.

    A slow commit makes the next batch larger, so the rate of acknowledged writes is not limited by
    the rate at which the disk syncs. Items are written in the order of the calls. The time of the
    processor that a batch takes is charged, in equal parts, to the addresses whose requests its
    items come from.
    """

    def __init__(self, world: World, name: str) -> None:
        """Create it; its thread, with this name, starts with the first item."""
        self._reactor = world.reactor
        # The next batch: each item with the Deferred that `commit` returned for it, and with what
        # pays for it.
        self._waiting: list[tuple[T, Deferred[Any], ReactorShare | None]] = []
        # Whether a batch is being written, or is about to be in this turn of the reactor.
        self._is_busy = False
        self._thread = world.threads(name, 1)

    @abstractmethod
    def write(self, batch: list[T]) -> Sequence[object]:
        """Write a batch in the thread, one batch at a time.

        Returns the outcome of each item, an exception for one that failed. If it raises, every item
        has failed.
        """

    def commit(self, item: T) -> Deferred[Any]:
        """Write an item; fires with its outcome once it is on disk, or fails with its exception."""
        done: Deferred[Any] = Deferred()
        self._waiting.append((item, done, current_share()))
        if not self._is_busy:
            # Later, so that the other items of this turn of the reactor join the batch.
            self._is_busy = True
            self._reactor.callLater(0, self._write)
        return done

    @property
    def pending(self) -> int:
        """The number of items in the next batch."""
        return len(self._waiting)

    def close(self) -> None:
        """End the thread after the batch that it writes; items that still wait are lost."""
        self._thread.close()

    def _write(self) -> None:
        batch, self._waiting = self._waiting, []

        def charge(seconds: float) -> None:
            for _, _, share in batch:
                if share is not None:
                    share.charge(seconds / len(batch))

        items = [item for item, _, _ in batch]
        written = self._thread.run(lambda: self.write(items), charge)
        written.addBoth(self._written, [done for _, done, _ in batch])

    def _written(self, result: Sequence[object] | Failure, waiting: list[Deferred[Any]]) -> None:
        outcomes = [result] * len(waiting) if isinstance(result, Failure) else result
        for done, outcome in zip(waiting, outcomes, strict=True):
            if isinstance(outcome, Failure | BaseException):
                done.errback(outcome)
            else:
                done.callback(outcome)
        # Only now, so that items committed by the callbacks above join the next batch.
        self._is_busy = bool(self._waiting)
        if self._is_busy:
            self._write()
