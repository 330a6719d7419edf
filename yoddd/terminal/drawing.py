"""The board in colours, for a terminal: two sizes, drawn as rich text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs
from rich.style import Style
from rich.text import Text

from yoddd.board import Geometry, Shape
from yoddd.rules import Colour, PositionLike, Stone

BLACK: Final = "#101416"
WHITE: Final = "#fbfcfb"
_INK: Final[Mapping[Colour, str]] = {Colour.BLACK: BLACK, Colour.WHITE: WHITE}

_TILE: Final = ("#7f9b91", "#86a298", "#789489")
_FITS: Final = ("#b7e3cf", "#c0ebd8", "#aedbc6")
_MISFIT: Final = ("#5d7770", "#647e77", "#577069")
"""Neighbouring cells differ slightly, so that no lines are needed between them."""
_LAST: Final = "#5fb3c9"
_PENDING: Final = "#e0b352"
_CURSOR: Final = "#f0d36b"
_LABEL: Final = "bright_black"


@attrs.frozen
class Look:
    """The marks that are drawn in addition to the stones on the board.

    Attributes:
        pending: stones of the turn in the making.
        last: the cells of the last turn.
        fits: the stones that may come next.
        shade: whether cells are shaded by what fits: those that complete a turn, or, where no
            stone is down yet, those where no turn can begin.
        cursor: the cell under the cursor.
    """

    pending: tuple[Stone, ...] = ()
    last: frozenset[int] = frozenset()
    fits: frozenset[Stone] = frozenset()
    shade: bool = False
    cursor: int | None = None


@attrs.frozen
class Scale:
    """The size of a cell.

    Attributes:
        width: columns, even: rows of a hexhex board are shifted by half a cell.
        height: lines.
        stone: the lines of a stone.
        pip: the sign of a colour that completes the turn.
    """

    width: int
    height: int
    stone: tuple[str, ...]
    pip: str


SMALL: Final = Scale(2, 1, ("● ",), "•")
LARGE: Final = Scale(4, 2, ("▗██▖", "▝██▘"), "●")
SCALES: Final = (LARGE, SMALL)
_MARGIN: Final = 3
"""Columns on the left for the names of the rows, and on the right for their lengths."""


@attrs.frozen
class Frame:
    """The layout of a board's cells in a terminal.

    Attributes:
        geometry: the board.
        scale: the size of a cell.
    """

    geometry: Geometry
    scale: Scale

    @property
    def width(self) -> int:
        """The number of columns of the terminal that the board takes."""
        longest = max(len(row) for row in self.geometry.rows)
        return longest * self.scale.width + 2 * _MARGIN

    @property
    def height(self) -> int:
        """The number of lines of the terminal that the board takes."""
        footer = self.geometry.shape is Shape.SQUARE
        return len(self.geometry.rows) * self.scale.height + footer

    def indent(self, row: tuple[int, ...]) -> int:
        """Columns before the first cell of a row."""
        longest = max(len(other) for other in self.geometry.rows)
        return _MARGIN + (longest - len(row)) * self.scale.width // 2

    def cell_at(self, column: int, line: int) -> int | None:
        """The cell at a column and line of the terminal; None outside the board."""
        rows = self.geometry.rows
        number = len(rows) - 1 - line // self.scale.height
        if line < 0 or not 0 <= number < len(rows):
            return None
        row = rows[number]
        step = (column - self.indent(row)) // self.scale.width
        return row[step] if 0 <= step < len(row) else None


def fitting_frame(geometry: Geometry, width: int, height: int) -> Frame:
    """The largest frame that fits into ``width`` columns and ``height`` lines, or the smallest."""
    frames = [Frame(geometry, scale) for scale in SCALES]
    fitting = (f for f in frames if f.width <= width and f.height <= height)
    return next(fitting, frames[-1])


def draw(frame: Frame, position: PositionLike, look: Look) -> Text:
    """The board with its coordinates; `Frame.height` lines."""
    lines: list[Text] = []
    for row in reversed(frame.geometry.rows):
        lines += _row(frame, row, position, look)
    if frame.geometry.shape is Shape.SQUARE:
        half = frame.scale.width // 2
        names = (frame.geometry.labels[cell][0] for cell in frame.geometry.rows[0])
        text = "".join(f"{' ' * (half - 1)}{name}{' ' * half}" for name in names)
        lines.append(Text.assemble((" " * _MARGIN + text, _LABEL)))
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def _row(frame: Frame, row: tuple[int, ...], position: PositionLike, look: Look) -> Iterable[Text]:
    blocks = [_block(frame, cell, position, look) for cell in row]
    label = frame.geometry.labels[row[0]]
    square = frame.geometry.shape is Shape.SQUARE
    name, end = (label[1:], "") if square else (label[0], str(len(row)))
    for line in range(frame.scale.height):
        last = line == frame.scale.height - 1
        yield Text.assemble(
            (f"{name if last else '':>{frame.indent(row) - 1}} ", _LABEL),
            *(block[line] for block in blocks),
            (f" {end:<{_MARGIN - 1}}" if last else "", _LABEL),
        )


def _block(frame: Frame, cell: int, position: PositionLike, look: Look) -> list[Text]:
    """The lines of one cell."""
    ground = Style(bgcolor=_ground(frame.geometry, cell, position, look))
    pending = {stone.cell: stone.colour for stone in look.pending}
    colour = pending.get(cell, position.cells[cell])
    if colour is not None:
        ink = ground + Style(color=_INK[colour])
        return [Text(line, ink) for line in frame.scale.stone]
    blank = [Text(" " * frame.scale.width, ground) for _ in range(frame.scale.height)]
    if look.shade:
        blank[-1] = _pips(frame, cell, position, look, ground)
    return blank


def _ground(geometry: Geometry, cell: int, position: PositionLike, look: Look) -> str:
    if cell == look.cursor:
        return _CURSOR
    if any(stone.cell == cell for stone in look.pending):
        return _PENDING
    if cell in look.last:
        return _LAST
    tones = _TILE
    if look.shade and position.cells[cell] is None:
        fits = any(Stone(colour, cell) in look.fits for colour in Colour)
        tones = (_FITS if look.pending else _TILE) if fits else _MISFIT
    q, r = geometry.axial[cell]
    return tones[(q - r) % 3]


def _pips(frame: Frame, cell: int, position: PositionLike, look: Look, ground: Style) -> Text:
    """Dots of the colours that complete the turn, or crosses of those that begin none."""
    margin = " " * ((frame.scale.width - 2) // 2)
    pips = []
    for colour in Colour:
        fits = Stone(colour, cell) in look.fits
        allowed = not position.rules.only_own or colour is position.player
        sign = (
            (frame.scale.pip if fits else " ")
            if look.pending
            else (" " if fits or not allowed else "✗")
        )
        pips.append((sign, ground + Style(color=_INK[colour])))
    return Text.assemble((margin, ground), *pips, (margin, ground))
