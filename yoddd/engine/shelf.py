"""Where searchers wait between two turns of a game, with what they remember."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from yoddd.engine.searcher import Searcher

PLACES: Final = 8
"""How many searchers are kept: each may hold a whole tree in memory."""


class Shelf:
    """Searchers by whom they play for; where there are too many, the one longest unused goes.

    A searcher is off the shelf while it searches, so nobody else gets hold of it.
    """

    def __init__(self, places: int = PLACES) -> None:
        """Nothing is kept yet."""
        self._places = places
        self._kept: OrderedDict[object, Searcher] = OrderedDict()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def take(self, owner: object, name: str) -> Searcher | None:
        """The searcher of this name that ``owner`` has left here; another one is dropped."""
        found = self._kept.pop(owner, None)
        return found if found is not None and found.name == name else None

    def put(self, owner: object, searcher: Searcher) -> None:
        """Keep a searcher for ``owner``."""
        self._kept[owner] = searcher
        self._kept.move_to_end(owner)
        while len(self._kept) > self._places:
            self._kept.popitem(last=False)

    def drop(self, owner: object) -> None:
        """``owner`` needs nothing any more."""
        self._kept.pop(owner, None)
