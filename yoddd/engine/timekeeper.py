"""When a search has to end so that its answer comes on time: the way of the reply counts, too.

What is meant is when the answer is given, not when the search ends. How long the rest takes (the
end of the search, waking whoever answers, playing the turn) depends on the machine and on what else
it does, so it is measured.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from yoddd.engine.timing import reserve

REMEMBERED: Final = 25
"""From how many answers the time of the next one is foretold."""

LARGEST_SHARE: Final = 0.2
"""The part of a search's time that is kept back for the rest at most."""


class Timekeeper:
    """Foretells how long it takes from the end of a search to its answer.

    A usual answer comes when it is meant to: half of those remembered were as fast as foretold.
    Where more than one of them was later than the allotment has room for, more is kept back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is known yet; ``clock`` tells the seconds."""
        self.clock = clock
        self._lately: deque[float] = deque(maxlen=REMEMBERED)

    def start(self, seconds: float | None) -> Timer:
        """The answer is meant to be given in so many seconds from now; None for whenever."""
        return Timer(self, math.inf if seconds is None else seconds - self.closing(seconds))

    def closing(self, seconds: float) -> float:
        """Seconds between the end of a search and its answer, where both have ``seconds``."""
        if not self._lately:
            return 0.0
        ordered = sorted(self._lately)
        usual, worst = ordered[len(ordered) // 2], ordered[-2:][0]
        return min(max(usual, worst - reserve(seconds)), LARGEST_SHARE * seconds)

    def note(self, closing: float) -> None:
        """It took so long this time."""
        self._lately.append(closing)


class Timer:
    """The time of one search, from the request to the answer."""

    def __init__(self, keeper: Timekeeper, seconds: float) -> None:
        """The search has to end in so many seconds from now."""
        self._keeper = keeper
        self._end = keeper.clock() + seconds

    def begin(self) -> float | None:
        """The search begins, after whatever it has waited for: seconds left; None for no limit."""
        now = self._keeper.clock()
        self._end = max(self._end, now)
        return None if math.isinf(self._end) else self._end - now

    def is_up(self) -> bool:
        """Whether the search has to end."""
        return self._keeper.clock() >= self._end

    def answered(self) -> None:
        """The answer is given: if it was time that ended the search, see how late that is."""
        late = self._keeper.clock() - self._end
        if late > 0:
            self._keeper.note(late)
