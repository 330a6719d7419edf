"""The cell labels of the GoGui program, for clients that chose ``coordinates gogui``.

GoGui draws hexagons in a rhombus of 2n-1 columns and rows, each row half a cell to the right of the
one above, and a hexhex board is that rhombus without two corners. A letter (never I) names the
column, a number the row, 1 at the bottom. Source: BoardPainterHex and GoPoint of GoGui 1.6.
"""

from __future__ import annotations

import enum
import functools
import re
from typing import Final

from yoddd.board import Geometry, Shape
from yoddd.notation import format_turn
from yoddd.protocol.errors import Code, PeerError
from yoddd.rules import Rules, Turn

_COLUMNS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_POINT: Final = re.compile(r"[A-Z][0-9]+", re.ASCII | re.IGNORECASE)


class Coordinates(enum.StrEnum):
    """The labels of cells on the wire."""

    ROWS = "rows"
    GOGUI = "gogui"


def side_of(geometry: Geometry) -> int:
    """Return how many columns and rows GoGui draws."""
    return 2 * geometry.size - 1 if geometry.shape is Shape.HEX else geometry.size


def size_from_side(shape: Shape, side: int) -> int | None:
    """Return the size of the board that GoGui draws with ``side`` columns, or None."""
    if shape is Shape.SQUARE:
        return side
    return (side + 1) // 2 if side % 2 else None


@functools.cache
def points(geometry: Geometry) -> tuple[tuple[int, int], ...]:
    """Return GoGui's column and row of each cell, both from 0."""
    if geometry.shape is Shape.SQUARE:
        return tuple((x, -r) for x, r in geometry.axial)
    last = geometry.size - 1
    return tuple((q + last, last - r) for q, r in geometry.axial)


@functools.cache
def labels(geometry: Geometry) -> tuple[str, ...]:
    """Return GoGui's label of each cell, such as ``A1``."""
    return tuple(f"{_COLUMNS[x]}{y + 1}" for x, y in points(geometry))


@functools.cache
def _from_gogui(geometry: Geometry) -> dict[str, str]:
    return dict(zip(labels(geometry), geometry.labels, strict=True))


def token_from_gogui(token: str, geometry: Geometry) -> str:
    """Replace GoGui's labels in a turn token by ours; the rest is not checked."""
    known = _from_gogui(geometry)

    def translate(match: re.Match[str]) -> str:
        label = known.get(match[0].upper())
        if label is None:
            raise PeerError(Code.SYNTAX, f"no point {match[0]!r} on {geometry.name}")
        return label

    return _POINT.sub(translate, token)


def format_gogui_turn(turn: Turn, rules: Rules) -> str:
    """Return a turn token with GoGui's labels."""
    if not turn.stones:
        return format_turn(turn, rules)
    names = labels(rules.geometry)
    return ",".join(
        ("" if rules.game.own_colour else stone.colour.digit) + names[stone.cell]
        for stone in turn.stones
    )
