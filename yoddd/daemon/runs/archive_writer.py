"""Archives finished games in a thread, so that running games do not wait for the disk."""

from __future__ import annotations

from collections.abc import Sequence

from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.group_commit import GroupCommit
from yoddd.daemon.base.world import World
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import GameArchive


class ArchiveWriter:
    """A thread that writes to an archive; games that finish meanwhile are written together."""

    def __init__(self, reactor: Reactor, archive: GameArchive) -> None:
        """Start the thread."""
        self._archive = archive
        self._group = GroupCommit(World(reactor), "archive", self._write)

    def commit(self, game: PlayedGame) -> Deferred[None]:
        """Fires once the game is on the disk; fails with `RunError` if it cannot be written."""
        return self._group.commit(game).addCallback(lambda _: None)

    def close(self) -> None:
        """End the thread after the batch that it is writing."""
        self._group.close()

    def _write(self, batch: list[PlayedGame]) -> Sequence[None]:
        """Write a batch in the thread; records first, as only they cannot be made again."""
        self._archive.append([game.record for game in batch])
        for game in batch:
            self._archive.derive(game)
        return [None] * len(batch)
