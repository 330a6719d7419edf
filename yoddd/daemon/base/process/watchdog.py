"""A watchdog that reports when the reactor was blocked, and with it every connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from yoddd.daemon.base.clock import monotonic
from yoddd.daemon.base.process.async_service import AsyncService

_CHECKS: Final = 5
"""Checks within the time that is tolerated."""

INTERVAL: Final = 60.0
"""Least number of seconds between two warnings in the log."""


@attrs.define(eq=False, slots=False)
class Watchdog(AsyncService):
    """Measures the time between two regular calls by the reactor.

    Attributes:
        late: how often the reactor was blocked for longer than is tolerated.
        worst: the longest of those times, in seconds.
        total: the sum of those times, in seconds.
    """

    log = Logger()

    # Makes the calls; its clock rests while it is blocked.
    _reactor: IReactorTime
    # Seconds that are tolerated; 0 switches it off.
    _tolerated: float
    # Measures the time between the calls.
    _now: Callable[[], float] = monotonic
    late: int = 0
    worst: float = 0.0
    total: float = 0.0
    # The time of the latest check.
    _last: float = 0.0
    # The time of the latest warning, and what it has not reported: times and the longest.
    _warned: float = float("-inf")
    _unreported: int = 0
    _longest: float = 0.0
    # The next check; None while it does not run. A `LoopingCall` would cost a busy daemon some
    # percent of its processor.
    _next: IDelayedCall | None = None

    async def start(self) -> None:
        """Begin to check."""
        if self._tolerated:
            self._last = self._now()
            self._wait()

    async def stop(self) -> None:
        """Stop checking."""
        following, self._next = self._next, None
        if following is not None:
            following.cancel()
        self._report()

    def _wait(self) -> None:
        self._next = self._reactor.callLater(self._tolerated / _CHECKS, self._check)

    def _check(self) -> None:
        now = self._now()
        gap, self._last = now - self._last, now
        if gap > self._tolerated:
            self.late += 1
            self.total += gap
            self.worst = max(self.worst, gap)
            self._unreported += 1
            self._longest = max(self._longest, gap)
        if now - self._warned >= INTERVAL:
            self._report()
        self._wait()

    def _report(self) -> None:
        if not self._unreported:
            return
        self.log.warn(
            "the reactor was held up for {milliseconds} ms at most, {times} times since the last "
            "such line ({late} times so far)",
            milliseconds=round(self._longest * 1000),
            times=self._unreported,
            late=self.late,
        )
        self._warned = self._last
        self._unreported, self._longest = 0, 0.0
