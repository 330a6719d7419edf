"""A sliding window: the times of the events of the last seconds, by key."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

_PRUNED_FROM: Final = 4096
"""Keys that are kept before those without times are dropped."""


class SlidingWindow:
    """The times of events within a window, by key; older ones are dropped when looked at."""

    def __init__(self, now: Callable[[], float], window: Callable[[], float]) -> None:
        """Create it without events.

        Args:
            now: a clock in seconds that never jumps.
            window: returns how many seconds an event is remembered.
        """
        self._now = now
        self._window = window
        self._times: dict[object, deque[float]] = {}

    def of(self, key: object) -> deque[float]:
        """The times of a key, the oldest first."""
        times = self._times.get(key, deque())
        while times and times[0] <= self._now() - self._window():
            times.popleft()
        return times

    def kept(self, key: object) -> deque[float]:
        """The times of a key, to be added to; of too many keys those without times are dropped."""
        if len(self._times) >= _PRUNED_FROM:
            self._times = {one: times for one, times in self._times.items() if self.of(one)}
        self._times.setdefault(key, deque())
        return self.of(key)

    def wait(self, key: object) -> float:
        """Seconds until the oldest time of a key is forgotten; 0 without one."""
        times = self.of(key)
        return times[0] + self._window() - self._now() if times else 0.0
