"""Reviews as text: their words, JSON, and annotated SGF.

``protocol/schemas/review.schema.json`` is the contract of the JSON. The SGF is the game tree with
judgements, better turns and refutations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import attrs

from yoddd.library.review.game import (
    Chance,
    GameReview,
    Grade,
    PlayerReview,
    TurnReview,
    thresholds,
)
from yoddd.notation import Node, format_turn
from yoddd.notation.positions import start_line
from yoddd.rules import Colour, PositionLike, Rules, Turn


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


MARK: Final = "YREVIEW"
"""The property of the first node of a variation that a review has added."""

_LEAD: Final = "Review: "
"""The beginning of every comment line of a review."""

_ERRORS: Final = {
    Grade.INACCURACY: ("DO", ""),
    Grade.MISTAKE: ("BM", "1"),
    Grade.BLUNDER: ("BM", "2"),
}
_ANNOTATIONS: Final = ("BM", "DO", "IT", "TE", "DM", "GB", "GW", "UC", "V", "SBKV")
_EVEN: Final = (0.45, 0.55)
_GOOD: Final = 0.75


def annotate(root: Node, review: GameReview) -> None:
    """Write a review into the game tree that it was made of.

    The review's turns get ``DO`` (an inaccuracy), ``BM[1]`` (a mistake), ``BM[2]`` (a blunder) or
    ``TE`` (the only turn that wins) with a name and comments, and every position ``V``, ``SBKV``
    and ``GB``, ``GW`` or ``DM``. A better turn is a variation, and the refutation of an error
    another one after it. Comments and variations that the tree has are kept; those of an earlier
    review are replaced.

    Args:
        root: the tree, whose main line begins with the turns of the review.
        review: the review.
    """
    # The parents come along, as the better turn is another child of theirs; the root has none.
    line = list(root.main_line())
    pairs = zip([None, *line], line, strict=False)
    nodes = [(parent, node) for parent, node in pairs if _has_turn(node)]
    position = review.start.copy()
    _clear(root)
    _note_chance(root, review.chances[0], exact=review.exact_from == 0)
    for at, ((parent, node), turn) in enumerate(zip(nodes, review.turns, strict=False)):
        _clear(node)
        exact = review.exact_from is not None and at + 1 >= review.exact_from
        _note_chance(node, review.chances[at + 1], exact=exact)
        _note_error(node, turn)
        if turn.better and parent is not None:
            name = f"better, {chance_text(turn.best)}"
            parent.children.append(_variation(position, turn.better, name))
        position.play(turn.turn)
        _comment(node, remarks(turn, position.rules))
        if turn.refutation and node.children:
            # Without a turn that was played here it would be taken for the game's.
            node.children.append(_variation(position, turn.refutation, "refutation"))


def _has_turn(node: Node) -> bool:
    return any(colour.letter.upper() in node.properties for colour in Colour)


def _clear(node: Node) -> None:
    """Remove annotations, and what an earlier review has added."""
    for name in _ANNOTATIONS:
        node.properties.pop(name, None)
    node.children = [child for child in node.children if MARK not in child.properties]
    kept = [line for line in (node.text("C") or "").split("\n") if not line.startswith(_LEAD)]
    node.properties.pop("C", None)
    if any(kept):
        node.put("C", "\n".join(kept))


def _comment(node: Node, lines: Sequence[str]) -> None:
    if lines:
        before = [text] if (text := node.text("C")) else []
        node.put("C", "\n".join([*before, *(f"{_LEAD}{line}" for line in lines)]))


def _note_chance(node: Node, chance: float, *, exact: bool) -> None:
    """The value of the position, and whom it is good for: by seat, as the result is."""
    percent = f"{100 * chance:.2f}".rstrip("0").rstrip(".")
    node.put("V", f"{100 * (2 * chance - 1):.2f}".rstrip("0").rstrip("."))
    node.put("SBKV", percent)
    if _EVEN[0] <= chance <= _EVEN[1]:
        node.put("DM", "1")
    elif max(chance, 1 - chance) >= _GOOD:
        node.put("GB" if chance > 1 / 2 else "GW", "2" if exact else "1")


def _note_error(node: Node, turn: TurnReview) -> None:
    if turn.grade in _ERRORS:
        name, value = _ERRORS[turn.grade]
        node.put(name, value)
    elif turn.only:
        node.put("TE", "1")
    name = "only winning turn" if turn.only else turn.grade.value
    if turn.only or turn.grade is not Grade.SOUND:
        node.put("N", name)


def _variation(position: PositionLike, line: Sequence[Turn], name: str) -> Node:
    """The nodes of a line; the first one has a name."""
    after = position.copy()
    nodes: list[Node] = []
    for turn in line:
        node = Node()
        node.put(after.player.letter.upper(), format_turn(turn, after.rules))
        after.play(turn)
        if nodes:
            nodes[-1].children.append(node)
        nodes.append(node)
    nodes[0].put("N", name)
    nodes[0].put(MARK, name.partition(",")[0])
    return nodes[0]
