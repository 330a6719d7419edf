"""Agreements of the two humans of a game: turns taken back, and a rematch."""

from __future__ import annotations

from typing import Final

import attrs
from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.lobby.games_in_play import LobbyGame, TakeBack
from yoddd.daemon.play.live_games import LiveGame
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.referee import Game
from yoddd.referee.seat import Seat

LINGER: Final = 600.0
"""Seconds after the end of a game in which its participants can agree on a rematch."""

MOST_OVER: Final = 256
"""Games for which that time lasts at once; the oldest are dropped first."""


def take_back(game: LobbyGame, seat: Seat, *, agrees: bool) -> Deferred[None] | None:
    """Ask to take back the last turn of ``seat``, agree to the other seat's request, or decline.

    Returns:
        What fires once turns are taken back; None if this request takes none back.

    Raises:
        PeerError: the game is not in play, or there is nothing to take back or to answer.
    """
    runner = game.runner
    if runner is None or runner.done.called:
        raise PeerError(Code.ILLEGAL, "the game is not in play")
    asked = game.asked if game.asked and game.asked.turns == len(runner.game.played) else None
    if not agrees:
        _decline(game, seat, asked)
        return None
    if asked is None or asked.seat is seat:
        _ask(game, seat, runner.game)
        return None
    return game.take_back(runner, asked.length)


def _decline(game: LobbyGame, seat: Seat, asked: TakeBack | None) -> None:
    if asked is None:
        raise PeerError(Subcode.NO_REQUEST, "no request to answer")
    game.asked = None
    game.live.refuse(seat.key, "takeback")


def _ask(game: LobbyGame, seat: Seat, refereed: Game) -> None:
    if not game.has_two_humans:
        raise PeerError(Subcode.NO_TURN, "an engine takes no turn back")
    seats = [one for one, _, _ in refereed.played]
    if seat not in seats:
        raise PeerError(Subcode.NO_TURN, "no turn of yours to take back")
    length = len(seats) - 1 - seats[::-1].index(seat)
    game.asked = TakeBack(seat, length, len(seats))
    game.live.request(seat.key, f"takeback {length}")


@attrs.define(eq=False)
class Over:
    """A game of two humans that is over, of which they may play a rematch.

    Attributes:
        live: as spectators see it.
        names: of the participants, by seat.
        is_rated: whether the rematch is rated, too.
        keys: the digests of those of its seats; they play no turn any more.
        alarm: ends the time in which they can agree.
        offering: held while the store is asked for the rematch.
        rematch: the game that one of them has offered; None before.
        waits: the seat, in the game that is over, of the one who has offered it.
    """

    live: LiveGame
    names: tuple[str, str]
    is_rated: bool
    keys: dict[str, Seat]
    alarm: IDelayedCall
    offering: DeferredLock = attrs.Factory(DeferredLock)
    rematch: LobbyGame | None = None
    waits: Seat | None = None

    @property
    def offered(self) -> LobbyGame | None:
        """The rematch that waits for the other participant; None without."""
        game = self.rematch
        return game if game is not None and game.live.is_open and not game.is_taken else None

    def offered_to(self, seat: Seat) -> LobbyGame | None:
        """The rematch that waits for ``seat``; None if the other seat offers none."""
        return self.offered if self.waits is seat.other else None


class GamesOver:
    """The games of two humans that are lately over, `MOST_OVER` at most."""

    def __init__(self, reactor: IReactorTime) -> None:
        """Create it without games."""
        self._reactor = reactor
        # By the digest of each of its keys, in the order in which the games ended.
        self._over: dict[str, Over] = {}

    def add(self, game: LobbyGame, keys: dict[str, Seat]) -> None:
        """Add a game; its participants have `LINGER` seconds."""
        names = (game.name_of(Seat.BLACK), game.name_of(Seat.WHITE))
        alarm = self._reactor.callLater(LINGER, lambda: self._drop(over))
        over = Over(game.live, names, game.is_rated, keys, alarm)
        self._over |= dict.fromkeys(keys, over)
        if len(self._over) > MOST_OVER * len(Seat):
            self._drop(next(iter(self._over.values())))

    def find(self, key: str) -> tuple[Over, Seat] | None:
        """The game that a key played, and its seat there; None if it is unknown here."""
        over = self._over.get(key)
        return None if over is None else (over, over.keys[key])

    def _drop(self, over: Over) -> None:
        if over.alarm.active():
            over.alarm.cancel()
        for key in over.keys:
            del self._over[key]
        over.live.close()
