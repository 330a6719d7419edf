"""SGF in the shape of Go, as controllers for Go write it of games that are no Go.

A move is a point of two letters, column and row from the top left corner. A hexhex board with n
cells on a side lies slanted on a square of 2n-1 columns, as `boardsize` says it. A turn that cannot
be one point cannot be written so; nor can a pass, which these programs demand at the end of a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_letters
from typing import Final

from yoddd.notation.sgf import Node, encode_pair
from yoddd.notation.sgf_games import name_game
from yoddd.notation.sgf_setup import STONES
from yoddd.rules import Colour, Rules

_GO: Final = ("1", None)
_PASSES: Final = ("", "tt")
"""The values of a pass; ``tt`` on boards of up to 19 columns, which all of ours are."""


def is_go_shaped(root: Node) -> bool:
    """Whether a tree is in the shape of Go: it says no game, or Go."""
    return "YGAME" not in root.properties and root.text("GM") in _GO


def name_as_ours(root: Node, rules: Rules) -> None:
    """Name the game of a tree that names none; what it says of the board and the options stays."""
    root.put("YGAME", rules.game.name)
    if "YBOARD" not in root.properties:
        where = rules.geometry
        root.put("YBOARD", f"{where.shape}{(root.text('SZ') or str(where.size)).strip()}")
    options = [encode_pair(*option) for option in rules.options().items()]
    if options:
        root.properties.setdefault("YOPTION", options)


def write_as_ours(root: Node, rules: Rules) -> None:
    """Rewrite a tree so that it says which game it is, and the turns of its main line in our way.

    A point that is no cell stays as it is, for its reader to refuse.

    Args:
        root: the tree.
        rules: the rules that it was played by.

    Raises:
        NotationError: a turn of this game can be more than a point, the board has another size, or
            a player passes before the board is full.
    """
    if not rules.only_own or rules.two_stones:
        raise root.error(f"turns of {rules.game.title} are no single points as in Go")
    points = _points(rules)
    side = len(rules.geometry.rows)
    if root.text("SZ") not in (None, str(side)):
        name = rules.geometry.name
        raise root.error(f"SZ[{root.text('SZ')}]: expected {side}, the columns of {name}")
    left = rules.geometry.cells
    for name in STONES:
        texts = [points.get(text.strip(), text) for text in root.texts(name)]
        if texts:
            root.put(name, *texts)
        left -= len(texts)
    for node in root.main_line():
        for name in _moves(node):
            left -= _rewrite(node, name, points, left)
    name_game(root, rules)


def _rewrite(node: Node, name: str, points: Mapping[str, str], left: int) -> int:
    """Rewrite one move, and return how many stones it places."""
    text = node.texts(name)[0].strip()
    if text in _PASSES and text not in points:
        if left:
            raise node.error(f"a pass, with {left} cells empty")
        del node.properties[name]
        return 0
    node.put(name, points.get(text, text))
    return 1


def _moves(node: Node) -> list[str]:
    letters = [colour.letter.upper() for colour in Colour]
    return [letter for letter in letters if len(node.properties.get(letter, ())) == 1]


def _points(rules: Rules) -> dict[str, str]:
    """The label of the cell at each point."""
    axial, labels = rules.geometry.axial, rules.geometry.labels
    left, top = min(q for q, _ in axial), min(r for _, r in axial)
    return {
        ascii_letters[q - left] + ascii_letters[r - top]: label
        for (q, r), label in zip(axial, labels, strict=True)
    }
