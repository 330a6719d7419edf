"""Time allotment: from a time control and the time left to seconds for one turn.

No time is measured here; all numbers are those that a controller states.
"""

from __future__ import annotations

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
