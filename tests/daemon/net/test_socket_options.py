"""Socket options of connections."""

from __future__ import annotations

import socket
from typing import Any, cast

import pytest
from twisted.internet.tcp import Connection
from zope.interface import directlyProvides

from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.socket_options import PROBES, set_socket_options

LIMITS = Limits(ping=30.0, silence=90.0)


class Transport:
    """A transport on a socket of this process."""

    def __init__(self, handle: socket.socket) -> None:
        self.handle = handle
        self.is_set: list[str] = []

    def getHandle(self) -> socket.socket:
        return self.handle

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.is_set.append(f"no delay: {enabled}")

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self.is_set.append(f"keepalive: {enabled}")


class Above(Transport):
    """TLS over another transport."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport.handle)
        self.transport = transport

    def getHandle(self) -> Any:
        raise AssertionError("TLS has no socket")


def test_options_of_a_tcp_socket_follow_the_limits() -> None:
    with socket.socket() as handle:
        transport = Transport(handle)
        set_socket_options(cast("Connection", transport), LIMITS)
        assert transport.is_set == ["no delay: True", "keepalive: True"]
        names = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        found = [handle.getsockopt(socket.IPPROTO_TCP, name) for name in names]
        assert found == [30, 20, PROBES]


@pytest.mark.parametrize(("ping", "silence"), [(0.05, 0.1), (0.4, 0.4)])
def test_options_are_a_second_at_least(ping: float, silence: float) -> None:
    with socket.socket() as handle:
        limits = Limits(ping=ping, silence=silence)
        set_socket_options(cast("Connection", Transport(handle)), limits)
        assert handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 1
        assert handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) == 1


def test_options_below_tls_are_set_on_the_socket_of_its_connection() -> None:
    from twisted.internet.interfaces import ISSLTransport

    with socket.socket() as handle:
        above = Above(Transport(handle))
        directlyProvides(above, ISSLTransport)
        set_socket_options(cast("Connection", above), LIMITS)
        assert handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30
