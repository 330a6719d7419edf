"""The words of a review, the same in comments, tables and pages."""

from __future__ import annotations

from collections.abc import Iterable

from yoddd.library.review.game import GameReview, TurnReview
from yoddd.library.review.judgement import Chance, Grade
from yoddd.notation import format_turn
from yoddd.rules import Rules, Turn


def percent(share: float) -> str:
    """A share of one, such as ``61 %``; one decimal where that matters."""
    text = f"{100 * share:.1f}".removesuffix(".0")
    return f"{text} %"


def chance_text(chance: Chance) -> str:
    """A chance of winning: ``won``, ``lost`` or in percent."""
    if not chance.exact:
        return percent(chance.value)
    return "won" if chance.value else "lost"


def line_text(line: Iterable[Turn], rules: Rules) -> str:
    """Turns, such as ``1c3,2d4 pass``."""
    return " ".join(format_turn(turn, rules) for turn in line)


def remarks(turn: TurnReview, rules: Rules) -> list[str]:
    """Remarks on a turn; none on a sound one among several."""
    if turn.grade is Grade.SOUND:
        return ["the only turn that wins"] if turn.only else []
    said = [f"{turn.grade.value}: {chance_text(turn.best)} to {chance_text(turn.played)}"]
    if turn.turning:
        said[0] += ", a turning point"
    said.append(f"better: {line_text(turn.better, rules)}")
    if turn.refutation:
        said.append(f"refuted by: {line_text(turn.refutation, rules)}")
    return said


def turning_text(review: GameReview) -> list[str]:
    """The turning points, such as ``turning points: turns 9, 14``; empty if there are none."""
    points = [str(turn.number) for turn in review.turning_points]
    noun = "s" if len(points) > 1 else ""
    return [f"turning point{noun}: turn{noun} {', '.join(points)}"] if points else []


def place_text(review: GameReview) -> str:
    """The game, the board and the length, such as ``Yodd on hex5, 34 turns``."""
    rules, count = review.start.rules, len(review.turns)
    return f"{rules.game.title} on {rules.geometry.name}, {count} turn{'s' * (count != 1)}"
