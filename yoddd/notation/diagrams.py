"""The board as plain text, for terminals and ``showboard``."""

from __future__ import annotations

from typing import Final

from yoddd.board import Geometry, Shape
from yoddd.rules import Colour, PositionLike, Turn

_GLYPHS: Final = {Colour.BLACK: "X", Colour.WHITE: "O", None: "."}


def diagram(position: PositionLike, last: Turn | None = None) -> str:
    """The board with coordinates: X black, O white, ``.`` empty; stones of ``last`` in brackets.

    Rows run from top to bottom. A row of a hexhex board stands between its letter and the number of
    its last cell. No line is empty.
    """
    geometry = position.rules.geometry
    marked = {stone.cell for stone in last.stones} if last else set()
    lines = [
        _margin(geometry, row)
        + _row([_GLYPHS[position.cells[cell]] for cell in row], row, marked)
        + _end(geometry, row)
        for row in reversed(geometry.rows)
    ]
    if geometry.shape is Shape.SQUARE:
        lines.append("   " + " ".join(geometry.labels[cell][0] for cell in geometry.rows[0]))
    return "\n".join(lines)


def _margin(geometry: Geometry, row: tuple[int, ...]) -> str:
    label = geometry.labels[row[0]]
    if geometry.shape is Shape.SQUARE:
        return f"{label[1:]:>2}"
    return " " * (2 * geometry.size - 1 - len(row)) + label[0]


def _end(geometry: Geometry, row: tuple[int, ...]) -> str:
    return f" {len(row)}" if geometry.shape is Shape.HEX else ""


def _row(glyphs: list[str], row: tuple[int, ...], marked: set[int]) -> str:
    text = ""
    for index, (glyph, cell) in enumerate(zip(glyphs, row, strict=True)):
        closes = index > 0 and row[index - 1] in marked
        text += ("(" if cell in marked else ")" if closes else " ") + glyph
    return text + (")" if row[-1] in marked else "")
