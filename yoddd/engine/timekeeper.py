"""The end of a search, such that its answer is given on time.

A time limit is that of the answer, not of the search. The time in between (ending the search,
waking the thread that answers, playing the turn) depends on the machine and its load, so it is
measured.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from yoddd.engine.timing import reserve

REMEMBERED: Final = 25
"""The number of latest answers from which the time of the next one is predicted."""

LARGEST_SHARE: Final = 0.2
"""The largest part of a search's time that is kept back for its answer."""


class Timekeeper:
    """Predicts the time from the end of a search to its answer.

    The prediction is the median of the latest answers, so that a usual one is on time. If more
    than one of them was later than the reserve of the allotment covers, more is kept back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without measurements; ``clock`` returns seconds."""
        self.clock = clock
        self._lately: deque[float] = deque(maxlen=REMEMBERED)

    def start(self, seconds: float | None) -> Timer:
        """Begin to time an answer that is due in ``seconds``; None for no limit."""
        return Timer(self, math.inf if seconds is None else seconds - self.closing(seconds))

    def closing(self, seconds: float) -> float:
        """Predict the seconds from a search's end to its answer, out of ``seconds`` for both."""
        if not self._lately:
            return 0.0
        ordered = sorted(self._lately)
        usual, worst = ordered[len(ordered) // 2], ordered[-2:][0]
        return min(max(usual, worst - reserve(seconds)), LARGEST_SHARE * seconds)

    def note(self, closing: float) -> None:
        """Record the seconds from the end of a search to its answer."""
        self._lately.append(closing)


class Timer:
    """The time of one search, from the request to the answer."""

    def __init__(self, keeper: Timekeeper, seconds: float) -> None:
        """Start; the search has to end in ``seconds``."""
        self._keeper = keeper
        self._begun = keeper.clock()
        self._end = self._begun + seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the request."""
        return self._keeper.clock() - self._begun

    def begin(self) -> float | None:
        """Note that the search begins, after any wait; return the seconds left or None."""
        now = self._keeper.clock()
        self._end = max(self._end, now)
        return None if math.isinf(self._end) else self._end - now

    def is_up(self) -> bool:
        """Whether the search has to end."""
        return self._keeper.clock() >= self._end

    def answered(self) -> None:
        """Note that the answer is given; if time ended the search, record how late it is."""
        late = self._keeper.clock() - self._end
        if late > 0:
            self._keeper.note(late)
