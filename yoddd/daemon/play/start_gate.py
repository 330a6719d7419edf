"""Whether games may begin: not while the administrator has paused that, nor while we go down."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from yoddd.protocol.errors import Code, PeerError


class PairingGate:
    """Open at first; games that go on are none of its business.

    Attributes:
        reason: why it is closed; None while it is open.
    """

    def __init__(self) -> None:
        """Games may begin."""
        self.reason: str | None = None
        self._waiting: list[Deferred[None]] = []

    def close(self, reason: str) -> None:
        """Let no game begin."""
        self.reason = reason

    def open(self) -> None:
        """Let games begin again, those first that have waited."""
        self.reason = None
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(None)

    def check(self) -> None:
        """Refuse whoever wants a game now.

        Raises:
            PeerError: no game may begin.
        """
        if self.reason is not None:
            raise PeerError(Code.BUSY, self.reason)

    def opened(self) -> Deferred[None]:
        """Fires when games may begin; it can be cancelled."""
        waiter: Deferred[None] = Deferred(self._forget)
        if self.reason is None:
            waiter.callback(None)
        else:
            self._waiting.append(waiter)
        return waiter

    def _forget(self, waiter: Deferred[None]) -> None:
        self._waiting.remove(waiter)
