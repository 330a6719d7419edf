"""The positions of an analysis that wait for a search: by priority, then as they came."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from yoddd.protocol.analysis.query import Subject


class WaitingSubjects:
    """A queue of positions, the highest priority first.

    Attributes:
        size: the bytes of their queries.
    """

    def __init__(self) -> None:
        """Create it empty."""
        # A heap; the number of each entry is larger than those of all earlier ones.
        self._heap: list[tuple[int, int, Subject]] = []
        self._number = 0
        self.size = 0

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self._heap)

    def add(self, subject: Subject) -> None:
        """Append a position behind those of its priority."""
        self._number += 1
        self.size += subject.size
        heapq.heappush(self._heap, (-subject.priority, self._number, subject))

    def take(self) -> Subject:
        """Remove and return the next position."""
        subject = heapq.heappop(self._heap)[2]
        self.size -= subject.size
        return subject

    def remove(self, unwanted: Callable[[Subject], bool]) -> list[Subject]:
        """Remove and return the positions that are unwanted, as they came."""
        removed = [entry for entry in self._heap if unwanted(entry[2])]
        if removed:
            gone = {number for _, number, _ in removed}
            self._heap = [entry for entry in self._heap if entry[1] not in gone]
            heapq.heapify(self._heap)
            self.size -= sum(entry[2].size for entry in removed)
        return [entry[2] for entry in sorted(removed, key=lambda entry: entry[1])]
