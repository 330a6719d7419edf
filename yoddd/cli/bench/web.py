"""The size of the web board."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from yoddd.cli.bench.measure import Figure
from yoddd.daemon.pages.site import load_assets


def gzipped_size() -> int:
    """Bytes that a browser without a cache loads for the board, compressed as they are sent."""
    assets = load_assets()
    page = assets["index.html"]
    linked = re.findall(r'(?:href|src)="([^"#]+\.(?:css|js|svg))"', page.content.decode())
    return sum(len(one.packed) for one in (page, *map(assets.__getitem__, linked)))


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    "web.gzipped": lambda: Figure("web.gzipped", gzipped_size(), "bytes"),
}
