"""The size of the web board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Final

from yoddd.cli.bench.measure import Figure
from yoddd.daemon.pages.site import load_assets


def gzipped_size() -> int:
    """Bytes of all files of the web board, each compressed as it is sent."""
    return sum(len(asset.packed) for asset in load_assets(files("yoddd") / "web").values())


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    "web.gzipped": lambda: Figure("web.gzipped", gzipped_size(), "bytes"),
}
