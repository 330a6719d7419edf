"""The common memory budget of all search trees; idle trees are evicted."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

LEAST: Final = 1 << 20
"""Bytes that a search gets even where nothing is left."""


class Holder(Protocol):
    """A searcher that keeps memory between its searches."""

    def release(self) -> None:
        """Drop the tree; called only between searches."""


class TreeMemory:
    """Grants memory to searches, and evicts the trees of idle searchers, the oldest first.

    A grant is charged in full, however little of it is touched.
    """

    def __init__(
        self,
        total: Callable[[], int] | None = None,
        lock: AbstractContextManager[object] | None = None,
    ) -> None:
        """Create it.

        Args:
            total: returns the bytes of all together; None for no limit.
            lock: held by each method, where several threads search. It has to be reentrant, because
                a garbage collection within it may drop a holder.
        """
        self._total = total
        self._lock = lock or nullcontext()
        # The bytes of those that search.
        self._busy: dict[weakref.ref[Holder], int] = {}
        # The bytes that the others keep, least recently used first.
        self._idle: OrderedDict[weakref.ref[Holder], int] = OrderedDict()

    @property
    def used(self) -> int:
        """The number of bytes that are granted or kept."""
        with self._lock:
            return sum(self._busy.values()) + sum(self._idle.values())

    def begin(self, holder: Holder, wanted: int) -> int:
        """Grant memory to a search, all in all, and return the number of bytes.

        That is ``wanted``, or less if other searches use the budget up.
        """
        if self._total is None:
            return wanted
        with self._lock:
            key = weakref.ref(holder, self._dropped)
            self._idle.pop(key, None)
            total = self._total()
            while self._idle and self.used + wanted > total:
                self._evict()
            granted = max(LEAST, min(wanted, total - self.used))
            self._busy[key] = granted
            return granted

    def end(self, holder: Holder, kept: int) -> None:
        """Take back the grant of a search that has ended, but for the bytes that it keeps."""
        if self._total is None:
            return
        with self._lock:
            key = weakref.ref(holder, self._dropped)
            self._busy.pop(key, None)
            if kept:
                self._idle[key] = kept

    def evict_all(self) -> None:
        """Drop all that is kept between searches."""
        with self._lock:
            while self._idle:
                self._evict()

    def _evict(self) -> None:
        key, _ = self._idle.popitem(last=False)
        holder = key()
        if holder is not None:
            holder.release()

    def _dropped(self, key: weakref.ref[Holder]) -> None:
        with self._lock:
            self._idle.pop(key, None)
            self._busy.pop(key, None)


UNLIMITED: Final = TreeMemory()
"""For a program with one search."""
