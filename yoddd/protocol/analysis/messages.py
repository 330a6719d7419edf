"""The queries and the answers of the analysis engine: JSON objects, one a line.

Fields that KataGo's analysis engine has too are named as there, if they mean the same. The
contracts are `analysis-query.schema.json` and `analysis-answer.schema.json` in `protocol/schemas`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

import attrs

from yoddd.engine import Bar, Candidate, FirstStone, Insight, Restriction
from yoddd.kernel import best_position
from yoddd.kernel.position import moves_of
from yoddd.notation import (
    NotationError,
    format_position,
    format_stone,
    format_turn,
    parse_position,
    parse_turn,
)
from yoddd.notation.errors import BadKey
from yoddd.notation.structure import structure
from yoddd.protocol.arguments import PLAYERS
from yoddd.protocol.errors import one_line
from yoddd.protocol.parameters import MAX_PLAYOUTS, MAX_SEED
from yoddd.rules import (
    Colour,
    IllegalTurn,
    Outcome,
    PositionLike,
    Rules,
    RulesError,
    Stone,
    TurnKind,
    make_rules,
)

VISITS: Final = 2000
"""The visits of a position if a query limits neither those nor the time."""

LONGEST: Final = 1_000_000.0
"""The most seconds that a query can name."""

_STARTPOS: Final = "startpos"
_ANY: Final = 2**31 - 1
_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "maxVisits": (1, MAX_PLAYOUTS),
    "maxTime": (0, LONGEST),
    "priority": (-_ANY, _ANY),
    "reportDuringSearchEvery": (0.001, LONGEST),
    "analysisPVLen": (0, _ANY),
    "maxMoves": (1, _ANY),
    "seed": (0, MAX_SEED),
}
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "reportAnalysisWinratesAs": ("SIDETOMOVE", "BLACK", "WHITE"),
}
_OTHERWISE: Final[Mapping[str, str]] = {
    "moves": "not supported: give `turns`, a list of tokens such as 1c3,2d4",
    "initialStones": "not supported: give `position`",
    "initialPlayer": "not supported: give `position`",
    "boardXSize": "not supported: give `board`, such as hex8",
    "boardYSize": "not supported: give `board`, such as hex8",
    "rules": "not supported: give `game`, `board` and `options`",
    "komi": "not supported: no game here has one",
    "overrideSettings": "not supported: give `seed`, `maxVisits`, `maxTime` or `avoidMoves`",
    "includeMovesOwnership": "not supported: give `includeOwnership` in a query after each turn",
}
"""Fields of KataGo's that would change the answer, if they are not false, and what is instead.

To ignore them would be worse than to refuse.
"""

_T = TypeVar("_T")


class QueryError(Exception):
    """A line that is refused.

    Attributes:
        reason: what is wrong.
        field: the field to blame; None if the line as such is.
        is_ours: whether the client is not to blame.
    """

    def __init__(self, reason: str, field: str | None = None, *, is_ours: bool = False) -> None:
        """Blame ``field``."""
        super().__init__(reason, field)
        self.reason, self.field, self.is_ours = reason, field, is_ours


@attrs.frozen(kw_only=True)
class MoveBar:
    """An entry of ``avoidMoves`` or ``allowMoves``: a player's stones, and for how many turns."""

    player: str
    moves: tuple[str, ...]
    untilDepth: int


@attrs.frozen(kw_only=True)
class Query:
    """The fields of a query that asks for an analysis; the documentation is in the reference."""

    id: str
    game: str | None = None
    board: str | None = None
    options: dict[str, str] = attrs.field(factory=dict, hash=False)
    position: str = _STARTPOS
    turns: tuple[str, ...] = ()
    analyzeTurns: tuple[int, ...] | None = None
    maxVisits: int | None = None
    maxTime: float | None = None
    priority: int = 0
    priorities: tuple[int, ...] | None = None
    seed: int = 0
    reportDuringSearchEvery: float | None = None
    reportAnalysisWinratesAs: str = "SIDETOMOVE"
    analysisPVLen: int = _ANY
    maxMoves: int = _ANY
    avoidMoves: tuple[MoveBar, ...] = ()
    allowMoves: tuple[MoveBar, ...] = ()
    includeOwnership: bool = False
    includePolicy: bool = False
    includeSeconds: bool = False
    includeTime: bool = False


