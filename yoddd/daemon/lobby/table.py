"""The games of the lobby, their keys and attendance, and the recently finished games."""

from __future__ import annotations

from yoddd.daemon.lobby.attendance import Attendance
from yoddd.daemon.lobby.games_over import GamesOver
from yoddd.daemon.lobby.keys import KeyTable
from yoddd.daemon.lobby.lobby_game import LobbyGame


class GameTable:
    """The games of the lobby, from their offer to their end.

    Attributes:
        keys: those of games that are not over.
        attendance: who of their humans is present.
        over: the games of two humans that are lately over.
    """

    def __init__(self, keys: KeyTable, attendance: Attendance, over: GamesOver) -> None:
        """Create it without games."""
        self.keys = keys
        self.attendance = attendance
        self.over = over

    def add(self, game: LobbyGame) -> None:
        """Add a game until it is over."""
        self.keys.read(game)
        self.attendance.add(game)
        game.on_over(self._remove)

    def _remove(self, game: LobbyGame) -> None:
        if game.live.lingers:
            self.over.add(game)
        self.keys.void(game)
