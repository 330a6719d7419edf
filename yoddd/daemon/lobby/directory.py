"""The games of the lobby by their keys, also those that are lately over or in the store only."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import attrs
from twisted.internet.defer import DeferredLock
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.lobby.offers import BY_DAY
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.protocol.origin import fold
from yoddd.referee import Seat
from yoddd.referee.hosted.events import Leave
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.referee.hosted.view import describe
from yoddd.store.values import digest

SECRET: Final = 16
"""The random bytes of the key of a seat, and of the secret that accepts an invite."""

LINGER: Final = 600.0
"""Seconds after the end of a game in which its participants can agree on a rematch.

After a game by the day it is as long as an offer lasts.
"""

MOST_OVER: Final = 256
"""Games, by the day and others, for which that time lasts at once; the oldest go first."""

Seated = tuple[GameRunner, Seat]
"""One seat of one game."""


@attrs.define(eq=False)
class GameOver:
    """A game of two humans that is over.

    Attributes:
        runner: the game.
        alarm: ends the time in which they can agree.
        offering: held while the store is asked for the rematch.
        rematch: the game that was offered last; None before.
    """

    runner: GameRunner
    alarm: IDelayedCall
    offering: DeferredLock = attrs.Factory(DeferredLock)
    rematch: GameRunner | None = None

    @property
    def offered(self) -> GameRunner | None:
        """The rematch that waits to be accepted; None without."""
        is_offered = self.rematch is not None and self.rematch.game.phase is Phase.OFFERED
        return self.rematch if is_offered else None


@attrs.frozen(eq=False)
class Suspended:
    """A game that is in the store only.

    Attributes:
        number: of the game in the store.
        line: of ``games``, which shows it to those who ask for its id.
        keys: the digests of its keys.
        users: the folded names of the humans who had logged in.
        since: when it was suspended for its humans, who are away.
        returns: whether it waits for the store instead, and is restored by itself.
    """

    number: int
    line: str
    keys: Collection[str]
    users: Collection[str]
    since: float
    returns: bool

    @classmethod
    def of(
        cls, game: HostedGame, number: int, *, since: float = 0.0, returns: bool = False
    ) -> Suspended:
        """Return a game as it is now."""
        line = describe(game, since)
        return cls(number, line, tuple(game.keys), _users(game), since, returns)

    def is_of(self, user: str | None) -> bool:
        """Whether a user plays it."""
        return user is not None and fold(user) in self.users


class Directory:
    """The keys of the games that are not over, and of those whose humans may play again."""

    def __init__(self, reactor: IReactorTime) -> None:
        """Create it without games."""
        self._reactor = reactor
        # By the digest of each key, its game and seat.
        self._seats: dict[str, Seated] = {}
        # By the folded name of each user, the games that are not over.
        self._users: dict[str, dict[GameRunner, None]] = {}
        # By the digest of each of its keys, in the order in which the games ended.
        self._over: dict[str, GameOver] = {}

    def read(self, runner: GameRunner) -> None:
        """Make the keys that a game has now valid, and void those that it had.

        One that is over by now, as when it is aborted while its acceptance is written, has none.
        """
        if runner.game.phase is Phase.OVER:
            return
        self._void(runner)
        self._seats |= {key: (runner, seat) for key, seat in runner.game.keys.items()}
        for user in _users(runner.game):
            self._users.setdefault(user, {})[runner] = None

    def remove(self, runner: GameRunner) -> None:
        """Void the keys of a game that is over."""
        self._void(runner)
        if runner.game.lingers:
            by_day = runner.game.by_day
            seconds = BY_DAY if by_day else LINGER
            alarm = self._reactor.callLater(seconds, lambda: self._drop(over))
            over = GameOver(runner, alarm)
            self._over |= dict.fromkeys(runner.game.keys, over)
            alike = [one for one in self._over.values() if one.runner.game.by_day is by_day]
            if len(alike) > MOST_OVER * len(Seat):
                self._drop(alike[0])

    def _void(self, runner: GameRunner) -> None:
        seats = self._seats.items()
        self._seats = {key: seated for key, seated in seats if seated[0] is not runner}
        for user in _users(runner.game):
            games = self._users.get(user, {})
            games.pop(runner, None)
            if not games:
                self._users.pop(user, None)

    def _drop(self, over: GameOver) -> None:
        if over.alarm.active():
            over.alarm.cancel()
        for key in over.runner.game.keys:
            del self._over[key]
        over.runner.handle(Leave())
        over.runner.end(None)

    def of_user(self, name: str) -> Collection[GameRunner]:
        """The games of a user that are not over."""
        return tuple(self._users.get(fold(name), ()))

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
        return None if over is None else (over, over.runner.game.keys[digest(key)])


def _users(game: HostedGame) -> Collection[str]:
    """The folded names of the users who play a game."""
    return [fold(one.name) for one in game.holders if one.is_user]
