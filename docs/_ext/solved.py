"""The ``solved`` directive: the solved boards of one game, from the test vectors.

The argument is the game. A picture for each board where some first turns win and others lose, then
a table of all boards.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from yoddd.notation import parse_position, parse_turn
from yoddd.pictures import THEMES, Style, draw
from yoddd.rules import Colour

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors" / "engine" / "solved.txt"
HEADS = ("board", "positions", "won", "first turns that win", "turns", "longest win")
PIXELS = 24.0
ROW = "display: flex; flex-wrap: wrap; gap: 0 1.5rem; justify-content: center"
FIGURE = "margin: 0; text-align: center"
WRITTEN_OUT = 3
"""First turns that the table names; more are counted."""


@attrs.frozen
class Solved:
    """One line of the vectors.

    Attributes:
        start: the empty board.
        positions: of its table.
        won: how many of them the player to move wins.
        wins: the first turns that win, with the turns to the end.
        losses: the others.
        longest: turns of the longest win, and a position; ``-`` where lengths are fixed.
    """

    start: str
    positions: int
    won: int
    wins: dict[str, int]
    losses: dict[str, int]
    longest: tuple[str, str]

    @property
    def name(self) -> str:
        """The board and the options."""
        words = self.start.split()
        return " ".join([words[1], *words[6:]])

    @property
    def turns(self) -> int:
        """The length of a game by best play from the empty board."""
        return min(self.wins.values()) if self.wins else max(self.losses.values())


def solved(game: str) -> Iterator[Solved]:
    """The solved boards of a game."""
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{game} "):
            start, positions, won, wins, losses, turns, position = line.split(" ; ")
            counts = int(positions), int(won)
            yield Solved(start, *counts, _turns(wins), _turns(losses), (turns, position))


def _turns(field: str) -> dict[str, int]:
    pairs = (turn.partition("=") for turn in field.split() if turn != "-")
    return {turn: int(distance) for turn, _, distance in pairs}


def first_turns(board: Solved) -> str:
    """The first turns that win, in words or written out."""
    wins, every = len(board.wins), len(board.wins) + len(board.losses)
    if wins in {0, every}:
        return f"{'all' if wins else 'none'} of {every}"
    named = f": {', '.join(board.wins)}" if wins <= WRITTEN_OUT else ""
    return f"{wins} of {every}{named}"


class SolvedDirective(SphinxDirective):
    """Pictures, then one row a board."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The pictures and the table."""
        boards = list(solved(self.arguments[0]))
        pictures = "".join(_figure(board) for board in boards if _is_drawn(board))
        row = f'<div style="{ROW}">{pictures}</div>'
        found: list[nodes.Node] = [nodes.raw("", row, format="html")] if pictures else []
        return [*found, self._table(boards)]

    def _table(self, boards: list[Solved]) -> nodes.table:
        heads = [head for head in HEADS if head != "longest win" or boards[0].longest[0] != "-"]
        group = nodes.tgroup(cols=len(heads))
        group += [nodes.colspec(colwidth=1) for _ in heads]
        group += nodes.thead("", _row(heads))
        group += nodes.tbody("", *(_row(_cells(board)[: len(heads)]) for board in boards))
        return nodes.table("", group)


def _is_drawn(board: Solved) -> bool:
    """Whether some first turns win and others lose, and no other board has the same picture."""
    return bool(board.wins and board.losses) and "end_on_full=on" not in board.start


def _cells(board: Solved) -> list[str | nodes.Node]:
    share = f"{board.won / board.positions:.1%}"
    turns, position = board.longest
    placement = position.split()[2] if position != "-" else position
    longest = nodes.paragraph("", f"{turns}: ", nodes.literal(text=placement))
    first = first_turns(board)
    return [board.name, f"{board.positions:,}", share, first, str(board.turns), longest]


def _row(cells: list[str] | list[str | nodes.Node]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        row += nodes.entry("", nodes.paragraph(text=cell) if isinstance(cell, str) else cell)
    return row


def _figure(board: Solved) -> str:
    start = parse_position(board.start)
    wins: dict[int, set[Colour]] = {}
    for token in board.wins:
        for stone in parse_turn(token, start.rules, start.player).stones:
            wins.setdefault(stone.cell, set()).add(stone.colour)
    pictures = "".join(
        f'<div class="only-{theme}">'
        f"{draw(start, style=Style(theme=THEMES[theme], wins=wins, cell=PIXELS))}</div>"
        for theme in ("light", "dark")
    )
    return (
        f'<figure style="{FIGURE}">{pictures}<figcaption><p>{board.name}</p></figcaption></figure>'
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directive."""
    app.add_directive("solved", SolvedDirective)
    return {"version": "1", "parallel_read_safe": True}
