"""The answers of the analysis engine: JSON objects, one a line.

The contract is `protocol/schemas/analysis-answer.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from yoddd.engine import Candidate, FirstStone, Insight
from yoddd.notation import format_stone, format_turn
from yoddd.protocol.analysis.query import Query, QueryError, Subject
from yoddd.protocol.errors import one_line
from yoddd.rules import Colour, Outcome, Stone

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