@attrs.frozen(kw_only=True)
class Action:
    """The fields of every query with an action."""

    id: str
    action: str


@attrs.frozen(kw_only=True)
class Termination(Action):
    """The fields of ``terminate`` and ``terminate_all``."""

    terminateId: str | None = None
    turnNumbers: tuple[int, ...] | None = None

    def covers(self, subject: Subject) -> bool:
        """Whether the analysis of a position is to end."""
        return (self.terminateId is None or subject.query.id == self.terminateId) and (
            self.turnNumbers is None or subject.turn in self._turns
        )

    @cached_property
    def _turns(self) -> frozenset[int]:
        """The turns, of which one line may list thousands, for a look at each waiting position."""
        return frozenset(self.turnNumbers or ())


@attrs.frozen(kw_only=True)
class Login(Action):
    """The fields of ``login``."""

    name: str
    token: str = attrs.field(repr=False)


@attrs.define(eq=False)
class Subject:
    """One position to analyze.

    Attributes:
        query: the query that asks for it.
        turn: its number in the game of the query: 0 is the start.
        position: the position; not to be changed.
        priority: the highest comes first.
        size: its part of the bytes of the query.
        restriction: what its search leaves out; None for nothing.
    """

    query: Query
    turn: int
    position: PositionLike
    priority: int
    size: int
    restriction: Restriction | None = None

    @cached_property
    def line(self) -> str:
        """The position as one line."""
        return format_position(self.position)

    @property
    def visits(self) -> int | None:
        """The visits at which the search ends; None if only its time is limited."""
        if self.query.maxVisits is None and self.query.maxTime is None:
            return VISITS
        return self.query.maxVisits


def read_fields(values: Mapping[str, Any], kind: type[_T]) -> _T:
    """Return the fields of an object; unknown ones are ignored.

    Raises:
        QueryError: one is missing or has a value that it cannot have.
    """
    try:
        fields = structure(values, kind)
    except BadKey as error:
        raise QueryError(error.reason, error.key) from None
    for name in values.keys() & _RANGES.keys():
        least, most = _RANGES[name]
        value = getattr(fields, name, least)
        if value is not None and not least <= value <= most:  # NaN is in no range
            raise QueryError(f"{value}: expected {least:.12g} to {most:.12g}", name)
    for name in values.keys() & _WORDS.keys():
        value = getattr(fields, name)
        if value not in _WORDS[name]:
            raise QueryError(f"{value!r}: expected one of {', '.join(_WORDS[name])}", name)
    return fields


def unknown_fields(values: Mapping[str, Any], kind: type[attrs.AttrsInstance]) -> list[str]:
    """The fields of an object that mean nothing, in its order."""
    known = {field.name for field in attrs.fields(kind)} | {"action"}
    return [name for name in values if name not in known]


def read_query(values: Mapping[str, Any]) -> Query:
    """Return the query that an object describes.

    Raises:
        QueryError: it is malformed, or has a field of KataGo's that is not supported.
    """
    for name in values:
        if name in _OTHERWISE and values[name] is not False:
            raise QueryError(_OTHERWISE[name], name)
    return read_fields({name: values[name] for name in values if name not in _OTHERWISE}, Query)


