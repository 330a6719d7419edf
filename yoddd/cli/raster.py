"""Pictures in pixels: resvg draws them, Pillow puts them into one file (extra ``png``)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from yoddd.pictures import Style, draw
from yoddd.rules import Position, Turn

MOVING: Final = (".gif", ".apng")
"""The suffixes of files with several frames; a viewer that knows no APNG shows its last one."""

_NEEDED: Final = "pixels need: pip install 'yoddd[png]'"
_REST: Final = 3
"""The final position stays for so many turns' time, as in the SVG that moves."""


def png(picture: str) -> bytes:
    """An SVG as a PNG file's content.

    Raises:
        ClickException: the extra is not installed.
    """
    try:
        import resvg_py  # noqa: PLC0415 — an extra that only this needs
    except ImportError:
        raise click.ClickException(_NEEDED) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=picture))


def write_film(
    out: Path, start: Position, turns: tuple[Turn, ...], style: Style, seconds: float = 1.0
) -> None:
    """A game as a GIF or APNG that plays for ever.

    Args:
        out: where; the suffix is one of `MOVING`.
        start: the position before the first turn; it is played on.
        turns: legal one after the other.
        style: of the boards; groups may be numbered.
        seconds: for each turn.

    Raises:
        ClickException: the extra is not installed.
    """
    try:
        from PIL import Image  # noqa: PLC0415 — an extra that only this needs
    except ImportError:
        raise click.ClickException(_NEEDED) from None
    frames = [
        Image.open(io.BytesIO(png(picture))).convert("RGB")
        for picture in _pictures(start, turns, style)
    ]
    each = round(1000 * seconds)
    first, *rest = frames
    first.save(
        out,
        format="GIF" if out.suffix == ".gif" else "PNG",
        save_all=True,
        append_images=rest,
        duration=[*[each] * len(rest), each * _REST],
        loop=0,
    )


def _pictures(start: Position, turns: tuple[Turn, ...], style: Style) -> Iterator[str]:
    yield draw(start, style=style)
    for turn in turns:
        start.play(turn)
        yield draw(start, style=style)
