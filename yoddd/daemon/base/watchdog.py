"""A watchdog that notices when something has held up the reactor, and so every connection."""

from __future__ import annotations

from typing import Final

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.base.async_service import AsyncService

_BEATS: Final = 5
"""How often it looks within the time that it tolerates."""

_QUIET: Final = 1.0
"""Seconds between two lines of the log, however often the reactor is late."""


class Watchdog(AsyncService):
    """Measures how late a regular call of the reactor comes.

    Attributes:
        late: how often the reactor was held up for longer than is tolerated.
        worst: the longest time, in seconds.
        total: the seconds of all of them.
    """

    log = Logger()

    def __init__(self, reactor: IReactorTime, tolerated: float) -> None:
        """Create it; ``tolerated`` is in seconds, 0 switches it off."""
        super().__init__()
        self.late = 0
        self.worst = 0.0
        self.total = 0.0
        self._reactor = reactor
        self._tolerated = tolerated
        self._last = 0.0
        self._said = float("-inf")
        self._beats = LoopingCall(self._beat)
        self._beats.clock = reactor

    async def start(self) -> None:
        """Begin to look."""
        if self._tolerated:
            self._last = self._reactor.seconds()
            self._beats.start(self._tolerated / _BEATS, now=False)

    async def stop(self) -> None:
        """Stop looking."""
        if self._beats.running:
            self._beats.stop()

    def _beat(self) -> None:
        now = self._reactor.seconds()
        gap, self._last = now - self._last, now
        if gap <= self._tolerated:
            return
        self.late += 1
        self.total += gap
        self.worst = max(self.worst, gap)
        if now - self._said >= _QUIET:
            self._said = now
            self.log.warn(  # noqa: G010 — Twisted's name
                "the reactor was held up for {milliseconds} ms ({late} times so far)",
                milliseconds=round(gap * 1000),
                late=self.late,
            )
