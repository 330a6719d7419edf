"""Permission to start games: withheld while paused by the administrator or during a shutdown."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from yoddd.protocol.errors import Code, PeerError


class StartGate:
    """Admits new games while it is open; does not affect games in play.

    Attributes:
        reason: why it is closed; None while it is open.
    """

    def __init__(self) -> None:
        """Create an open gate."""
        self.reason: str | None = None
        # The Deferreds of games that wait, in the order in which they asked.
        self._waiting: list[Deferred[None]] = []

    def close(self, reason: str) -> None:
        """Refuse new games, for ``reason``."""
        self.reason = reason

    def open(self) -> None:
        """Admit games again, first those that wait, in their order."""
        self.reason = None
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(None)

    def check(self) -> None:
        """Check that a game may start now.

        Raises:
            PeerError: the gate is closed.
        """
        if self.reason is not None:
            raise PeerError(Code.BUSY, self.reason)

    def opened(self) -> Deferred[None]:
        """Return a Deferred that fires when the gate is open; it can be cancelled."""
        waiter: Deferred[None] = Deferred(self._forget)
        if self.reason is None:
            waiter.callback(None)
        else:
            self._waiting.append(waiter)
        return waiter

    def _forget(self, waiter: Deferred[None]) -> None:
        self._waiting.remove(waiter)
