"""Replaces what costs most of the time of a start, and the memory of the process."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.simulation.world import SimulatedWorld
from yoddd.daemon import lifecycle
from yoddd.daemon.base import journal
from yoddd.daemon.connections import memory_guard
from yoddd.daemon.pages import site
from yoddd.store import database, store

_NOW: list[SimulatedWorld] = []


def enter(world: SimulatedWorld) -> None:
    """Let the memory be that of the daemon of this world."""
    _NOW[:] = [world]


_NEW: list[tuple[Any, str, Any]] = [
    (memory_guard, "resident", lambda: 2**60 if _NOW[0].is_short_of_memory else 0),
    (lifecycle, "_spare_collections", lambda: None),
    (site, "load_assets", functools.cache(site.load_assets)),
    (database, "_head", functools.cache(database._head)),
    (store, "connect", functools.cache(database.connect)),
    (journal, "migrate", lambda *_: None),
    (journal, "make_private", lambda _url: None),
]


@contextmanager
def replaced() -> Iterator[None]:
    """Replace it for a while: other tests of the process need it."""
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in _NEW]
    for owner, name, new in _NEW:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, old in kept:
            setattr(owner, name, old)
