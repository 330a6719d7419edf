"""Games that can be observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from yoddd.daemon.play.game_runner import GameRunner
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.referee.lobby_game import Phase

FINISHED_KEPT: Final = 64
"""Games that are over and can still be observed; the oldest are dropped first."""


class LiveGames:
    """The games of a daemon by id: all that are not over, and the last that are."""

    def __init__(self) -> None:
        """Create it without games."""
        # By id, in the order in which they were added.
        self._games: dict[str, GameRunner] = {}

    def add(self, runner: GameRunner) -> None:
        """Add a game, and drop the oldest of too many that are over."""
        over = [old.game.id for old in self if old.game.phase is Phase.OVER]
        for game_id in over[: max(0, len(over) - FINISHED_KEPT)]:
            del self._games[game_id]
        self._games[runner.game.id] = runner

    def remove(self, runner: GameRunner) -> None:
        """Drop a game."""
        if self._games.get(runner.game.id) is runner:
            del self._games[runner.game.id]

    def find(self, game_id: str) -> GameRunner:
        """The game of an id.

        Raises:
            PeerError: there is no such game.
        """
        found = self._games.get(game_id)
        if found is None:
            raise PeerError(Subcode.NO_GAME, f"no game {game_id!r}")
        return found

    def describe(self, ids: Iterable[str] = ()) -> list[str]:
        """The lines of ``games``: of all that are listed, the latest first, or of ``ids``."""
        if ids:
            return [self._games[one].game.describe() for one in ids if one in self._games]
        latest = reversed(self._games.values())
        return [one.game.describe() for one in latest if one.game.is_listed]

    def __iter__(self) -> Iterator[GameRunner]:
        """All games, the oldest first."""
        return iter(tuple(self._games.values()))
