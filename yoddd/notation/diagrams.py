"""The board as plain text, for terminals and ``showboard``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from yoddd.board import Geometry, Shape
from yoddd.rules import Colour, PositionLike, Turn

_GLYPHS: Final = {Colour.BLACK: "X", Colour.WHITE: "O", None: "."}


def diagram(
    position: PositionLike, last: Turn | None = None, labels: Sequence[str] | None = None
) -> str:
    """The board with coordinates: X black, O white, ``.`` empty; stones of ``last`` in brackets.

    Rows run from top to bottom. A row of a hexhex board stands between what the labels of its cells
    have in common and the rest of the label of its last cell. No line is empty.

    Args:
        position: what to draw.
        last: the turn to mark.
        labels: the label of each cell; those of the board if None.
    """
    geometry = position.rules.geometry
    labels = labels or geometry.labels
    marked = {stone.cell for stone in last.stones} if last else set()
    lines = [
        _margin(geometry, labels, row)
        + _row([_GLYPHS[position.cells[cell]] for cell in row], row, marked)
        + _end(geometry, labels, row)
        for row in reversed(geometry.rows)
    ]
    if geometry.shape is Shape.SQUARE:
        lines.append("   " + " ".join(labels[cell][0] for cell in geometry.rows[0]))
    return "\n".join(lines)


def _margin(geometry: Geometry, labels: Sequence[str], row: tuple[int, ...]) -> str:
    if geometry.shape is Shape.SQUARE:
        return f"{labels[row[0]][1:]:>2}"
    indent = " " * (2 * geometry.size - 1 - len(row))
    return indent + (labels[row[0]][0] if _in_rows(labels, row) else f"{labels[row[0]][1:]:>2}")


def _end(geometry: Geometry, labels: Sequence[str], row: tuple[int, ...]) -> str:
    if geometry.shape is Shape.SQUARE:
        return ""
    last = labels[row[-1]]
    return f" {last[1:] if _in_rows(labels, row) else last[0]}"


def _in_rows(labels: Sequence[str], row: tuple[int, ...]) -> bool:
    """Whether the letter of a label names the row."""
    return labels[row[0]][0] == labels[row[-1]][0]


def _row(glyphs: list[str], row: tuple[int, ...], marked: set[int]) -> str:
    text = ""
    for index, (glyph, cell) in enumerate(zip(glyphs, row, strict=True)):
        closes = index > 0 and row[index - 1] in marked
        text += ("(" if cell in marked else ")" if closes else " ") + glyph
    return text + (")" if row[-1] in marked else "")
