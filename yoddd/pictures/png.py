"""Pictures as PNG files: resvg renders them (extra ``png``)."""

from __future__ import annotations

from yoddd.extras import needs_extra


def png(picture: str) -> bytes:
    """An SVG as a PNG file's content.

    Raises:
        ExtraMissing: the extra is not installed.
    """
    with needs_extra("PNG files", "png"):
        import resvg_py
    return bytes(resvg_py.svg_to_bytes(svg_string=picture))
