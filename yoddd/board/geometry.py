"""Cells, neighbours, coordinates and symmetries of hexhex and square boards."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Iterator
from typing import Final

import attrs

MAX_LINES: Final = 25
"""No board has more rows or columns, so that one letter names each of them."""

_SIZES: Final = {"hex": range(2, 14), "square": range(2, MAX_LINES + 1)}
_NAME: Final = re.compile(r"(hex|square)-?([0-9]{1,3})", re.ASCII | re.IGNORECASE)
_HEX_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
_SQUARE_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))

Point = tuple[int, int]
"""A cell as the pair (q, r)."""


class BoardError(ValueError):
    """A board name, size or cell label that does not exist."""


class Shape(enum.StrEnum):
    """The outline of a board: a hexagon of hexagonal cells, or a square of square ones."""

    HEX = "hex"
    SQUARE = "square"


@attrs.frozen(eq=False, repr=False)
class Geometry:
    """The constant tables of one board.

    Cells are numbered from 0, rows from bottom to top and each row from left to right. That is
    also the canonical order of stones in a turn, so sorting indices sorts notation.

    Attributes:
        shape: hexhex or square.
        size: cells a side.
        rows: the cells of each row, bottom row first.
        labels: the name of each cell, such as ``d4``.
        neighbours: for each cell its adjacent cells, ascending; up to 6 (hex) or 4 (square).
        symmetries: the permutations that map the board onto itself, identity first; cell ``c``
            goes to ``permutation[c]``. There are 12 for a hexhex board and 8 for a square one.
        axial: for each cell the pair (q, r): q grows to the right and r downward. Hexhex boards
            have their origin in the centre, square ones in the bottom left corner's cell.
    """

    shape: Shape
    size: int
    rows: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    neighbours: tuple[tuple[int, ...], ...]
    symmetries: tuple[tuple[int, ...], ...]
    axial: tuple[tuple[int, int], ...]
    _index: dict[str, int] = attrs.field(alias="index")

    @property
    def name(self) -> str:
        """The canonical name, such as ``hex8`` or ``square12``."""
        return f"{self.shape}{self.size}"

    @functools.cached_property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.labels)

    def cell(self, label: str) -> int:
        """The index of the cell called ``label`` in any case.

        Raises:
            BoardError: there is no such cell on this board.
        """
        # Beyond ASCII there are letters whose lower case is one of ours, such as the Kelvin sign.
        found = self._index.get(label.lower()) if label.isascii() else None
        if found is None:
            raise BoardError(f"no cell {label!r} on {self.name}")
        return found

    def __repr__(self) -> str:
        return f"geometry({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], Geometry], tuple[str]]:
        return geometry, (self.name,)


def geometry(name: str) -> Geometry:
    """The board called ``name``: ``hex8``, ``square12``, also ``hex-8`` and in any case.

    Raises:
        BoardError: the name has another form, or the size is out of range
            (hexhex 2 to 13 cells a side, square 2 to 25).
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise BoardError(f"no board {name!r}: expected hexN or squareN, such as hex8")
    return geometry_of(Shape(match[1].lower()), int(match[2]))


def geometry_of(shape: Shape, size: int) -> Geometry:
    """The board of the given shape with ``size`` cells a side.

    Raises:
        BoardError: the size is out of range for the shape.
    """
    sizes = _SIZES[shape]
    if size not in sizes:
        raise BoardError(f"no board {shape}{size}: {shape} boards are {sizes[0]} to {sizes[-1]}")
    return _hexhex(size) if shape is Shape.HEX else _square(size)


def sizes_of(shape: Shape) -> range:
    """The sizes that exist for a shape."""
    return _SIZES[shape]


@functools.cache
def _hexhex(n: int) -> Geometry:
    points = tuple(_hexhex_points(n))

    def label(point: Point) -> str:
        q, r = point
        return f"{chr(ord('a') + n - 1 - r)}{q + n - max(0, -r)}"

    def rotate(point: Point) -> Point:
        q, r = point
        return -r, q + r

    def reflect(point: Point) -> Point:
        q, r = point
        return r, q

    return _build(
        Shape.HEX,
        n,
        points,
        [label(point) for point in points],
        _HEX_STEPS,
        _symmetries(points, rotate, reflect, 6),
    )


def _hexhex_points(n: int) -> Iterator[Point]:
    for r in range(n - 1, -n, -1):
        for q in range(max(1 - n, 1 - n - r), min(n - 1, n - 1 - r) + 1):
            yield q, r


@functools.cache
def _square(n: int) -> Geometry:
    points = tuple((x, -y) for y in range(n) for x in range(n))

    def rotate(point: Point) -> Point:
        x, r = point
        return -r, x - (n - 1)

    def reflect(point: Point) -> Point:
        x, r = point
        return n - 1 - x, r

    return _build(
        Shape.SQUARE,
        n,
        points,
        [f"{chr(ord('a') + x)}{1 - r}" for x, r in points],
        _SQUARE_STEPS,
        _symmetries(points, rotate, reflect, 4),
    )


def _symmetries(
    points: tuple[Point, ...],
    rotate: Callable[[Point], Point],
    reflect: Callable[[Point], Point],
    order: int,
) -> tuple[tuple[int, ...], ...]:
    number = {point: index for index, point in enumerate(points)}
    images = []
    for image in (points, tuple(reflect(point) for point in points)):
        for _ in range(order):
            images.append(tuple(number[point] for point in image))
            image = tuple(rotate(point) for point in image)  # noqa: PLW2901 — turned step by step
    return tuple(images)


def _build(
    shape: Shape,
    size: int,
    points: tuple[Point, ...],
    labels: list[str],
    steps: tuple[Point, ...],
    symmetries: tuple[tuple[int, ...], ...],
) -> Geometry:
    number = {point: index for index, point in enumerate(points)}
    rows: dict[int, list[int]] = {}
    for index, (_, r) in enumerate(points):
        rows.setdefault(r, []).append(index)
    return Geometry(
        shape=shape,
        size=size,
        rows=tuple(tuple(row) for row in rows.values()),
        labels=tuple(labels),
        neighbours=tuple(
            tuple(sorted(number[q + a, r + b] for a, b in steps if (q + a, r + b) in number))
            for q, r in points
        ),
        symmetries=symmetries,
        axial=points,
        index={label: index for index, label in enumerate(labels)},
    )
