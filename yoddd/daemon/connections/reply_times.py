"""Reply times by group of commands, for the histogram of ``/metrics``."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Final

BOUNDS: Final = (0.001, 0.01, 0.05, 0.2, 1.0, 5.0, 30.0)
"""Seconds at which the buckets of the histogram end; a last one has no end."""


class ReplyTimes:
    """Counts replies by the time that they took.

    Attributes:
        counts: the replies in each bucket, by group.
        seconds: the sum of their times, by group.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Begin without replies; ``now`` gives a time that never jumps."""
        self.counts: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.seconds: dict[str, float] = defaultdict(float)
        self._now = now

    def begin(self, group: str) -> Callable[[], None]:
        """Begin the reply to a command of a group; the result is called at its end."""
        return partial(self._end, group, self._now())

    def _end(self, group: str, begun: float) -> None:
        seconds = self._now() - begun
        self.counts[group][bisect_left(BOUNDS, seconds)] += 1
        self.seconds[group] += seconds
