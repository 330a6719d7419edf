"""Throttle of analysis output: from the thread of a search, the latest line at intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.base import DelayedCall

from yoddd.daemon.base.clock import Reactor

MIN_INTERVAL: Final = 0.02
"""The shortest interval in seconds, whatever the client requests."""


class Throttle:
    """Passes on the latest line once per interval, and drops those that it replaces."""

    def __init__(self, reactor: Reactor, interval: float, send: Callable[[str], None]) -> None:
        """Start; ``interval`` is in seconds."""
        self._reactor = reactor
        self._interval = max(MIN_INTERVAL, interval)
        self._send = send
        # The line to send next; set in the thread of the search, cleared when it is sent.
        self._latest: str | None = None
        self._timer: DelayedCall = reactor.callLater(self._interval, self._on_interval)

    def put(self, line: str) -> None:
        """Replace the line to send; called in the thread of the search."""
        self._latest = line

    def stop(self) -> None:
        """Send the last line at once and stop."""
        self.cancel()
        self._flush()

    def cancel(self) -> None:
        """Stop without sending the last line."""
        if self._timer.active():
            self._timer.cancel()

    def _on_interval(self) -> None:
        self._flush()
        self._timer = self._reactor.callLater(self._interval, self._on_interval)

    def _flush(self) -> None:
        latest, self._latest = self._latest, None
        if latest is not None:
            self._send(latest)
