"""The strength of an engine: the share of won positions in which its turn keeps the win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import attrs

from yoddd.notation import NotationError, format_turn, parse_position, parse_turn
from yoddd.protocol.controller import EngineInfo, Handshake
from yoddd.protocol.errors import one_line
from yoddd.referee.clock import TimeControl
from yoddd.referee.conformance.script import Failed, Interview, Script, Stop
from yoddd.referee.engine_requests import EngineState, Purpose, set_up
from yoddd.rules import Colour, Position, PositionLike, Rules

GRACE: Final = 0.5
"""Seconds over the time of a turn that are allowed for the transport."""

MOST_FAILURES: Final = 5
"""Crashes and silences in a row after which an engine is not started again."""

_SHOWN: Final = 60
_QUOTED: Final = ("game", "boardsize", "set_param")


@attrs.frozen
class WonPosition:
    """A position that the side to move wins.

    Attributes:
        position: the position.
        turns: those that lead to it from the empty board, each with the colour that plays it.
        winning: the turns that keep the win, in canonical spelling.
    """

    position: PositionLike
    turns: tuple[tuple[Colour, str], ...]
    winning: frozenset[str]

    @property
    def rules(self) -> Rules:
        """The game, the board and the options."""
        return self.position.rules


def read_won(text: str) -> list[WonPosition]:
    """Read the lines of protocol/vectors/engine/won.txt.

    Raises:
        ValueError: a line has other fields, or turns that do not lead to its position.
    """
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [_read_line(line) for line in lines]


def _read_line(line: str) -> WonPosition:
    where, turns, winning = line.split(" ; ")
    wanted = parse_position(where)
    position = Position(wanted.rules)
    played: list[tuple[Colour, str]] = []
    for token in turns.split():
        played.append((position.player, token))
        position.play(parse_turn(token, position.rules, position.player))
    if (position.cells, position.player) != (wanted.cells, wanted.player):
        raise ValueError(f"the turns lead to another position: {line[:_SHOWN]}")
    return WonPosition(position, tuple(played), frozenset(winning.split()))


@attrs.frozen(kw_only=True)
class StrengthTerms:
    """The time limits of an examination.

    Attributes:
        seconds: for a turn.
        launch: seconds for the first reply of an engine that was just started.
        patience: seconds for any other reply.
        params: parameters that the engine is given.
    """

    seconds: float = 1.0
    launch: float = 60.0
    patience: float = 10.0
    params: Mapping[str, str] = attrs.Factory(dict)


@attrs.frozen
class Attempt:
    """The engine's turn in one position.

    Attributes:
        rules: of the position.
        kept: whether the turn keeps the win.
        problem: why there is no legal turn; empty if there is one.
    """

    rules: Rules
    kept: bool
    problem: str = ""


@attrs.frozen
class Share:
    """The positions of one game and board, or all of them.

    Attributes:
        positions: their number.
        kept: the number in which the engine keeps the win.
    """

    positions: int
    kept: int

    @property
    def share(self) -> float:
        """The part that is kept, from 0 to 1."""
        return self.kept / self.positions if self.positions else 0.0


@attrs.frozen
class StrengthReport:
    """The whole examination of one engine.

    Attributes:
        name: the engine's reply to ``name``.
        version: its reply to ``version``.
        attempts: one for each position, in their order.
    """

    name: str
    version: str
    attempts: tuple[Attempt, ...]

    @property
    def passed(self) -> bool:
        """Whether it played a legal turn in time in every position."""
        return not any(attempt.problem for attempt in self.attempts)

    @property
    def total(self) -> Share:
        """The share of all positions."""
        return _share(self.attempts)

    def boards(self) -> dict[tuple[str, str], Share]:
        """The share of every game and board, in the order of the positions."""
        found: dict[tuple[str, str], list[Attempt]] = {}
        for attempt in self.attempts:
            found.setdefault(_where(attempt.rules), []).append(attempt)
        return {where: _share(attempts) for where, attempts in found.items()}

    def problems(self) -> Counter[str]:
        """The number of positions with each problem."""
        return Counter(attempt.problem for attempt in self.attempts if attempt.problem)

    def as_json(self) -> dict[str, object]:
        """The report as plain values."""
        return {
            "engine": {"name": self.name, "version": self.version},
            "passed": self.passed,
            **_share_json(self.total),
            "boards": [
                {"game": game, "board": board, **_share_json(share)}
                for (game, board), share in self.boards().items()
            ],
            "problems": [
                {"problem": problem, "positions": count}
                for problem, count in self.problems().most_common()
            ],
        }


def _where(rules: Rules) -> tuple[str, str]:
    return rules.game.name, rules.geometry.name


def _share(attempts: Sequence[Attempt]) -> Share:
    return Share(len(attempts), sum(attempt.kept for attempt in attempts))


def _share_json(share: Share) -> dict[str, object]:
    return {"positions": share.positions, "kept": share.kept, "share": round(share.share, 4)}


class _Refused(Exception):
    """The engine has no legal turn to offer, but lives on; the text is the reason."""


def examine_strength(
    positions: Iterable[WonPosition],
    terms: StrengthTerms,
    found: Callable[[StrengthReport], None] | None = None,
) -> Script[StrengthReport]:
    """Ask one engine for its turn in every position.

    One run of the engine serves all positions; after a crash or a silence a new one is started.
    ``found`` is called with the report so far after each position.
    """
    positions = list(positions)
    examiner = _Examiner(terms, _boards_of_size(positions))
    report = StrengthReport("", "", ())
    for position in positions:
        attempt = yield from examiner.attempt(position)
        engine = examiner.engine
        names = (engine.name, engine.version) if engine is not None else ("", "")
        report = StrengthReport(*names, (*report.attempts, attempt))
        if found is not None:
            found(report)
    yield from examiner.end()
    return report


def _boards_of_size(positions: Sequence[WonPosition]) -> dict[int, int]:
    """The number of games and boards for each size, which is all that `boardsize` tells."""
    return Counter(
        rules.geometry.size for rules in dict.fromkeys(position.rules for position in positions)
    )


class _Examiner:
    """The engine under examination, which is started when it is needed.

    Attributes:
        engine: its replies to the handshake; None before it.
    """

    def __init__(self, terms: StrengthTerms, boards_of_size: dict[int, int]) -> None:
        self.engine: EngineInfo | None = None
        self._terms = terms
        self._boards_of_size = boards_of_size
        self._interview: Interview | None = None  # None while no engine runs
        self._failures = 0  # in a row
        self._given_up = ""  # the reason, once the engine is not started again

    def attempt(self, position: WonPosition) -> Script[Attempt]:
        """The engine's turn in one position."""
        if self._given_up:
            return Attempt(position.rules, kept=False, problem=self._given_up)
        try:
            token = yield from self._turn(position)
        except _Refused as refusal:
            return Attempt(position.rules, kept=False, problem=str(refusal))
        except Failed as failure:
            yield from self.end()
            self._count_failure(one_line(str(failure)))
            return Attempt(position.rules, kept=False, problem=one_line(str(failure)))
        self._failures = 0
        return Attempt(position.rules, kept=token in position.winning)

    def end(self) -> Script[None]:
        """Stop the engine if it runs."""
        if self._interview is not None:
            yield Stop()
        self._interview = None

    def _count_failure(self, problem: str) -> None:
        self._failures += 1
        if self.engine is None:
            self._given_up = problem
        elif self._failures == MOST_FAILURES:
            self._given_up = f"not asked after {MOST_FAILURES} failures in a row: {problem}"

    def _turn(self, position: WonPosition) -> Script[str]:
        """The canonical spelling of the engine's turn."""
        if self._interview is None:
            self._interview = Interview(self._terms.patience, self._terms.launch)
            yield from self._interview.start()
            self.engine = yield from _introduce(self._interview)
        assert self.engine is not None  # noqa: S101 — the introduction returns it
        if "game" not in self.engine.commands and self._boards_of_size[_size(position)] > 1:
            raise _Refused("lists no `game`; name the one that it plays with --game")
        yield from _set_up(self._interview, self.engine, position, self._terms)
        player = position.position.player
        limit = self._terms.seconds + GRACE
        reply, _ = yield from self._interview.ask(f"genmove {player.letter}", limit)
        if not reply.ok:
            raise _Refused(f"`genmove` refused: {one_line(reply.text)[:_SHOWN]}")
        return _spell(reply.text, position.position)


