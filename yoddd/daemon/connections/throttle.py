"""Carries what a search says from its thread to a slow reader: the latest line, now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.base import DelayedCall

from yoddd.daemon.base.clock import Reactor

LEAST: Final = 0.02
"""Seconds between two looks, whatever the client asks for."""


class Reporter:
    """Looks for news every so often; what is overtaken in between is never said."""

    def __init__(self, reactor: Reactor, interval: float, say: Callable[[str], None]) -> None:
        """Begin to look."""
        self._reactor = reactor
        self._interval = max(LEAST, interval)
        self._say = say
        self._latest: str | None = None
        self._timer: DelayedCall = reactor.callLater(self._interval, self._look)

    def tell(self, text: str) -> None:
        """The search says something; called in its own thread."""
        self._latest = text

    def stop(self) -> None:
        """The search is over: say what is left."""
        if self._timer.active():
            self._timer.cancel()
        self._flush()

    def _look(self) -> None:
        self._flush()
        self._timer = self._reactor.callLater(self._interval, self._look)

    def _flush(self) -> None:
        latest, self._latest = self._latest, None
        if latest is not None:
            self._say(latest)
