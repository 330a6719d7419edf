"""The transport over TCP, TLS and UNIX sockets without a network, and its options."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any, cast

import pytest
from twisted.internet.address import UNIXAddress
from twisted.internet.interfaces import ISSLTransport
from twisted.internet.main import CONNECTION_DONE
from twisted.internet.tcp import Connection
from twisted.internet.testing import MemoryReactorClock
from zope.interface import directlyProvides

from tests.daemon.doubles import make_services
from tests.daemon.net.doubles import MemoryTransport
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.wire import ANALYSIS, SESSION, WireProtocol
from yoddd.daemon.net import stream_transport
from yoddd.daemon.net.listeners import ClientFactory
from yoddd.daemon.net.stream_transport import PROBES, StreamTransport, set_socket_options

FAR = "198.51.100.7"


@pytest.fixture
def services() -> Services:
    return make_services(MemoryReactorClock(), Limits(per_address=1))


def connect(
    services: Services, host: str | None = FAR, *, tls: bool = False
) -> tuple[StreamTransport, MemoryTransport]:
    protocol, below = ClientFactory(services).buildProtocol(None), MemoryTransport(host)
    if tls:
        directlyProvides(below, ISSLTransport)
    protocol.makeConnection(below)
    return protocol, below


@pytest.mark.parametrize(("host", "tls", "kind"), [(None, False, "unix"), (FAR, True, "tls")])
def test_transport_has_the_kind_of_its_socket(
    services: Services, host: str | None, tls: bool, kind: str
) -> None:
    protocol, _ = connect(services, host, tls=tls)
    assert protocol.kind == kind
    protocol.connectionLost()


def test_connection_has_the_options_of_its_socket(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[object] = []
    monkeypatch.setattr(stream_transport, "set_socket_options", lambda *args: chosen.append(args))
    protocol, below = connect(services)
    assert chosen == [(below, services.limits)]
    protocol.connectionLost()


def test_refused_connection_gets_the_reason_and_is_closed(services: Services) -> None:
    first, _ = connect(services)
    second, below = connect(services)
    assert below.value() == b"? busy: too many connections from your address\n\n"
    assert below.disconnecting
    second.dataReceived(b"name\n")
    second.connectionLost()
    assert services.admission.open == 1
    first.connectionLost()


def test_refused_connection_over_tls_is_aborted_without_a_handshake(services: Services) -> None:
    first, _ = connect(services)
    _, below = connect(services, tls=True)
    assert below.is_aborted()
    assert below.value() == b""
    first.connectionLost()


class Socket(Connection):
    """One end of a pair of sockets, below a protocol."""

    def __init__(self, handle: socket.socket, protocol: StreamTransport, reactor: Any) -> None:
        super().__init__(handle, protocol, reactor)
        self.connected = 1
        self.startReading()
        protocol.makeConnection(self)

    def getPeer(self) -> UNIXAddress:
        return UNIXAddress("")


@pytest.fixture
def ends(services: Services) -> Iterator[tuple[Socket, socket.socket]]:
    """A connection over a socket, and the socket of its client."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    with ours, theirs:
        protocol = ClientFactory(services).buildProtocol(None)
        yield Socket(ours, protocol, MemoryReactorClock()), theirs
        protocol.connectionLost()


def test_replies_are_sent_in_the_turn_that_received_their_requests(
    ends: tuple[Socket, socket.socket],
) -> None:
    below, client = ends
    client.sendall(b"name\n1 protocol_version\n")
    below.doRead()
    assert client.recv(99) == b"= yoddd\n\n=1 2\n\n"
    assert not below.reactor.getWriters()


def test_reply_of_which_the_socket_takes_a_part_goes_on_later(
    ends: tuple[Socket, socket.socket],
) -> None:
    below, client = ends
    below.getHandle().setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    client.sendall(b"help\n" * 9)
    below.doRead()
    assert below.reactor.getWriters() == [below]
    received = b""
    while below.reactor.getWriters():
        received += client.recv(1 << 20)
        below.doWrite()
    received += client.recv(1 << 20)
    assert received == received[: received.index(b"\n\n") + 2] * 9


def test_connection_is_closed_once_its_last_reply_is_sent(
    ends: tuple[Socket, socket.socket],
) -> None:
    below, client = ends
    client.sendall(b"quit\n")
    below.doRead()
    assert below.reactor.getWriters() == [below]
    assert below.doWrite() is CONNECTION_DONE
    assert client.recv(99) == b"= \n\n"


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
    with socket.socket() as handle:
        above = Above(Transport(handle))
        directlyProvides(above, ISSLTransport)
        set_socket_options(cast("Connection", above), LIMITS)
        assert handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30


@pytest.mark.parametrize("wire", [SESSION, ANALYSIS])
def test_tls_to_a_plain_port_is_closed_at_once(services: Services, wire: WireProtocol) -> None:
    protocol, below = ClientFactory(services, wire).buildProtocol(None), MemoryTransport(FAR)
    protocol.makeConnection(below)
    protocol.dataReceived(b"\x16\x03\x01\n")
    assert below.is_aborted()
    assert not below.value()
    protocol.connectionLost()
