"""The game that an engine has been set up with, and the requests that bring it to another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Self

import attrs

from yoddd.client.errors import EngineFault, EngineRefusal
from yoddd.engine import Candidate
from yoddd.library import Board
from yoddd.notation import NotationError, format_turn
from yoddd.protocol.controller import EngineInfo
from yoddd.protocol.reports import parse_report
from yoddd.referee import NO_LIMIT, TimeControl
from yoddd.referee.game.engine_requests import EngineRequest, EngineState, play, set_up
from yoddd.rules import Colour, Rules, Turn
from yoddd.suggestions import ours_for

_INTERVAL: Final = 0.2
"""Seconds between two reports of an analysis."""


def _positive(_limit: Limit, field: attrs.Attribute[Any], value: Any) -> None:
    if value is not None and not value > 0:
        raise ValueError(f"Limit({field.name}={value!r}): expected more than 0")


@attrs.frozen(kw_only=True)
class Limit:
    """The budget of a search; without a value the engine decides.

    Attributes:
        time: seconds.
        playouts: how many playouts, for an engine that counts them.
    """

    time: float | None = attrs.field(default=None, validator=_positive)
    playouts: int | None = attrs.field(default=None, validator=_positive)

    if not TYPE_CHECKING:

        def __new__(cls, *_args: object, **values: object) -> Self:
            """Answer names of python-chess before attrs refuses them without a hint."""
            for name in values:
                if hint := ours_for(name):
                    raise TypeError(f"Limit has no {name!r}{hint}")
            return super().__new__(cls)

    @property
    def control(self) -> TimeControl:
        """The time control for ``time``."""
        return NO_LIMIT if self.time is None else TimeControl(move=self.time)


FREE: Final = Limit()
"""The engine's own limit."""


@attrs.frozen
class KnownGame:
    """The game that an engine was set up with, to send it only what is new."""

    rules: Rules
    start: str
    turns: tuple[Turn, ...]
    limit: Limit

    def continues(self, other: KnownGame) -> bool:
        """Whether it is the same game after as many turns or more."""
        return (
            attrs.evolve(other, turns=self.turns) == self
            and self.turns[: len(other.turns)] == other.turns
        )


def game_of(board: Board, limit: Limit, *more: Turn) -> KnownGame:
    """Return the game of ``board`` after ``more`` turns."""
    start = board.copy()
    for _ in board.history:
        start.pop()
    return KnownGame(board.rules, start.position, (*board.history, *more), limit)


def requests_for(
    engine: EngineInfo, known: KnownGame | None, wanted: KnownGame
) -> Iterator[EngineRequest]:
    """Yield the commands that bring an engine from one game to another."""
    turns = _tokens(wanted)
    if known is not None and wanted.continues(known):
        yield from (play(colour, token) for colour, token in turns[len(known.turns) :])
        return
    playouts = wanted.limit.playouts
    params = {} if playouts is None else {"playouts": str(playouts)}
    if playouts is None and known is not None and known.limit.playouts is not None:
        params = {"playouts": "default"}
    empty = Board(wanted.rules.game.name, wanted.rules.geometry.name, wanted.rules.options())
    start = None if wanted.start == empty.position else wanted.start
    state = EngineState(wanted.rules, wanted.limit.control, start, turns, None, params)
    yield from set_up(engine, state)


def _tokens(game: KnownGame) -> list[tuple[Colour, str]]:
    """Return the player and the token of each turn."""
    board, tokens = Board.from_position(game.start), []
    for turn in game.turns:
        tokens.append((board.player, format_turn(turn, game.rules)))
        board.push(turn)
    return tokens


def checked_turn(board: Board, token: str) -> Turn:
    """Return the turn that an engine has chosen on ``board``.

    Raises:
        EngineFault: it is no turn, or not a legal one.
    """
    try:
        turn = board.parse(token)
    except NotationError as error:
        raise EngineFault(f"chose {token[:80]!r}: {error}") from None
    problem = board.illegality(turn)
    if problem is not None:
        raise EngineFault(f"chose {token}: {problem}")
    return turn


def analysis_request(info: EngineInfo, board: Board, limit: Limit) -> str:
    """Return the request that starts an analysis of ``board``.

    Raises:
        EngineRefusal: the engine lists no such command.
    """
    word = next((w for w in ("kata-analyze", "analyze") if w in info.commands), None)
    if word is None:
        raise EngineRefusal(f"{info.name} cannot analyse")
    words = [word, board.player.letter, str(round(_INTERVAL * 100))]
    words += [] if limit.playouts is None else ["maxvisits", str(limit.playouts)]
    words += [] if limit.time is None else ["maxtime", f"{limit.time:.6f}"]
    return " ".join(words)


def candidates_of(line: str, board: Board) -> tuple[Candidate, ...]:
    """Return the candidates of a line of an analysis; none for a line that is no report.

    Raises:
        EngineRefusal: the line says that the analysis has failed.
        EngineFault: the line is malformed.
    """
    if line.startswith("error "):
        raise EngineRefusal(line.removeprefix("error "))
    try:
        return tuple(parse_report(line, board.rules, board.player))
    except NotationError as error:
        raise EngineFault(f"{error}: {line[:80]!r}") from None
