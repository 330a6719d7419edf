"""The time of a turn: how much is allotted, and the end of a search, so that its answer is on time.

Allotment is from a time control and the time left; all its numbers are those that a controller
states. A time limit is that of the answer, not of the search. The time in between (ending the
search, waking the thread that answers, playing the turn) depends on the machine and its load, so
a `Timekeeper` measures it.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import attrs

RESERVE: Final = 0.1
"""The part of a limited time that is kept back for delays of the answer, but ..."""

LEAST_RESERVED: Final = 0.02
"""... not less than so many seconds a turn, ..."""

MOST_RESERVED: Final = 0.05
"""... nor more than so many."""

LEAST: Final = 0.01
"""Seconds that a search gets in any case."""

FEWEST_TURNS: Final = 4
"""The number of further own turns for which time is always kept."""

MOST_AT_ONCE: Final = 0.5
"""The largest part of the time left that a turn may take, however large the increment is.

A player who has increments only thus keeps as much again for a delay.
"""


@attrs.frozen
class TimeSettings:
    """A time control as GTP defines it; the default is no limit.

    Attributes:
        main: seconds for the whole game; None for no limit at all.
        increment: seconds added after each turn.
        period: seconds of byo-yomi for ``stones`` turns, once the main time is used up.
        stones: the turns of one byo-yomi period.
    """

    main: float | None = None
    increment: float = 0.0
    period: float = 0.0
    stones: int = 0


UNTIMED: Final = TimeSettings()
"""No time control."""


@attrs.frozen
class TimeLeft:
    """The time left, as ``time_left`` states it.

    Attributes:
        seconds: in main time or in the period.
        stones: 0 in main time, else the turns left in the period.
    """

    seconds: float
    stones: int = 0


def allot(settings: TimeSettings, left: TimeLeft | None, turns: tuple[int, int]) -> float | None:
    """Seconds for the next turn; None for no limit.

    Args:
        settings: the time control.
        left: what was last stated; None if nothing was.
        turns: how many own turns the game may still have, and how many it had at its beginning.
            If the time left is not stated, the main time is shared among the latter, so that it
            lasts for a game of any length.
    """
    if left is not None and left.stones:
        return _use(left.seconds / left.stones)
    if settings.main is None and left is None:
        return None
    seconds, share = (settings.main or 0.0, turns[1]) if left is None else (left.seconds, turns[0])
    turn = seconds / max(FEWEST_TURNS, share) + settings.increment
    if settings.stones:
        turn = max(turn, settings.period / settings.stones)
    elif seconds or left is not None:
        turn = min(turn, MOST_AT_ONCE * seconds)
    return _use(turn)


def reserve(seconds: float) -> float:
    """The time that `allot` keeps back when it returns ``seconds``."""
    return _bounded(seconds * RESERVE / (1 - RESERVE))


def _use(seconds: float) -> float:
    return max(LEAST, seconds - _bounded(RESERVE * seconds))


def _bounded(reserved: float) -> float:
    return min(max(LEAST_RESERVED, reserved), MOST_RESERVED)


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
