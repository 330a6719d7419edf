"""Searchers that are kept between two turns of a game, with their memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from yoddd.engine.searcher import Searcher

PLACES: Final = 8
"""The most searchers that are kept: each may hold a whole tree in memory."""


class Shelf:
    """Idle searchers by owner; beyond the limit the one unused for longest is dropped.

    A searcher is taken off the shelf while it searches, so that only one search uses it.
    """

    def __init__(self, places: int = PLACES) -> None:
        """An empty shelf for at most ``places`` searchers."""
        self._places = places
        self._kept: OrderedDict[object, Searcher] = OrderedDict()

    def __len__(self) -> int:
        """The number of searchers that are kept."""
        return len(self._kept)

    def take(self, owner: object, name: str) -> Searcher | None:
        """Remove the searcher kept for ``owner``; return it, or None if its name differs."""
        found = self._kept.pop(owner, None)
        return found if found is not None and found.name == name else None

    def put(self, owner: object, searcher: Searcher) -> None:
        """Keep a searcher for ``owner``."""
        self._kept[owner] = searcher
        self._kept.move_to_end(owner)
        while len(self._kept) > self._places:
            self._kept.popitem(last=False)

    def drop(self, owner: object) -> None:
        """Drop the searcher kept for ``owner``."""
        self._kept.pop(owner, None)
