"""Services without a network, and a transport that keeps what it is asked to do."""

from __future__ import annotations

from typing import Any, cast

import attrs
from twisted.internet.testing import MemoryReactorClock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.services import Services
from yoddd.protocol.config import SessionConfig


@attrs.define(eq=False)
class FakeTransport:
    """The `Transport` of a `PeerConnection`."""

    kind: str = "tcp"
    sent: bytes = b""
    is_reading: bool = True
    is_closed: bool = False
    is_aborted: bool = False

    def write(self, data: bytes, *, to_engine: bool) -> None:
        del to_engine
        self.sent += data

    def read(self, *, wanted: bool) -> None:
        self.is_reading = wanted

    def disconnect(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_aborted = True

    def take(self) -> bytes:
        """Return what was sent since the last call."""
        sent, self.sent = self.sent, b""
        return sent


def make_services(
    clock: MemoryReactorClock,
    limits: Limits | None = None,
    session: SessionConfig | None = None,
    **more: Any,
) -> Services:
    """Services in fake time."""
    return Services(
        reactor=cast("Reactor", clock),
        session=session or SessionConfig(),
        current_limits=CurrentLimits(limits or Limits()),
        **more,
    )
