"""Compares pictures of the page with those in the tree, so that fonts of other machines pass.

Letters differ from machine to machine, areas do not: both pictures are shrunk until a line of text
is a grey stripe. ``make snapshots`` renews those in the tree.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Final

import attrs
from PIL import Image, ImageChops

FOLDER: Final = Path(__file__).with_name("snapshots")
FAILED: Final = Path(__file__).parents[2] / "build" / "snapshots"
"""Where a failure leaves the picture expected, the one found, and their difference."""

RENEW: Final = "YODDD_RENEW_SNAPSHOTS"
"""The environment variable with which the pictures are written and not compared."""

_SHRINK: Final = 10
_FAR: Final = 32
"""A pixel of the shrunken pictures differs if one of its colours differs by more, of 255."""

_COLOURS: Final = 128


@attrs.frozen
class Difference:
    """How far two pictures of one size differ.

    Attributes:
        share: of the shrunken pixels that differ, at most 1.
        mean: of the differences of all colours, of 255.
    """

    share: float
    mean: float

    @property
    def is_tolerable(self) -> bool:
        """Whether letters alone may be the cause."""
        return self.share <= 0.015 and self.mean <= 2.5


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
    found = Image.open(io.BytesIO(taken)).convert("RGB")
    path = FOLDER / f"{name}.png"
    if os.environ.get(RENEW):
        FOLDER.mkdir(exist_ok=True)
        found.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
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
