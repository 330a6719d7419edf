"""The clocks of the daemon and the type of the reactor."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from twisted.internet.error import ReactorAlreadyRunning
from twisted.internet.posixbase import PosixReactorBase as Reactor
from twisted.internet.task import LoopingCall

__all__ = ["LONGEST_STEP", "Reactor", "ReactorClock", "install_clock", "iso", "monotonic", "wall"]

LONGEST_STEP: Final = 0.25
"""Seconds by which a `ReactorClock` advances at most from one reading to the next."""

_TICK: Final = 0.1
"""Seconds between two readings in a reactor that has nothing to do."""

monotonic: Final = time.monotonic
"""Returns seconds on a clock that never jumps."""


def wall() -> str:
    """Return the time in UTC as records contain it."""
    return iso(datetime.now(UTC))


def iso(moment: datetime) -> str:
    """Return a time in UTC as records contain it: ISO 8601 with milliseconds and a final Z."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ReactorClock:
    """The clock of every timer and of every game: monotonic, and at rest while the process is.

    A process that is suspended, or whose reactor is held up, can read and answer nothing, so
    that time is no participant's. The clock therefore advances by at most `LONGEST_STEP` from one
    reading to the next, and `install_clock` sees to it that it is read more often than that.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        """Create it; ``now`` never jumps."""
        self._now = now
        # The latest reading of `now`, and what this clock showed then.
        self._read = self._shown = now()

    def __call__(self) -> float:
        """Return its seconds."""
        now = self._now()
        step = now - self._read
        # Seven times for each request of a match, so without a call.
        self._shown += step if step < LONGEST_STEP else LONGEST_STEP  # noqa: FURB136
        self._read = now
        return self._shown


def install_clock(reactor: Reactor) -> None:
    """Let a reactor that is not running yet, and all that it schedules, use a `ReactorClock`.

    Twisted's own clock is the calendar, which others may set while games are played.

    Raises:
        ReactorAlreadyRunning: it is running.
    """
    if reactor.running:
        raise ReactorAlreadyRunning
    if isinstance(reactor.seconds, ReactorClock):
        return  # it has run before
    reactor.seconds = ReactorClock()
    tick = LoopingCall(reactor.seconds)
    tick.clock = reactor
    reactor.addSystemEventTrigger("after", "startup", tick.start, _TICK)