def subjects_of(query: Query, size: int) -> list[Subject]:
    """Return the positions that a query of ``size`` bytes asks for, in its order.

    Raises:
        QueryError: a turn is malformed or illegal, or a field contradicts another one.
    """
    wanted = _wanted(query)
    priorities = _priorities(query, len(wanted))
    found = dict(_positions(query, set(wanted)))
    restriction = _restriction(query, found[wanted[0]].rules)
    return [
        Subject(query, turn, found[turn], priority, size // len(wanted), restriction)
        for turn, priority in zip(wanted, priorities, strict=True)
    ]


def _restriction(query: Query, rules: Rules) -> Restriction | None:
    bars = [
        *(_bar(one, rules, "avoidMoves", allows=False) for one in query.avoidMoves),
        *(_bar(one, rules, "allowMoves", allows=True) for one in query.allowMoves),
    ]
    return Restriction.of(rules, bars) if bars else None


def _bar(entry: MoveBar, rules: Rules, field: str, *, allows: bool) -> Bar:
    player = PLAYERS.get(entry.player.lower())
    if player is None:
        raise QueryError(f"player {entry.player!r}: expected B or W", field)
    if not 1 <= entry.untilDepth <= _ANY:
        raise QueryError(f"untilDepth {entry.untilDepth}: expected 1 or more", field)
    moves = set[int]()
    for word in entry.moves:
        try:
            turn = parse_turn(word, rules, player)
        except NotationError as error:
            raise QueryError(f"{word}: {error.reason}", field) from None
        if len(turn.stones) > 1 or turn.kind is TurnKind.RESIGN:
            raise QueryError(f"{word}: expected a stone, pass or swap", field)
        moves.update(moves_of(rules, turn))
    return Bar(player, frozenset(moves), entry.untilDepth, allows)


def _wanted(query: Query) -> Sequence[int]:
    turns = query.analyzeTurns
    if turns is None:
        return (len(query.turns),)
    if not turns:
        raise QueryError("no turn is given", "analyzeTurns")
    seen = set[int]()
    for turn in turns:
        if not 0 <= turn <= len(query.turns):
            raise QueryError(f"{turn}: expected 0 to {len(query.turns)}", "analyzeTurns")
        if turn in seen:
            raise QueryError(f"{turn} is given twice", "analyzeTurns")
        seen.add(turn)
    return turns


def _priorities(query: Query, count: int) -> Sequence[int]:
    if query.priorities is None:
        return (query.priority,) * count
    if query.analyzeTurns is None:
        raise QueryError("expected only beside analyzeTurns", "priorities")
    if query.priority:
        raise QueryError("expected only one of priority and priorities", "priorities")
    if len(query.priorities) != count:
        raise QueryError(f"{len(query.priorities)}: expected {count}", "priorities")
    if any(abs(priority) > _ANY for priority in query.priorities):
        raise QueryError(f"expected {-_ANY} to {_ANY}", "priorities")
    return query.priorities


def _positions(query: Query, wanted: set[int]) -> Iterator[tuple[int, PositionLike]]:
    """The positions of the turns ``wanted``, with their numbers."""
    position = _start(query)
    if 0 in wanted:
        yield 0, position.copy()
    for number, token in enumerate(query.turns, start=1):
        try:
            position.play(parse_turn(token, position.rules, position.player))
        except (IllegalTurn, NotationError) as error:
            raise QueryError(f"number {number}, {token}: {error.reason}", "turns") from None
        if number in wanted:
            yield number, position.copy()


def _start(query: Query) -> PositionLike:
    if query.position == _STARTPOS:
        if query.game is None:
            raise QueryError("missing, where no position is given", "game")
        return best_position()(_rules(query.game, query.board, query.options))
    try:
        position = parse_position(query.position, best_position())
    except NotationError as error:
        raise QueryError(f"column {error.column}: {error.reason}", "position") from None
    _check_agreement(query, position.rules)
    return position


def _check_agreement(query: Query, rules: Rules) -> None:
    """Refuse a game, a board or options other than those of the position."""
    game, board = rules.game.name, query.board or rules.geometry.name
    if query.game is not None and query.game.lower() != game:
        raise QueryError(f"{query.game!r}: the position is one of {game}", "game")
    asked = _rules(game, board, {**rules.options(), **query.options})
    if asked.geometry != rules.geometry:
        raise QueryError(f"{board!r}: the position is on {rules.geometry.name}", "board")
    if asked != rules:
        raise QueryError("other than those of the position", "options")


def _rules(game: str, board: str | None, options: Mapping[str, str]) -> Rules:
    try:
        return make_rules(game, board, options)
    except RulesError as error:
        field = error.about if error.about in ("game", "board") else "options"
        raise QueryError(str(error), field) from None


_HASH_DIGITS: Final = 16


def dump(answer: Mapping[str, Any]) -> str:
    """An answer as one line of ASCII without its LF."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False)


def error_answer(error: QueryError, query_id: str | None) -> dict[str, Any]:
    """The answer to a line that is refused."""
    fields = {"error": one_line(error.reason), "field": error.field, "id": query_id}
    return {name: value for name, value in fields.items() if value is not None}


def warning_answer(field: str, query: Query) -> dict[str, Any]:
    """The answer about a field that means nothing."""
    return {"warning": "unknown field, ignored", "field": field, "id": query.id}


def failure_answer(subject: Subject, reason: str) -> dict[str, Any]:
    """The last answer about a position whose analysis failed."""
    return {"error": reason, "id": subject.query.id, "turnNumber": subject.turn}


def empty_answer(subject: Subject) -> dict[str, Any]:
    """The last answer about a position whose analysis was terminated before it began."""
    return {**_head(subject, is_during=False), "noResults": True}


def _head(subject: Subject, *, is_during: bool) -> dict[str, Any]:
    return {
        "id": subject.query.id,
        "turnNumber": subject.turn,
        "isDuringSearch": is_during,
    }


def full_answer(
    subject: Subject, insight: Insight, *, is_during: bool, seconds: float
) -> dict[str, Any]:
    """The answer about a position; its numbers are those of the player that the query names.

    Args:
        subject: the position.
        insight: the findings of the search.
        is_during: whether the search goes on.
        seconds: the time that it has taken.
    """
    query, position = subject.query, subject.position
    rules, player, outcome = position.rules, position.player, position.outcome()
    is_turned = query.reportAnalysisWinratesAs not in ("SIDETOMOVE", player.name)

    def values(
        visits: int, winrate: float, margin: float | None, spread: float | None = None
    ) -> dict[str, Any]:
        fields = {"visits": visits, "winrate": _round(1 - winrate if is_turned else winrate)}
        lead = None if margin is None else -margin if is_turned else margin
        more = {"scoreLead": lead, "scoreStdev": spread}
        return fields | {name: _round(value) for name, value in more.items() if value is not None}

    def move(order: int, one: Candidate) -> dict[str, Any]:
        fields: dict[str, Any] = {"move": format_turn(one.turn, rules), "order": order}
        fields |= values(one.visits, one.winrate, one.margin, one.spread)
        fields["prior"] = _round(one.prior)
        if one.distance is not None:
            fields |= {"proven": "won" if one.winrate else "lost", "distance": one.distance}
        fields["pv"] = [format_turn(turn, rules) for turn in one.line[: query.analysisPVLen + 1]]
        return fields

    def first(stone: Stone, group: Sequence[Candidate]) -> dict[str, Any]:
        """A first stone with its second stones; a turn of the one stone is no second."""
        one = group[0].first or FirstStone(0, 0.5, 0.0)
        seconds = [
            {
                "stone": format_stone(one.turn.stones[1], rules),
                **values(one.visits, one.winrate, one.margin),
            }
            for one in group
            if len(one.turn.stones) > 1
        ]
        numbers = values(one.visits, one.winrate, one.margin)
        return {"stone": format_stone(stone, rules), **numbers, "seconds": seconds}

    winrate = insight.winrate if outcome is None else float(outcome.winner is player)
    found = _head(subject, is_during=is_during) | _outcome(outcome)
    found["moveInfos"] = [
        move(order, one) for order, one in enumerate(insight.candidates[: query.maxMoves])
    ]
    found["rootInfo"] = {
        "currentPlayer": _letter(player),
        "thisHash": hashlib.sha256(subject.line.encode()).hexdigest()[:_HASH_DIGITS],
        **values(insight.visits, winrate, insight.margin, insight.spread),
        **({"time": _round(seconds)} if query.includeTime else {}),
    }
    if query.includeSeconds:
        firsts = [first(stone, group) for stone, group in _by_first(insight.candidates).items()]
        found["firsts"] = sorted(firsts, key=lambda one: -one["visits"])
    if query.includeOwnership and insight.ownership:
        sign = -1 if is_turned else 1
        found["ownership"] = [_round(sign * owned, 3) for owned in insight.ownership]
    if query.includePolicy and insight.policy:
        found["policy"] = [_round(worth) for worth in insight.policy]
    return found


def _outcome(outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return {}
    letter = _letter(outcome.winner)
    score = {"score": f"{letter}+{outcome.score}"} if outcome.score else {}
    return {"outcome": {"winner": letter, "reason": outcome.reason, **score}}


def _by_first(candidates: Sequence[Candidate]) -> dict[Stone, list[Candidate]]:
    groups: dict[Stone, list[Candidate]] = {}
    for one in candidates:
        if one.first is not None:
            groups.setdefault(one.turn.stones[0], []).append(one)
    return groups


def _letter(colour: Colour) -> str:
    """The letter of a colour as KataGo spells it."""
    return colour.letter.upper()


def _round(value: float, digits: int = 6) -> float:
    """A rounded number, without the sign of a zero."""
    return round(value, digits) + 0.0
