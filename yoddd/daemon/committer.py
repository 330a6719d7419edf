"""Puts finished games on the disk without holding the games that still run."""

from __future__ import annotations

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from yoddd.daemon.archive import Bundle, RunFolder
from yoddd.daemon.clock import Reactor
from yoddd.notation.records import GameRecord


@attrs.frozen
class _Entry:
    record: GameRecord
    bundle: Bundle | None
    done: Deferred[None]


class Committer:
    """One thread that writes; games that finish while it does are written together."""

    def __init__(self, reactor: Reactor, folder: RunFolder) -> None:
        """Start the thread."""
        self._reactor = reactor
        self._folder = folder
        self._waiting: list[_Entry] = []
        self._busy = False
        self._pool = ThreadPool(1, 1, name="archive")
        self._pool.start()

    def commit(self, record: GameRecord, bundle: Bundle | None = None) -> Deferred[None]:
        """Fires once the game is on the disk; fails with `RunError` if it cannot be."""
        entry = _Entry(record, bundle, Deferred())
        self._waiting.append(entry)
        self._write()
        return entry.done

    def close(self) -> None:
        """End the thread, after what it is writing."""
        self._pool.stop()

    def _write(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        batch, self._waiting = self._waiting, []
        written = deferToThreadPool(self._reactor, self._pool, self._in_thread, batch)
        written.addBoth(self._written, batch)

    def _in_thread(self, batch: list[_Entry]) -> None:
        self._folder.append([entry.record for entry in batch])
        for entry in batch:
            self._folder.derive(entry.record, entry.bundle)

    def _written(self, result: Failure | None, batch: list[_Entry]) -> None:
        self._busy = False
        for entry in batch:
            if isinstance(result, Failure):
                entry.done.errback(result)
            else:
                entry.done.callback(None)
        self._write()
