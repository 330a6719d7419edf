"""Searchers that are kept between two turns of a game, with their memory."""

from __future__ import annotations

from yoddd.engine.searcher import Searcher


class Shelf:
    """Idle searchers by owner; `TreeMemory` limits what they keep.

    A searcher is taken off the shelf while it searches, so that only one search uses it.
    """

    def __init__(self) -> None:
        """Create an empty shelf."""
        self._kept: dict[object, Searcher] = {}

    def __len__(self) -> int:
        """Return the number of searchers that are kept."""
        return len(self._kept)

    def take(self, owner: object, name: str) -> Searcher | None:
        """Remove the searcher kept for ``owner``; return it, or None if its name differs."""
        found = self._kept.pop(owner, None)
        return found if found is not None and found.name == name else None

    def put(self, owner: object, searcher: Searcher) -> None:
        """Keep a searcher for ``owner``."""
        self._kept[owner] = searcher

    def drop(self, owner: object) -> None:
        """Drop the searcher kept for ``owner``."""
        self._kept.pop(owner, None)
