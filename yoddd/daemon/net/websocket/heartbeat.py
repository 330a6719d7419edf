"""Pings over a WebSocket: whether the peer is still there."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall

from yoddd.daemon.base.settings import Limits


@attrs.define(eq=False)
class Heartbeat:
    """Pings a peer, more often while it plays or watches: it would not notice otherwise.

    Attributes:
        reactor: whose time it is.
        limits: how often, and how long a peer may be silent.
        is_in_game: tells whether the peer plays or watches.
        ping: sends a ping.
        give_up: is called once the peer has been silent for too long.
    """

    reactor: IReactorTime
    limits: Limits
    is_in_game: Callable[[], bool]
    ping: Callable[[], None]
    give_up: Callable[[], None]
    _heard: float = 0.0
    _pinged: float = 0.0
    _beats: LoopingCall | None = None

    def start(self) -> None:
        """Begin; the peer has just been heard."""
        self._heard = self._pinged = self.reactor.seconds()
        self._beats = LoopingCall(self._beat)
        self._beats.clock = self.reactor
        self._beats.start(min(self.limits.game_ping, self.limits.ping), now=False)

    def stop(self) -> None:
        """End, whether it has begun or not."""
        beats, self._beats = self._beats, None
        if beats is not None:
            beats.stop()

    def heard(self) -> None:
        """The peer is there."""
        self._heard = self.reactor.seconds()

    def _beat(self) -> None:
        limits, now, in_game = self.limits, self.reactor.seconds(), self.is_in_game()
        if now - self._heard > (limits.game_silence if in_game else limits.silence):
            self.stop()
            self.give_up()
        elif in_game or now - self._pinged >= limits.ping:
            self._pinged = now
            self.ping()
