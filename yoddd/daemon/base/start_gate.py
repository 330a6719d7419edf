"""Permission to start games: withheld while the administrator has paused it or the daemon stops."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from yoddd.protocol.errors import Code, PeerError


class StartGate:
    """Open at first. Closing it stops new games only; those in play go on.

    Attributes:
        reason: why it is closed; None while it is open.
    """

    def __init__(self) -> None:
        """Create an open gate."""
        self.reason: str | None = None
        self._waiting: list[Deferred[None]] = []

    def close(self, reason: str) -> None:
        """Let no game start."""
        self.reason = reason

    def open(self) -> None:
        """Let games start again, in the order in which they have waited."""
        self.reason = None
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(None)

    def check(self) -> None:
        """Refuse a game that would start now.

        Raises:
            PeerError: no game may start.
        """
        if self.reason is not None:
            raise PeerError(Code.BUSY, self.reason)

    def opened(self) -> Deferred[None]:
        """Fire when games may start; can be cancelled."""
        waiter: Deferred[None] = Deferred(self._forget)
        if self.reason is None:
            waiter.callback(None)
        else:
            self._waiting.append(waiter)
        return waiter

    def _forget(self, waiter: Deferred[None]) -> None:
        self._waiting.remove(waiter)