def _size(position: WonPosition) -> int:
    return position.rules.geometry.size


def _introduce(interview: Interview) -> Script[EngineInfo]:
    handshake, engine = Handshake(), None
    while handshake.command is not None:
        reply, _ = yield from interview.ask(handshake.command)
        engine = handshake.answer(reply)
    if engine is None:
        raise Failed("the introduction is incomplete")
    if engine.problem is not None:
        raise Failed(engine.problem)
    return engine


def _set_up(
    interview: Interview, engine: EngineInfo, position: WonPosition, terms: StrengthTerms
) -> Script[None]:
    state = EngineState(
        rules=position.rules,
        control=TimeControl(move=terms.seconds),
        start=None,
        turns=position.turns,
        seed=None,
        params=terms.params,
    )
    for request in set_up(engine, state):
        reply, _ = yield from interview.ask(request.command)
        if not reply.ok and request.purpose is not Purpose.HINT:
            command = one_line(request.command)
            words = command if command.startswith(_QUOTED) else command.split()[0]
            raise _Refused(f"`{words}` refused: {one_line(reply.text)[:_SHOWN]}")


def _spell(text: str, position: PositionLike) -> str:
    try:
        turn = parse_turn(text, position.rules, position.player)
    except NotationError:
        raise _Refused("`genmove` is answered with no turn") from None
    if position.illegality(turn) is not None:
        raise _Refused("`genmove` is answered with an illegal turn")
    return format_turn(turn, position.rules)


def describe_strength(reports: Sequence[StrengthReport], seconds: float) -> str:
    """Reports on the same positions as text: their shares side by side, and the problems."""
    titles = [f"{report.name or 'nameless'} {report.version}".rstrip() for report in reports]
    lines = [f"Won positions kept at {seconds:g} s a turn: {' | '.join(titles)}"]
    boards = [report.boards() for report in reports]
    none = Share(0, 0)
    lines += (
        _row(" ".join(where), [some.get(where, none) for some in boards]) for where in boards[0]
    )
    lines.append(_row("all", [report.total for report in reports]))
    for title, report in zip(titles, reports, strict=True):
        for problem, count in report.problems().most_common():
            lines.append(f"{title}, {count} not kept: {problem}")
    return "\n".join(lines)


def _row(title: str, shares: Sequence[Share]) -> str:
    cells = (f"{one.kept:>5} of {one.positions:<4}{one.share:>6.1%}" for one in shares)
    return f"  {title:<16}{' |'.join(cells)}"
