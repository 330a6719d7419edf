"""Letters and digits as strokes, so that a picture looks the same without installed fonts.

They are single lines with round ends, drawn for this program. Digits are 10 units high, small
letters stand on the same base line and are 7 high, with ascenders and descenders.
"""

from __future__ import annotations

from typing import Final

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
