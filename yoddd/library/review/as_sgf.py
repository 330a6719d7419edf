"""Reviews as annotated SGF: the game tree with judgements, better turns and refutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from yoddd.library.review.game import GameReview, TurnReview
from yoddd.library.review.judgement import Grade
from yoddd.library.review.texts import chance_text, remarks
from yoddd.notation import Node, format_turn
from yoddd.rules import Colour, PositionLike, Turn

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
