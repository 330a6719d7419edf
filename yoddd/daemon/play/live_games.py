"""Games that can be observed: the lines of each so far, and its spectators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import attrs

from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen, Watch
from yoddd.notation import format_position
from yoddd.notation.records import GameRecord, dump_record
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.rules import Position, Rules

FINISHED_KEPT: Final = 64
"""Games that are over and can still be observed; the oldest are dropped first."""


RATED: Final = ("rated=yes",)
"""The `LiveGame.terms` of a rated game."""

TurnTime = Callable[[], tuple[str, float] | None]
"""Returns the seat whose clock is running, as its key, and the seconds of its turn so far."""

STATES: Final = ("open", "playing", "over")
"""The values of `LiveGame.state`."""


def is_listed(line: str) -> bool:
    """Whether a line of `LiveGame.describe` is for everyone: not that of an invite."""
    return " expires=" not in line


@attrs.define(eq=False)
class LiveGame:
    """One game as spectators see it.

    The lines are those of ``observe``: ``position``, ``game`` once it begins, ``turn``, ``record``;
    ``rewind``, ``request``, ``refuse`` and ``clock`` between them, and ``rematch`` after them.

    Attributes:
        id: its name for clients.
        rules: its game, board and options.
        clock: its time control.
        names: the participants by seat, set when it begins; before, None for a free seat.
        abort: ends the game as void for a reason; None before it begins and once it is over.
        expires: when an invite does, in seconds since 1970; None for another offer.
        on_turn: the seat to move, ``b`` or ``w``; None where that is not reported.
        attendance: gives the lines that tell a new spectator who is present.
        terms: further words of ``games``: ``rated=yes``, and until it begins who may accept it.
        turn_time: returns the seat whose clock is running, and for how long; None while none is
            known.
        rematch: the id of the rematch that has begun; None before. `name_rematch` sets it.
        lingers: whether the replies that may go on after its end do so, until `close`.
    """

    id: str
    rules: Rules
    clock: str
    names: tuple[str | None, str | None]
    abort: Callable[[str], None] | None = None
    expires: float | None = None
    on_turn: str | None = None
    attendance: Callable[[], Iterable[str]] = tuple
    terms: tuple[str, ...] = ()
    turn_time: TurnTime | None = None
    rematch: str | None = None
    lingers: bool = False
    # The lines so far, which a new spectator receives at once.
    _lines: list[str] = attrs.Factory(list)
    # Those who receive further lines; once the game is over, those whose replies go on.
    _spectators: list[Spectator] = attrs.Factory(list)
    # What one participant asks of the other: the line of ``request``; None without.
    _request: str | None = None
    # How many turns were played.
    _turns: int = 0
    # "open" until `begin`, "playing" until `end`, then "over".
    _state: str = "open"

    def __attrs_post_init__(self) -> None:
        self._lines.append(f"position {format_position(Position(self.rules))}")

    def begin(self, black: str, white: str) -> None:
        """Begin the game: both seats are taken."""
        self.names = (black, white)
        self.terms = tuple(term for term in self.terms if term in RATED)
        self._state = "playing"
        self._say(f"game {self.id} {black} {white} {self.clock}")
        for line in self.attendance():
            self.tell(line)

    def turn(self, seat: str, token: str, seconds: float) -> None:
        """Add a turn that was played."""
        self._turns += 1
        self._request = None
        self._say(f"turn {seat} {token} {seconds:.3f}")

    def rewind(self, length: int) -> None:
        """Drop all turns but the first ``length``: the others were taken back."""
        self._request = None
        first = next(index for index, line in enumerate(self._lines) if line.startswith("turn "))
        del self._lines[first + length :]
        self._turns = length
        self.tell(f"rewind {length}")

    def request(self, seat: str, text: str) -> None:
        """One participant asks the other for something: ``takeback LENGTH`` or ``rematch ID``."""
        self._request = f"request {seat} {text}"
        self.tell(self._request)

    def refuse(self, seat: str, what: str) -> None:
        """One participant declines, or asks no longer."""
        self._request = None
        self.tell(f"refuse {seat} {what}")

    def end(self, record: GameRecord | None, error: str | None = None) -> None:
        """End the game, and the reply to each spectator.

        Args:
            record: the game as it was played; None if it never began, or waits for the store.
            error: the text of the error that ends the replies; None without one.
        """
        self._state = "over"
        self.abort = self.turn_time = self._request = None
        if record is not None:
            self._say(f"record {dump_record(record)}")
        self.lingers &= record is not None
        self._end(error)

    def name_rematch(self, game_id: str) -> None:
        """Report that the rematch has begun, to later spectators too."""
        self.rematch = game_id
        self._say(f"rematch {game_id}")

    def close(self) -> None:
        """End the replies that went on after the end of the game."""
        self.lingers = False
        self._end(None)

    def _end(self, error: str | None) -> None:
        """End the replies that do not go on."""
        ended = [one for one in self._spectators if not (self.lingers and one.goes_on)]
        self._spectators = [one for one in self._spectators if one not in ended]
        for spectator in ended:
            spectator.end(error)

    @property
    def turns(self) -> list[str]:
        """The turns that were played and not taken back, as tokens."""
        return [line.split(" ")[2] for line in self._lines if line.startswith("turn ")]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._state == "over"

    def notice(self, text: str) -> None:
        """Send a text from outside the game to its present spectators."""
        self.tell(f"notice {text}")

    @property
    def spectators(self) -> int:
        """The number of spectators."""
        return len(self._spectators)

    @property
    def state(self) -> str:
        """``open``, ``playing`` or ``over``."""
        return self._state

    @property
    def is_open(self) -> bool:
        """Whether it has not begun yet."""
        return self._state == "open"

    def describe(self) -> str:
        """The line of ``games``."""
        rules = self.rules
        black, white = (name or "-" for name in self.names)
        words = [self.id, self._state, rules.game.name, rules.geometry.name, black, white]
        more = [f"{name}={value}" for name, value in rules.chosen_options().items()]
        if self.on_turn is not None and self._state == "playing":
            more.append(f"turn={self.on_turn}")
        if self.is_open and self.expires is not None:
            more.append(f"expires={self.expires:.0f}")
        if self.rematch is not None:
            more.append(f"rematch={self.rematch}")
        return " ".join([*words, str(self._turns), f"clock={self.clock}", *self.terms, *more])

    def watch(self, say: Say, end: End, *, goes_on: bool = False) -> Spectator:
        """Send all lines so far, then each further line."""
        spectator = Spectator(self, say, end, goes_on)
        for line in self._lines:
            say(line)
        if self.turn_time is not None:
            say(self._clock_line())
        if self._request is not None:
            say(self._request)
        if self.is_over and not (self.lingers and goes_on):
            end(None)
        else:
            for line in self.attendance():
                say(line)
            self._spectators.append(spectator)
        return spectator

    def forget(self, spectator: Spectator) -> None:
        """Send no further line to a spectator."""
        if spectator in self._spectators:
            self._spectators.remove(spectator)

    def _say(self, line: str) -> None:
        self._lines.append(line)
        self.tell(line)

    def start_clock(self, turn_time: TurnTime) -> None:
        """Report the running clock from now on; spectators were told before that none runs."""
        was_stopped, self.turn_time = self.turn_time is not None, turn_time
        if was_stopped:
            self.tell(self._clock_line())

    def _clock_line(self) -> str:
        seat, seconds = (self.turn_time and self.turn_time()) or ("-", 0.0)
        return f"clock {seat} {seconds:.3f}"

    def tell(self, line: str) -> None:
        """Send a line that later spectators do not receive."""
        for spectator in tuple(self._spectators):
            spectator.say(line)


@attrs.frozen(eq=False)
class Spectator:
    """The streaming job of ``observe``: one connection that watches a game.

    Attributes:
        game: the game.
        say: sends a line.
        end: ends the reply.
        goes_on: whether the reply may go on after the end of the game.
    """

    game: LiveGame
    say: Say
    end: End
    goes_on: bool = False

    def stop(self) -> None:
        """Stop watching."""
        self.game.forget(self)


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
        """End a game without a record, and drop it."""
        game.end(None)
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

    def describe(self) -> list[str]:
        """The lines of ``games``, the latest first."""
        lines = (game.describe() for game in self.latest)
        return [line for line in lines if is_listed(line)]

    @property
    def latest(self) -> Iterator[LiveGame]:
        """All games, the latest first."""
        return reversed(self._games.values())

    def has(self, game_id: str) -> bool:
        """Whether there is a game of this id."""
        return game_id in self._games

    def __iter__(self) -> Iterator[LiveGame]:
        """All games, the oldest first."""
        return iter(tuple(self._games.values()))

    def reporter(
        self, rules: Rules, clock: str, abort: Callable[[str], None], turn_time: TurnTime
    ) -> Watch:
        """Return a function that shows a match to spectators from its news.

        Args:
            rules: of every game of the match.
            clock: likewise, as text.
            abort: ends the current game as void, for a reason.
            turn_time: see `LiveGame`; of the current game.
        """
        current: list[LiveGame] = []

        def report(news: News) -> None:
            match news:
                case GameBegins(_, game_id, black, white, opening):
                    game = LiveGame(
                        game_id, rules, clock, (black, white), abort, turn_time=turn_time
                    )
                    self.add(game)
                    game.begin(black, white)
                    current[:] = [game]
                    for index, token in enumerate(opening):
                        game.turn("bw"[index % 2], token, 0.0)
                case TurnSeen(_, seat, token, seconds):
                    current[0].turn(seat, token, seconds)
                case GameEnds(_, record):
                    current[0].end(record)

        return report
