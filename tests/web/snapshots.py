"""Compares pictures of the page with those in the tree, so that fonts of other machines pass.

Machines draw the edges of letters in different ways: both pictures are shrunk until a line of text
is a grey stripe. The font is the same everywhere. ``make snapshots`` renews those in the tree.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Final

import attrs
from PIL import Image, ImageChops

FOLDER: Final = Path(__file__).with_name("screenshots")
FAILED: Final = Path(__file__).parents[2] / "build" / "snapshots"
"""Where a failure leaves the picture expected, the one found, and their difference."""

RENEW: Final = "YODDD_RENEW_SNAPSHOTS"
"""The environment variable with which the pictures are written and not compared."""

_HALF: Final = 2
"""The pictures in the tree are half as wide and high as the page."""

_SHRINK: Final = 5
_FAR: Final = 32
"""A pixel of the shrunken pictures differs if one of its colours differs by more, of 255."""


@attrs.frozen
class Difference:
    """The difference of two pictures.

    Attributes:
        share: of the shrunken pixels that differ, at most 1.
        mean: of the differences of all colours, of 255.
    """

    share: float
    mean: float

    @property
    def is_tolerable(self) -> bool:
        """Whether the rendering of letters alone may be the cause.

        Other hinting makes 0.2 in the mean, another font 1.8, another accent colour 0.6.
        """
        return self.share <= 0.003 and self.mean <= 0.4


def difference(one: Image.Image, two: Image.Image) -> Difference:
    """Compare two pictures; of another size they differ everywhere."""
    if one.size != two.size:
        return Difference(1.0, 255.0)
    small = [picture.convert("RGB").reduce(_SHRINK) for picture in (one, two)]
    bands = ImageChops.difference(*small).split()
    worst = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2]).histogram()
    pixels = sum(worst)
    totals = [sum(value * count for value, count in enumerate(band.histogram())) for band in bands]
    return Difference(sum(worst[_FAR + 1 :]) / pixels, sum(totals) / (len(totals) * pixels))


def check(name: str, taken: bytes) -> None:
    """Compare a screenshot with the picture of this name in the tree, or write that one.

    Raises:
        AssertionError: they differ, or there is none; the text says where the pictures are.
    """
    found = Image.open(io.BytesIO(taken)).convert("RGB").reduce(_HALF)
    path = FOLDER / f"{name}.png"
    if os.environ.get(RENEW):
        FOLDER.mkdir(exist_ok=True)
        found.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
        return
    with Image.open(path) as picture:
        expected = picture.convert("RGB")
    apart = difference(expected, found)
    if not apart.is_tolerable:
        left = leave(name, expected, found)
        raise AssertionError(
            f"{name} looks different: {apart.share:.1%} of its area, {apart.mean:.1f} in the mean; "
            f"see {left}, and run `make snapshots` if that is meant"
        )


def leave(name: str, expected: Image.Image, found: Image.Image) -> Path:
    """Write both pictures and their difference beside each other; return the path."""
    pictures = [expected, found]
    if expected.size == found.size:
        pictures.append(
            ImageChops.difference(expected, found).point(lambda value: min(255, value * 4))
        )
    sheet = Image.new(
        "RGB", (sum(one.width for one in pictures), max(one.height for one in pictures))
    )
    left = 0
    for one in pictures:
        sheet.paste(one, (left, 0))
        left += one.width
    FAILED.mkdir(parents=True, exist_ok=True)
    path = FAILED / f"{name}.png"
    sheet.save(path)
    return path
