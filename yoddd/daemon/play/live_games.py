"""Games that can be observed, and their spectators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import attrs

from yoddd.daemon.base.ports import End, Say
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.referee.lobby_game import LobbyGame, Phase

FINISHED_KEPT: Final = 64
"""Games that are over and can still be observed; the oldest are dropped first."""

TurnTime = Callable[[], tuple[str, float] | None]
"""Returns the seat whose clock is running, as its key, and the seconds of its turn so far."""


@attrs.define(eq=False)
class LiveGame:
    """The spectators of one game; what they see is computed from its state.

    Attributes:
        game: the state.
        turn_time: returns the seat whose clock is running, and for how long; None while both rest.
        abort: ends the game as void for a reason, once it has begun.
        absences: gives the lines that tell a new spectator who is away.
    """

    game: LobbyGame
    turn_time: TurnTime
    abort: Callable[[str], None]
    absences: Callable[[], Iterable[str]] = tuple
    # Those who receive further lines; once the game is over, those whose replies go on.
    _spectators: list[Spectator] = attrs.Factory(list)

    @property
    def id(self) -> str:
        """The name for clients."""
        return self.game.id

    @property
    def state(self) -> str:
        """``open``, ``playing`` or ``over``."""
        return self.game.phase.word

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.phase is Phase.OVER

    @property
    def spectators(self) -> int:
        """The number of spectators."""
        return len(self._spectators)

    def watch(
        self, say: Say, end: End, *, goes_on: bool = False, left: Callable[[], None] | None = None
    ) -> Spectator:
        """Send all lines so far, then each further line; for the arguments see `Spectator`."""
        game, spectator = self.game, Spectator(self, say, end, goes_on, left)
        for line in game.lines():
            say(line)
        if self.state == "playing":
            say(self._clock_line())
        if game.request is not None:
            say(game.request)
        if self.is_over and not (game.lingers and goes_on):
            end(None)
        else:
            for line in self.absences():
                say(line)
            self._spectators.append(spectator)
        return spectator

    def tell(self, line: str | None) -> None:
        """Send a line to the present spectators; None is that of the running clock."""
        text = self._clock_line() if line is None else line
        for spectator in tuple(self._spectators):
            spectator.say(text)

    def notice(self, text: str) -> None:
        """Send a text from outside the game to its present spectators."""
        self.tell(f"notice {text}")

    def end(self, error: str | None) -> None:
        """End the replies that do not go on; ``error`` is the text of one that ends them."""
        stay = self.game.lingers
        ended = [one for one in self._spectators if not (stay and one.goes_on)]
        self._spectators = [one for one in self._spectators if one not in ended]
        for spectator in ended:
            spectator.end(error)

    def forget(self, spectator: Spectator) -> None:
        """Send no further line to a spectator."""
        if spectator in self._spectators:
            self._spectators.remove(spectator)

    def _clock_line(self) -> str:
        seat, seconds = self.turn_time() or ("-", 0.0)
        return f"clock {seat} {seconds:.3f}"


@attrs.frozen(eq=False)
class Spectator:
    """The streaming job of ``observe``: one connection that watches a game.

    Attributes:
        live: the game.
        say: sends a line.
        end: ends the reply.
        goes_on: whether the reply may go on after the end of the game.
        left: is called when it stops watching; None for one who is no participant.
    """

    live: LiveGame
    say: Say
    end: End
    goes_on: bool = False
    left: Callable[[], None] | None = None

    def stop(self) -> None:
        """Stop watching."""
        self.live.forget(self)
        if self.left is not None:
            self.left()


class LiveGames:
    """The games of a daemon by id: all that are not over, and the last that are."""

    def __init__(self) -> None:
        """Create it without games."""
        # By id, in the order in which they were added.
        self._games: dict[str, LiveGame] = {}

    def add(self, game: LiveGame) -> LiveGame:
        """Add a game, and drop the oldest of too many that are over."""
        over = [old for old in self._games.values() if old.is_over]
        for old in over[: max(0, len(over) - FINISHED_KEPT)]:
            del self._games[old.id]
        self._games[game.id] = game
        return game

    def remove(self, game: LiveGame) -> None:
        """Drop a game."""
        if self._games.get(game.id) is game:
            del self._games[game.id]

    def find(self, game_id: str) -> LiveGame:
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
        return [one.game.describe() for one in self.latest if one.game.is_listed]

    @property
    def latest(self) -> Iterator[LiveGame]:
        """All games, the latest first."""
        return reversed(self._games.values())

    def __iter__(self) -> Iterator[LiveGame]:
        """All games, the oldest first."""
        return iter(tuple(self._games.values()))
