"""One position as SVG, and an SVG as PNG.

Letters and digits are strokes, so that a picture looks the same without installed fonts: single
lines with round ends, drawn for this program. Digits are 10 units high; small letters stand on the
same base line and are 7 high, with ascenders and descenders. resvg makes the PNG (extra ``png``).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

import attrs

from yoddd.board import Geometry, Shape
from yoddd.extras import needs_extra
from yoddd.notation import format_turn
from yoddd.pictures.style import PLAIN, Coordinates, StoneLook, Style
from yoddd.rules import Colour, Group, PositionLike, Turn

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


HEIGHT: Final = 10.0
"""From the top of a digit to the base line."""

_GAP: Final = 2.6
_BOWL: Final = "M6 6.5A3 3.5 0 1 1 0 6.5A3 3.5 0 1 1 6 6.5Z"

_GLYPHS: Final = {
    "-": (4.4, "M0 5.4H4.4"),
    "0": (6.0, "M3 0A3 5 0 0 1 3 10A3 5 0 0 1 3 0Z"),
    "1": (2.6, "M0 2L2.6 0V10"),
    "2": (6.0, "M.2 2.6A2.8 2.8 0 1 1 5.3 4.4L0 10H6"),
    "3": (5.6, "M.3 1.6A2.6 2.5 0 1 1 2.6 4.8H2.1M2.6 4.8A2.9 2.6 0 1 1 0 8.6"),
    "4": (6.0, "M4.4 10V0L0 7H6"),
    "5": (5.8, "M5.3 0H1.1L.6 4.6A3 3.1 0 1 1 0 8.6"),
    "6": (6.0, "M4.9 .2C2.3 .9 0 3.2 0 6.8A3 3.2 0 1 0 6 6.8A3 3.2 0 1 0 0 6.8"),
    "7": (5.8, "M0 0H5.8L2.1 10"),
    "8": (
        6.0,
        "M3 0A2.5 2.35 0 1 1 3 4.7A2.5 2.35 0 1 1 3 0ZM3 4.7A3 2.65 0 1 1 3 10A3 2.65 0 1 1 3 4.7Z",
    ),
    "9": (6.0, "M1.1 9.8C3.7 9.1 6 6.8 6 3.2A3 3.2 0 1 0 0 3.2A3 3.2 0 1 0 6 3.2"),
    "a": (6.0, _BOWL + "M6 3V10"),
    "b": (6.0, _BOWL + "M0 0V10"),
    "c": (5.4, "M5.4 4.4A3 3.5 0 1 0 5.4 8.6"),
    "d": (6.0, _BOWL + "M6 0V10"),
    "e": (6.0, "M0 6.5H6A3 3.5 0 1 0 5.1 9"),
    "f": (4.2, "M4.2 .3A2.3 2.3 0 0 0 1.6 2.6V10M0 3.6H3.8"),
    "g": (6.0, _BOWL + "M6 3V10.4A3 2.7 0 0 1 .6 12"),
    "h": (5.5, "M0 0V10M0 5.9A2.75 2.9 0 0 1 5.5 5.9V10"),
    "i": (0.0, "M0 3V10M0 .2V.3"),
    "j": (1.7, "M1.7 3V11A2 2 0 0 1 0 13M1.7 .2V.3"),
    "k": (5.0, "M0 0V10M4.7 3L0 7.3M1.8 5.7L5 10"),
    "l": (1.6, "M0 0V8.4A1.6 1.6 0 0 0 1.6 10"),
    "m": (8.4, "M0 3V10M0 5.3A2.1 2.3 0 0 1 4.2 5.3V10M4.2 5.3A2.1 2.3 0 0 1 8.4 5.3V10"),
    "n": (5.5, "M0 3V10M0 5.9A2.75 2.9 0 0 1 5.5 5.9V10"),
    "o": (6.0, _BOWL),
    "p": (6.0, _BOWL + "M0 3V13"),
    "q": (6.0, _BOWL + "M6 3V13"),
    "r": (3.4, "M0 3V10M0 6.2A3 3.1 0 0 1 3.4 3.2"),
    "s": (
        5.0,
        (
            "M4.8 4.3C4.3 3.4 3.4 3 2.5 3C1.2 3 .3 3.7 .3 4.8"
            "C.3 7.3 5 5.7 5 8.2C5 9.3 3.9 10 2.5 10C1.4 10 .5 9.6 0 8.7"
        ),
    ),
    "t": (4.0, "M1.6 .8V7.8A2.1 2.1 0 0 0 4 9.9M0 3.2H3.8"),
    "u": (5.5, "M0 3V7.1A2.75 2.9 0 0 0 5.5 7.1M5.5 3V10"),
    "v": (5.6, "M0 3L2.8 10L5.6 3"),
    "w": (8.4, "M0 3L2 10L4.2 3.6L6.4 10L8.4 3"),
    "x": (5.2, "M0 3L5.2 10M5.2 3L0 10"),
    "y": (5.8, "M0 3L2.9 10M5.8 3L2.4 11.5Q1.7 13 .2 12.9"),
    "A": (7.2, "M0 10L3.6 0L7.2 10M1.3 6.6H5.9"),
    "B": (5.8, "M0 0H2.8A2.3 2.3 0 0 1 2.8 4.7H0ZM0 4.7H3.1A2.6 2.65 0 0 1 3.1 10H0Z"),
    "C": (6.8, "M6.8 2.4A4 5 0 1 0 6.8 7.6"),
    "D": (6.6, "M0 0H2.4A4.2 5 0 0 1 2.4 10H0Z"),
}


def text(words: str, x: float, y: float, height: float, colour: str, weight: float = 1.25) -> str:
    """An SVG element with ``words`` centred on a point.

    Args:
        words: letters, digits and minus signs.
        x: of the centre.
        y: of the centre, by the height of a digit.
        height: of a digit.
        colour: of the strokes.
        weight: of the strokes, in tenths of the height.

    Raises:
        KeyError: a character has no strokes.
    """
    scale = height / HEIGHT
    widths = [_GLYPHS[sign][0] for sign in words]
    left = x - scale * (sum(widths) + _GAP * (len(words) - 1)) / 2
    # Small letters look centred by the middle of their own height.
    top = y - scale * (HEIGHT + (1.6 if words.isalpha() and words.islower() else 0)) / 2
    parts = []
    at = 0.0
    for sign, width in zip(words, widths, strict=True):
        move = f' transform="translate({at:g})"' if at else ""
        parts.append(f'<path{move} d="{_GLYPHS[sign][1]}"/>')
        at += width + _GAP
    return (
        f'<g transform="translate({left:.2f} {top:.2f}) scale({scale:.4g})" fill="none"'
        f' stroke="{colour}" stroke-width="{weight:g}" stroke-linecap="round"'
        f' stroke-linejoin="round">{"".join(parts)}</g>'
    )


def signs() -> frozenset[str]:
    """The characters that `text` can write."""
    return frozenset(_GLYPHS)


_STONE: Final = 0.4
"""Radius of a stone, in cells."""
_DISC: Final = 0.16
"""Radius of the disc of a stone that wins, in cells."""
_STEP: Final = 0.4
"""From one such disc to the next, in cells."""
_BOND: Final = 0.3
"""Width of the bond between two stones of a group, in cells."""
_EDGE: Final = 0.05
_MARGIN: Final = 0.3
_FRAME: Final = 0.62
"""Space for a label on each side, in cells."""


def draw(position: PositionLike, last: Turn | None = None, style: Style = PLAIN) -> str:
    """The position as an SVG document.

    Bonds between neighbouring stones of a colour make the groups visible.

    Args:
        position: the position to show.
        last: the turn whose stones are marked; None for the last one played.
        style: colours and labels.
    """
    if last is None and position.history:
        last = position.history[-1]
    canvas = Canvas(position.rules.geometry, style)
    cells = position.cells
    parts = [
        *canvas.ground(),
        *canvas.wins(),
        *canvas.coordinates(cells),
        *canvas.bonds(cells),
        *(canvas.stone(cell, colour) for cell, colour in enumerate(cells) if colour is not None),
        *(canvas.last_mark(stone.cell) for stone in (last.stones if last else ())),
        *(canvas.number(group, n) for group, n in _numbered(position) if style.groups),
        *(canvas.mark(cell, letter, cells[cell]) for cell, letter in style.marks.items()),
    ]
    return canvas.document(_title(position, last), parts)


def _title(position: PositionLike, last: Turn | None) -> str:
    black, white = position.count()
    rules = position.rules
    played = f", last turn {format_turn(last, rules)}" if last else ""
    where = f"{rules.game.title} on {rules.geometry.name}"
    return f"{where}: {black} black and {white} white groups{played}"


def _numbered(position: PositionLike) -> Iterator[tuple[Group, int]]:
    counts = dict.fromkeys(Colour, 0)
    for group in position.groups():
        counts[group.colour] += 1
        yield group, counts[group.colour]


class Canvas:
    """Draws the parts of one board; each method returns SVG elements as text."""

    def __init__(self, geometry: Geometry, style: Style) -> None:
        self._geometry = geometry
        self._style = style
        self._theme = style.theme
        self._layout = layout(geometry)
        self._unit = style.cell

    def spot(self, cell: int) -> Spot:
        """The centre of a cell in pixels."""
        x, y = self._layout.spots[cell]
        return x * self._unit, y * self._unit

    def document(self, title: str, parts: list[str]) -> str:
        """A whole SVG document."""
        title = escape(title)
        frame = _FRAME if self._style.coordinates is Coordinates.EDGE else _MARGIN
        left, top, right, bottom = (edge * self._unit for edge in self._layout.box)
        pad = frame * self._unit
        x, y, width, height = left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="{x:.2f} {y:.2f} {width:.2f} {height:.2f}" role="img"'
            f' aria-label="{title}"><title>{title}</title>'
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
            f' rx="{0.25 * self._unit:g}" fill="{self._theme.background}"/>{"".join(parts)}</svg>\n'
        )

    def ground(self) -> Iterator[str]:
        """The empty cells."""
        yield self._cells(range(self._geometry.cells), self._theme.cell)

    def wins(self) -> Iterator[str]:
        """The tint of the cells where a stone wins, and a disc for each colour of such a stone."""
        wins = self._style.wins
        if wins:
            yield self._cells(wins, self._theme.win)
        for cell, colours in wins.items():
            left, top = self.spot(cell)
            first = left - _STEP * self._unit * (len(colours) - 1) / 2
            for at, colour in enumerate(sorted(colours)):
                look = self._theme.stones[colour]
                spot = first + at * _STEP * self._unit, top
                yield self._disc(spot, _DISC, look.fill, look.edge, _EDGE)

    def _cells(self, cells: Iterable[int], fill: str) -> str:
        path = "".join(self._cell_path(cell) for cell in cells)
        return (
            f'<path d="{path}" fill="{fill}" stroke="{self._theme.line}"'
            f' stroke-width="{0.035 * self._unit:g}" stroke-linejoin="round"/>'
        )

    def _cell_path(self, cell: int) -> str:
        x, y = self.spot(cell)
        corners = [(x + a * self._unit, y + b * self._unit) for a, b in self._layout.outline]
        return "M" + "L".join(f"{a:.2f} {b:.2f}" for a, b in corners) + "Z"

    def coordinates(self, cells: tuple[Colour | None, ...]) -> Iterator[str]:
        """The names of cells, placed as the style says."""
        if self._style.coordinates is Coordinates.EDGE:
            for name, (x, y) in self._layout.labels:
                yield self._text(name, (x * self._unit, y * self._unit), 0.28, self._theme.label)
        elif self._style.coordinates is Coordinates.CELLS:
            for cell, content in enumerate(cells):
                if content is None and cell not in self._style.marks:
                    name = self._geometry.labels[cell]
                    yield self._text(name, self.spot(cell), 0.22, self._theme.label)

    def bonds(self, cells: tuple[Colour | None, ...]) -> Iterator[str]:
        """The bonds between neighbouring stones of a colour."""
        for colour in Colour:
            pairs = [
                (one, other)
                for one, content in enumerate(cells)
                if content is colour
                for other in self._geometry.neighbours[one]
                if other > one and cells[other] is colour
            ]
            if pairs:
                yield self._tie(pairs, self._theme.stones[colour])

    def _tie(self, pairs: list[tuple[int, int]], look: StoneLook) -> str:
        path = "".join(
            "M{:.2f} {:.2f}L{:.2f} {:.2f}".format(*self.spot(one), *self.spot(other))
            for one, other in pairs
        )
        outer, inner = (_BOND + _EDGE) * self._unit, (_BOND - _EDGE) * self._unit
        return (
            f'<path d="{path}" stroke="{look.edge}" stroke-width="{outer:g}"/>'
            f'<path d="{path}" stroke="{look.fill}" stroke-width="{inner:g}"/>'
        )

    def stone(self, cell: int, colour: Colour) -> str:
        """One stone."""
        look = self._theme.stones[colour]
        disc = self._circle(cell, _STONE, look.fill, look.edge, _EDGE)
        return disc + (self._pattern(cell, colour, look) if self._theme.patterned else "")

    def _pattern(self, cell: int, colour: Colour, look: StoneLook) -> str:
        if colour is Colour.WHITE:
            return self._circle(cell, _STONE * 0.58, "none", look.ink, _EDGE)
        x, y = self.spot(cell)
        path = ""
        for height in (-0.4, 0.0, 0.4):
            half = _STONE * self._unit * (0.78 - abs(height) * 0.35)
            path += f"M{x - half:.2f} {y + height * _STONE * self._unit:.2f}h{2 * half:.2f}"
        return f'<path d="{path}" stroke="{look.ink}" stroke-width="{_EDGE * self._unit:g}"/>'

    def _circle(self, cell: int, radius: float, fill: str, edge: str, width: float) -> str:
        return self._disc(self.spot(cell), radius, fill, edge, width)

    def _disc(self, spot: Spot, radius: float, fill: str, edge: str, width: float) -> str:
        x, y = spot
        return (
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius * self._unit:g}" fill="{fill}"'
            f' stroke="{edge}" stroke-width="{width * self._unit:g}"/>'
        )

    def last_mark(self, cell: int) -> str:
        """The ring around a stone of the last turn."""
        return self._circle(cell, _STONE + 0.01, "none", self._theme.accent, 0.09)

    def number(self, group: Group, number: int) -> str:
        """The number of a group, on the stone nearest to its middle."""
        spots = [self.spot(cell) for cell in group.cells]
        middle = [sum(values) / len(spots) for values in zip(*spots, strict=True)]
        spot = min(spots, key=lambda s: (s[0] - middle[0]) ** 2 + (s[1] - middle[1]) ** 2)
        look = self._theme.stones[group.colour]
        plate = ""
        if self._theme.patterned:
            radius = _STONE * 0.9 * self._unit
            plate = (
                f'<circle cx="{spot[0]:.2f}" cy="{spot[1]:.2f}" r="{radius:g}" fill="{look.fill}"/>'
            )
        return plate + self._text(str(number), spot, 0.34, look.ink, 1.5)

    def mark(self, cell: int, letter: str, content: Colour | None) -> str:
        """A letter or a number that a text refers to."""
        colour = self._theme.accent if content is None else self._theme.stones[content].ink
        return self._text(letter, self.spot(cell), 0.36, colour, 1.7)

    def _text(
        self, words: str, spot: Spot, height: float, colour: str, weight: float = 1.25
    ) -> str:
        return text(words, *spot, height * self._unit, colour, weight)


def png(picture: str) -> bytes:
    """An SVG as a PNG file's content.

    Raises:
        ExtraMissing: the extra is not installed.
    """
    with needs_extra("PNG files", "png"):
        import resvg_py
    return bytes(resvg_py.svg_to_bytes(svg_string=picture))
