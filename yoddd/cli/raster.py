"""PNG, GIF and APNG files: resvg renders the pictures, Pillow animates them (extra ``png``)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from yoddd.extras import needs_extra
from yoddd.pictures.png import PURPOSE, png
from yoddd.rules import PositionLike, Turn

if TYPE_CHECKING:
    from yoddd.pictures import Style

MOVING: Final = (".gif", ".apng")
"""Suffixes of animated files."""

_FINAL_TURNS: Final = 3
"""Turns for whose time the final position is shown, as in an animated SVG."""


def write_picture(out: Path, picture: str) -> None:
    """Write an SVG, as a PNG file where the name ends so.

    Raises:
        UsageError: the name has another suffix.
        ClickException: the extra is not installed.
    """
    if out.suffix == ".svg":
        out.write_text(picture, encoding="utf-8")
    elif out.suffix == ".png":
        out.write_bytes(png(picture))
    else:
        raise click.UsageError(f"{out}: expected a name that ends in .svg or .png")


def write_animation(
    out: Path, start: PositionLike, turns: tuple[Turn, ...], style: Style, seconds: float = 1.0
) -> None:
    """Write a game as a GIF or APNG in a loop.

    Args:
        out: where; the suffix is one of `MOVING`.
        start: the position before the first turn; it is changed.
        turns: legal one after the other.
        style: of the pictures.
        seconds: for each turn.

    Raises:
        ExtraMissing: the extra is not installed.
    """
    with needs_extra(PURPOSE, "png"):
        from PIL import Image
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
        duration=[*[each] * len(rest), each * _FINAL_TURNS],
        loop=0,
    )


def _pictures(start: PositionLike, turns: tuple[Turn, ...], style: Style) -> Iterator[str]:
    from yoddd.pictures import draw

    yield draw(start, style=style)
    for turn in turns:
        start.play(turn)
        yield draw(start, style=style)
