"""Archives finished games in a thread, so that running games do not wait for the disk."""

from __future__ import annotations

from collections.abc import Sequence

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.group_commit import GroupCommit
from yoddd.daemon.base.world import World
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import GameArchive


class ArchiveWriter(GroupCommit[PlayedGame]):
    """A thread that writes to an archive; games that finish meanwhile are written together."""

    def __init__(self, reactor: Reactor, archive: GameArchive) -> None:
        """Start the thread."""
        super().__init__(World(reactor), "archive")
        self._archive = archive

    def write(self, batch: list[PlayedGame]) -> Sequence[None]:
        """Write games in the thread; records first, as only they cannot be made again.

        Raises:
            RunError: they cannot be written.
        """
        self._archive.append([game.record for game in batch])
        for game in batch:
            self._archive.derive(game)
        return [None] * len(batch)
