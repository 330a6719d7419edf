"""Reviews as JSON; ``protocol/schemas/review.schema.json`` is the contract."""

from __future__ import annotations

from typing import Any, Final

import attrs

from yoddd.library.review.game import GameReview, PlayerReview, TurnReview
from yoddd.library.review.judgement import Chance, thresholds
from yoddd.notation import format_turn
from yoddd.notation.positions import start_line
from yoddd.rules import Rules, Turn

VERSION: Final = 1
"""The version of the format; keys may be added without another one."""

_DIGITS: Final = 4


@attrs.frozen(kw_only=True)
class Heading:
    """The names and settings of a review, besides its judgements.

    Attributes:
        id: names the game.
        black: the participant who began as Black; may be empty.
        white: likewise.
        result: as in SGF's ``RE``, by seat; None if it is not known.
        engine: makes the estimates.
        visits: of each search.
        seed: of the searches.
    """

    id: str
    black: str
    white: str
    result: str | None
    engine: str
    visits: int
    seed: int


def as_json(review: GameReview, heading: Heading) -> dict[str, Any]:
    """The review as an object of plain values."""
    rules = review.start.rules
    return {
        "format": VERSION,
        "id": heading.id,
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": rules.options(),
        "position": start_line(review.start),
        "black": heading.black,
        "white": heading.white,
        "result": heading.result,
        "engine": heading.engine,
        "visits": heading.visits,
        "seed": heading.seed,
        "thresholds": {grade.value: least for grade, least in thresholds().items()},
        "exact_from": review.exact_from,
        "players": {
            seat.letter: _player(player) for seat, player in sorted(review.players.items())
        },
        "turning_points": [turn.number for turn in review.turning_points],
        "chances": [round(chance, _DIGITS) for chance in review.chances],
        "turns": [_turn(turn, rules) for turn in review.turns],
    }


def _player(player: PlayerReview) -> dict[str, Any]:
    return {
        "turns": player.turns,
        "accuracy": _rounded(player.accuracy, 1),
        "average_loss": _rounded(player.average_loss, _DIGITS),
        "errors": {grade.value: count for grade, count in player.errors.items()},
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _turn(turn: TurnReview, rules: Rules) -> dict[str, Any]:
    def spell(line: tuple[Turn, ...]) -> list[str]:
        return [format_turn(one, rules) for one in line]

    return {
        "number": turn.number,
        "player": turn.player.letter,
        "seat": turn.seat.letter,
        "turn": format_turn(turn.turn, rules),
        "best": _chance(turn.best),
        "played": _chance(turn.played),
        "loss": round(turn.loss, _DIGITS),
        "accuracy": round(turn.accuracy, 1),
        "grade": turn.grade.value,
        "better": spell(turn.better),
        "refutation": spell(turn.refutation),
        "only": turn.only,
        "turning": turn.turning,
    }


def _chance(chance: Chance) -> dict[str, Any]:
    return {**attrs.asdict(chance), "value": round(chance.value, _DIGITS)}
