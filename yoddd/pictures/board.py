"""One position as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from yoddd.board import Geometry
from yoddd.notation import format_turn
from yoddd.pictures import glyphs
from yoddd.pictures.layout import Spot, layout
from yoddd.pictures.style import PLAIN, Coordinates, StoneLook, Style
from yoddd.rules import Colour, Group, PositionLike, Turn

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
        return glyphs.text(words, *spot, height * self._unit, colour, weight)
