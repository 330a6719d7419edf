"""A board in the middle of a picture of another shape, for previews and icons."""

from __future__ import annotations

import re
from typing import Final

from yoddd.pictures import THEMES, Coordinates, Style, draw
from yoddd.rules import PositionLike

_EXTENT: Final = re.compile(r'width="[^"]*" height="[^"]*"')


def framed(position: PositionLike, width: int, height: int, *, side: int) -> str:
    """Return an SVG of ``width`` by ``height`` pixels, with a board in its middle."""
    theme = THEMES["light"]
    board = draw(position, style=Style(theme=theme, coordinates=Coordinates.NONE))
    x, y = (width - side) // 2, (height - side) // 2
    place = f'x="{x}" y="{y}" width="{side}" height="{side}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<rect width="{width}" height="{height}" fill="{theme.background}"/>'
        f"{_EXTENT.sub(place, board, count=1)}</svg>"
    )
