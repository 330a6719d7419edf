"""Pings over a WebSocket, and the timeout of a connection without an answer."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from yoddd.daemon.base.settings import Limits


@attrs.define(eq=False)
class Heartbeat:
    """Pings a client, more often while it plays or watches a game.

    Attributes:
        reactor: schedules the checks.
        limits: the intervals of pings, and the longest silence allowed.
        is_in_game: returns whether the client plays or watches a game.
        ping: sends a ping.
        timed_out: called once, when the client was silent for too long.
    """

    reactor: IReactorTime
    limits: Limits
    is_in_game: Callable[[], bool]
    ping: Callable[[], None]
    timed_out: Callable[[], None]
    # The time of the latest message or pong.
    _received: float = 0.0
    # The time of the latest ping.
    _pinged: float = 0.0
    # The next check; set between start and stop.
    _next: IDelayedCall | None = None

    def start(self) -> None:
        """Begin to ping a client that has just connected."""
        self._received = self._pinged = self.reactor.seconds()
        self._check_in(self.limits.silence)

    def stop(self) -> None:
        """Stop; does nothing if it is not running."""
        following, self._next = self._next, None
        if following is not None and following.active():
            following.cancel()

    def received(self) -> None:
        """Note that the client has sent a message or a pong."""
        self._received = self.reactor.seconds()

    def _check(self) -> None:
        limits, now, in_game = self.limits, self.reactor.seconds(), self.is_in_game()
        left = self._received + (limits.game_silence if in_game else limits.silence) - now
        if left <= 0:
            self.stop()
            self.timed_out()
            return
        if in_game or now - self._pinged >= limits.ping:
            self._pinged = now
            self.ping()
        if self._next is not None:  # the ping may have ended the connection
            self._check_in(left)

    def _check_in(self, left: float) -> None:
        """Check again soon: a game may begin at any time, and the silence ends exactly."""
        delay = min(self.limits.game_ping, self.limits.ping, left)
        self._next = self.reactor.callLater(delay, self._check)
