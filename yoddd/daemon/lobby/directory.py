"""The games of the lobby, by their ids and keys, and those that are lately over."""

from __future__ import annotations

from typing import Final

import attrs
from twisted.internet.defer import DeferredLock
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.play.game_runner import GameRunner
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.referee.lobby_game import Leave, LobbyGame, Phase
from yoddd.referee.seat import Seat
from yoddd.store.values import digest

SECRET: Final = 16
"""The random bytes of the key of a seat, and of the secret that accepts an invite."""

LINGER: Final = 600.0
"""Seconds after the end of a game in which its participants can agree on a rematch."""

MOST_OVER: Final = 256
"""Games for which that time lasts at once; the oldest are dropped first."""

Seated = tuple[GameRunner, Seat]
"""One seat of one game."""


@attrs.define(eq=False)
class GameOver:
    """A game of two humans that is over.

    Attributes:
        runner: the game.
        keys: the digests of those of its seats; they play no turn any more.
        alarm: ends the time in which they can agree.
        offering: held while the store is asked for the rematch.
        rematch: the game that was offered last; None before.
    """

    runner: GameRunner
    keys: dict[str, Seat]
    alarm: IDelayedCall
    offering: DeferredLock = attrs.Factory(DeferredLock)
    rematch: GameRunner | None = None

    @property
    def game(self) -> LobbyGame:
        """The state of the game."""
        return self.runner.game

    @property
    def offered(self) -> GameRunner | None:
        """The rematch that waits for the other participant; None without."""
        is_offered = self.rematch is not None and self.rematch.game.phase is Phase.OFFERED
        return self.rematch if is_offered else None

    def offered_to(self, seat: Seat) -> GameRunner | None:
        """The rematch that waits for ``seat``; None if the other seat offers none."""
        asked = self.game.asked
        return self.offered if asked is not None and asked.seat is seat.other else None


class Directory:
    """The games of the lobby that are not over, and those whose humans may play again.

    Attributes:
        games: those that are not over, by id.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        """Create it without games."""
        self.games: dict[str, GameRunner] = {}
        self._reactor = reactor
        # By the digest of each key, its game and seat.
        self._seats: dict[str, Seated] = {}
        # By the id of each game with keys, their digests as `read` found them last.
        self._digests: dict[str, tuple[str, ...]] = {}
        # By the digest of each of its keys, in the order in which the games ended.
        self._over: dict[str, GameOver] = {}

    @property
    def tables(self) -> int:
        """The number of games of humans."""
        return len(self._digests)

    def add(self, runner: GameRunner) -> None:
        """Add a game, whose keys are valid from now on."""
        self.games[runner.game.id] = runner
        self.read(runner)

    def read(self, runner: GameRunner) -> None:
        """Make the keys that a game has now valid, and void those that it had.

        One that is over by now, as when it is aborted while its acceptance is written, has none.
        """
        if self.games.get(runner.game.id) is not runner:
            return
        self._void(runner)
        keys = runner.game.keys
        if keys:
            self._digests[runner.game.id] = tuple(keys)
            self._seats |= {key: (runner, seat) for key, seat in keys.items()}

    def remove(self, runner: GameRunner) -> None:
        """Remove a game that is over, and void its keys."""
        if self.games.pop(runner.game.id, None) is not None:
            self._void(runner)
        if runner.game.lingers:
            alarm = self._reactor.callLater(LINGER, lambda: self._drop(over))
            over = GameOver(runner, runner.game.keys, alarm)
            self._over |= dict.fromkeys(over.keys, over)
            if len(self._over) > MOST_OVER * len(Seat):
                self._drop(next(iter(self._over.values())))

    def _void(self, runner: GameRunner) -> None:
        for key in self._digests.pop(runner.game.id, ()):
            del self._seats[key]

    def _drop(self, over: GameOver) -> None:
        if over.alarm.active():
            over.alarm.cancel()
        for key in over.keys:
            del self._over[key]
        over.runner.handle(Leave())
        over.runner.live.end(None)

    def get(self, key: str) -> Seated | None:
        """The game and seat of a key; None if no game has it."""
        return self._seats.get(digest(key))

    def find(self, key: str) -> Seated:
        """The game and seat of a key.

        Raises:
            PeerError: no game has it.
        """
        found = self._seats.get(digest(key))
        if found is None:
            raise PeerError(Subcode.NO_KEY, "no game has this key")
        return found

    def find_over(self, key: str) -> tuple[GameOver, Seat] | None:
        """The game that a key has played, and its seat there; None if it is not lately over."""
        over = self._over.get(digest(key))
        return None if over is None else (over, over.keys[digest(key)])
