"""Positions of the parts of a board picture."""

from __future__ import annotations

import functools
import math
from typing import Final

import attrs

from yoddd.board import Geometry, Shape

Spot = tuple[float, float]

_ROW: Final = math.sqrt(3) / 2
_LABEL: Final = 0.86
"""Distance of a label from its cell, in cells."""


@attrs.frozen
class Layout:
    """A board laid out with one unit between neighbours; x grows to the right and y downward.

    Attributes:
        spots: the centre of each cell.
        outline: the corners of a cell around its centre.
        labels: the names on the border and where they stand.
        box: left, top, right and bottom of all cells.
    """

    spots: tuple[Spot, ...]
    outline: tuple[Spot, ...]
    labels: tuple[tuple[str, Spot], ...]
    box: tuple[float, float, float, float]


@functools.cache
def layout(geometry: Geometry) -> Layout:
    """The layout of a board."""
    if geometry.shape is Shape.HEX:
        spots = tuple((q + r / 2, r * _ROW) for q, r in geometry.axial)
        turns = [math.radians(60 * k + 30) for k in range(6)]
        radius = 1 / math.sqrt(3)
        outline = tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
        labels = _hex_labels(geometry, spots)
    else:
        spots = tuple((float(q), float(r)) for q, r in geometry.axial)
        outline = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))
        labels = _square_labels(geometry, spots)
    reach_x, reach_y = max(x for x, _ in outline), max(y for _, y in outline)
    xs, ys = zip(*spots, strict=True)
    box = (min(xs) - reach_x, min(ys) - reach_y, max(xs) + reach_x, max(ys) + reach_y)
    return Layout(spots, outline, labels, box)


def _hex_labels(geometry: Geometry, spots: tuple[Spot, ...]) -> tuple[tuple[str, Spot], ...]:
    """A letter before each row; a number where the line of cells with that number leaves the board.

    Those lines run down to the right in the lower half and up to the right in the upper one.
    """
    middle = geometry.size - 1
    labels = []
    for index, row in enumerate(geometry.rows):
        x, y = spots[row[0]]
        labels.append((geometry.labels[row[0]][0], (x - _LABEL, y)))
        ends = row if index in (0, 2 * middle) else row[-1:]
        for cell in ends:
            x, y = spots[cell]
            if index == middle:
                spot = (x + _LABEL, y)
            else:
                down = 1 if index < middle else -1
                spot = (x + _LABEL / 2, y + down * _LABEL * _ROW)
            labels.append((geometry.labels[cell][1:], spot))
    return tuple(labels)


def _square_labels(geometry: Geometry, spots: tuple[Spot, ...]) -> tuple[tuple[str, Spot], ...]:
    rows = [(geometry.labels[row[0]][1:], spots[row[0]]) for row in geometry.rows]
    columns = [(geometry.labels[cell][0], spots[cell]) for cell in geometry.rows[0]]
    return (
        *((name, (x - _LABEL, y)) for name, (x, y) in rows),
        *((name, (x, y + _LABEL)) for name, (x, y) in columns),
    )
