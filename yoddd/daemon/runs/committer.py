"""Puts finished games on the disk without holding the games that still run."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.group_commit import GroupCommit
from yoddd.daemon.runs.archive import Bundle, RunFolder
from yoddd.notation.records import GameRecord


@attrs.frozen
class _Entry:
    record: GameRecord
    bundle: Bundle | None


class Committer:
    """One thread that writes; games that finish while it does are written together."""

    def __init__(self, reactor: Reactor, folder: RunFolder) -> None:
        """Start the thread."""
        self._folder = folder
        self._group = GroupCommit(reactor, "archive", self._in_thread)

    def commit(self, record: GameRecord, bundle: Bundle | None = None) -> Deferred[None]:
        """Fires once the game is on the disk; fails with `RunError` if it cannot be."""
        return self._group.commit(_Entry(record, bundle)).addCallback(lambda _: None)

    def close(self) -> None:
        """End the thread, after what it is writing."""
        self._group.close()

    def _in_thread(self, batch: list[_Entry]) -> Sequence[None]:
        self._folder.append([entry.record for entry in batch])
        for entry in batch:
            self._folder.derive(entry.record, entry.bundle)
        return [None] * len(batch)
