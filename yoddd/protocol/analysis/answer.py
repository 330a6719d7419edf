"""The answers of the analysis engine: JSON objects, one a line.

The contract is `protocol/schemas/analysis-answer.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from yoddd.engine import Candidate, FirstStone, Insight
from yoddd.notation import format_stone, format_turn
from yoddd.protocol.analysis.query import Query, QueryError, Subject
from yoddd.protocol.errors import one_line
from yoddd.rules import Colour, Rules, Stone

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


def full_answer(
    subject: Subject, insight: Insight, *, is_during: bool, seconds: float
) -> dict[str, Any]:
    """The answer about a position.

    Args:
        subject: the position.
        insight: the findings of the search.
        is_during: whether the search goes on.
        seconds: the time that it has taken.
    """
    return _Writer(subject, insight).answer(is_during=is_during, seconds=seconds)


def _head(subject: Subject, *, is_during: bool) -> dict[str, Any]:
    return {
        "id": subject.query.id,
        "turnNumber": subject.turn,
        "isDuringSearch": is_during,
    }


@attrs.frozen
class _Writer:
    """Writes one answer in any thread; numbers are those of the player that the query names.

    Attributes:
        subject: the position.
        insight: the findings of the search.
    """

    subject: Subject
    insight: Insight
    # Repeated for each candidate, and derived from the two above.
    _rules: Rules = attrs.field(init=False)
    _player: Colour = attrs.field(init=False)
    # Whether the numbers are those of the side that is not to move.
    _is_turned: bool = attrs.field(init=False)

    @_rules.default
    def _rules_of_subject(self) -> Rules:
        return self.subject.position.rules

    @_player.default
    def _player_of_subject(self) -> Colour:
        return self.subject.position.player

    @_is_turned.default
    def _turned(self) -> bool:
        named = self._query.reportAnalysisWinratesAs
        return named not in ("SIDETOMOVE", self._player.name)

    @property
    def _query(self) -> Query:
        return self.subject.query

    def answer(self, *, is_during: bool, seconds: float) -> dict[str, Any]:
        query, insight = self._query, self.insight
        found = _head(self.subject, is_during=is_during)
        shown = insight.candidates[: query.maxMoves]
        found["moveInfos"] = [self._move(order, one) for order, one in enumerate(shown)]
        found["rootInfo"] = self._root(seconds)
        outcome = self.subject.position.outcome()
        if outcome is not None:
            letter = _letter(outcome.winner)
            found["outcome"] = {"winner": letter, "reason": outcome.reason}
            if outcome.score:
                found["outcome"]["score"] = f"{letter}+{outcome.score}"
        if query.includeSeconds:
            found["firsts"] = self._firsts()
        if query.includeOwnership and insight.ownership:
            sign = -1 if self._is_turned else 1
            found["ownership"] = [_round(sign * owned, 3) for owned in insight.ownership]
        if query.includePolicy and insight.policy:
            found["policy"] = [_round(worth) for worth in insight.policy]
        return found

    def _move(self, order: int, one: Candidate) -> dict[str, Any]:
        fields: dict[str, Any] = {"move": format_turn(one.turn, self._rules), "order": order}
        fields |= self._values(one.visits, one.winrate, one.margin, one.spread)
        fields["prior"] = _round(one.prior)
        if one.distance is not None:
            fields["proven"] = "won" if one.winrate else "lost"
            fields["distance"] = one.distance
        line = one.line[: self._query.analysisPVLen + 1]
        fields["pv"] = [format_turn(turn, self._rules) for turn in line]
        return fields

    def _root(self, seconds: float) -> dict[str, Any]:
        insight, outcome = self.insight, self.subject.position.outcome()
        winrate = insight.winrate if outcome is None else float(outcome.winner is self._player)
        digest = hashlib.sha256(self.subject.line.encode()).hexdigest()
        fields: dict[str, Any] = {
            "currentPlayer": _letter(self._player),
            "thisHash": digest[:_HASH_DIGITS],
        }
        fields |= self._values(insight.visits, winrate, insight.margin, insight.spread)
        if self._query.includeTime:
            fields["time"] = _round(seconds)
        return fields

    def _values(
        self, visits: int, winrate: float, margin: float | None, spread: float | None = None
    ) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "visits": visits,
            "winrate": _round(1 - winrate if self._is_turned else winrate),
        }
        if margin is not None:
            fields["scoreLead"] = _round(-margin if self._is_turned else margin)
        if spread is not None:
            fields["scoreStdev"] = _round(spread)
        return fields

    def _firsts(self) -> list[dict[str, Any]]:
        """The first stones that the search considers, most visited first, with their seconds."""
        groups: dict[Stone, list[Candidate]] = {}
        for one in self.insight.candidates:
            if one.first is not None:
                groups.setdefault(one.turn.stones[0], []).append(one)
        found = [self._first(stone, group) for stone, group in groups.items()]
        return sorted(found, key=lambda first: -first["visits"])

    def _first(self, stone: Stone, group: Sequence[Candidate]) -> dict[str, Any]:
        """A first stone with its second stones; a turn of the one stone is no second."""
        seconds = [
            {
                "stone": format_stone(one.turn.stones[1], self._rules),
                **self._values(one.visits, one.winrate, one.margin),
            }
            for one in group
            if len(one.turn.stones) > 1
        ]
        values = group[0].first or FirstStone(0, 0.5, 0.0)
        return {
            "stone": format_stone(stone, self._rules),
            **self._values(values.visits, values.winrate, values.margin),
            "seconds": seconds,
        }


def _letter(colour: Colour) -> str:
    """The letter of a colour as KataGo spells it."""
    return colour.letter.upper()


def _round(value: float, digits: int = 6) -> float:
    """A rounded number, without the sign of a zero."""
    return round(value, digits) + 0.0
