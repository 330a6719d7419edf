"""Pictures as PNG files: resvg renders them (extra ``png``)."""

from __future__ import annotations

from typing import Final

from yoddd.extras import needs_extra

PURPOSE: Final = "PNG, GIF and APNG files"
"""What needs the extra, in words."""


def png(picture: str) -> bytes:
    """An SVG as a PNG file's content.

    Raises:
        ExtraMissing: the extra is not installed.
    """
    with needs_extra(PURPOSE, "png"):
        import resvg_py
    return bytes(resvg_py.svg_to_bytes(svg_string=picture))
