"""PNG files that are drawn in processes of their own, as resvg holds the interpreter meanwhile."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Final

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.threads import deferToThread

from yoddd.daemon.base.reactor_share import current_share

MOST_WAITING: Final = 16
"""Pictures that wait for the one that is drawn, at most."""

KEPT: Final = 64
"""Images that are kept; each has some 80 kB."""

_SCRIPT: Final = str(Path(__file__).with_name("draw_png.py"))
_PATIENCE: Final = 10.0
"""Seconds after which a process is killed that draws."""


class RasterizeError(Exception):
    """A picture cannot be drawn now; the text says why."""


class Rasterizer:
    """Draws one picture at a time, for all clients together.

    The time is charged to the address whose request is served.
    """

    def __init__(self) -> None:
        """Create it without images."""
        # Held while a picture is drawn.
        self._drawing = DeferredLock()
        # The latest images by the digest of their SVG, the least recently used first.
        self._images: OrderedDict[bytes, bytes] = OrderedDict()

    async def png(self, picture: str) -> bytes:
        """Return an SVG as a PNG file's content.

        Raises:
            RasterizeError: too many pictures wait, or the process failed.
        """
        key = hashlib.sha256(picture.encode()).digest()
        if key not in self._images:
            if len(self._drawing.waiting) >= MOST_WAITING:
                raise RasterizeError("too many images are wanted at once")
            drawn: Deferred[tuple[bytes, float]] = self._drawing.run(deferToThread, _draw, picture)
            image, seconds = await drawn
            share = current_share()
            if share is not None:
                share.charge(seconds)
            self._images[key] = image
        self._images.move_to_end(key)
        while len(self._images) > KEPT:
            self._images.popitem(last=False)
        return self._images[key]


def _draw(picture: str) -> tuple[bytes, float]:
    """The image, and the seconds of the processor that it took."""
    try:
        # Without the folder of the script, whose modules would hide those of other packages.
        done = subprocess.run(
            [sys.executable, "-P", _SCRIPT],
            input=picture.encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RasterizeError("the image could not be drawn") from error
    seconds, _, image = done.stdout.partition(b"\n")
    return image, float(seconds)
