"""Recently finished games of two humans, who can agree on a rematch."""

from __future__ import annotations

from typing import Final

import attrs
from twisted.internet.defer import DeferredLock
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.lobby.lobby_game import LobbyGame
from yoddd.daemon.lobby.phases import GamePhase
from yoddd.daemon.play.live_games import LiveGame
from yoddd.referee.seat import Seat

LINGER: Final = 600.0
"""Seconds after the end of a game in which its participants can agree on a rematch."""

MOST_OVER: Final = 256
"""Games for which that time lasts at once; the oldest are dropped first."""


@attrs.define(eq=False)
class GameOver:
    """A game of two humans that is over.

    Attributes:
        live: as spectators see it.
        names: of the participants, by seat.
        is_rated: whether the rematch is rated, too.
        keys: the digests of those of its seats; they play no turn any more.
        alarm: ends the time in which they can agree.
        offering: held while the store is asked for the rematch.
        rematch: the game that was offered last; None before. `offer` sets it.
        is_begun: whether that has begun, after which no other is offered; set once.
        waits: the seat, in the game that is over, of the one who has offered it; likewise.
    """

    live: LiveGame
    names: tuple[str, str]
    is_rated: bool
    keys: dict[str, Seat]
    alarm: IDelayedCall
    offering: DeferredLock = attrs.Factory(DeferredLock)
    rematch: LobbyGame | None = None
    is_begun: bool = False
    waits: Seat | None = None

    def offer(self, seat: Seat, game: LobbyGame) -> None:
        """Note that ``seat`` offers a rematch, and tell the other participant."""
        self.rematch, self.waits = game, seat
        self.live.request(seat.key, f"rematch {game.live.id}")

    @property
    def offered(self) -> LobbyGame | None:
        """The rematch that waits for the other participant; None without."""
        game = self.rematch
        return game if game is not None and game.phase is GamePhase.OFFERED else None

    def offered_to(self, seat: Seat) -> LobbyGame | None:
        """The rematch that waits for ``seat``; None if the other seat offers none."""
        return self.offered if self.waits is seat.other else None


class GamesOver:
    """The recently finished games of two humans, `MOST_OVER` at most."""

    def __init__(self, reactor: IReactorTime) -> None:
        """Create it without games."""
        self._reactor = reactor
        # By the digest of each of its keys, in the order in which the games ended.
        self._over: dict[str, GameOver] = {}

    def add(self, game: LobbyGame) -> None:
        """Add a game; its participants have `LINGER` seconds."""
        alarm = self._reactor.callLater(LINGER, lambda: self._drop(over))
        names, keys = game.seats.names, game.seats.keys
        over = GameOver(game.live, names, game.terms.is_rated, keys, alarm)
        self._over |= dict.fromkeys(keys, over)
        if len(self._over) > MOST_OVER * len(Seat):
            self._drop(next(iter(self._over.values())))

    def find(self, key: str) -> tuple[GameOver, Seat] | None:
        """The game that a key played, by its digest, and its seat there; None if unknown here."""
        over = self._over.get(key)
        return None if over is None else (over, over.keys[key])

    def _drop(self, over: GameOver) -> None:
        if over.alarm.active():
            over.alarm.cancel()
        for key in over.keys:
            del self._over[key]
        over.live.close()
