"""The transport over TCP, TLS and UNIX sockets, without a network."""

from __future__ import annotations

import pytest
from twisted.internet.interfaces import ISSLTransport
from twisted.internet.testing import MemoryReactorClock
from zope.interface import directlyProvides

from tests.daemon.doubles import make_services
from tests.daemon.net.doubles import MemoryTransport
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net import stream_transport
from yoddd.daemon.net.listeners import ClientFactory
from yoddd.daemon.net.stream_transport import StreamTransport

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


def test_silent_session_is_closed_where_places_are_few() -> None:
    clock = MemoryReactorClock()
    services = make_services(clock, Limits(connections=2, reserved=0))
    silent, lively = connect(services)[1], connect(services, "198.51.100.8")
    clock.advance(5)
    lively[0].dataReceived(b"name\n")
    closed = []
    for seconds in (4.9, 0.2):
        clock.advance(seconds)
        closed.append(silent.disconnecting)
    assert closed == [False, True]
    assert silent.value() == b""
    assert not lively[1].disconnecting
    assert services.connections.cut_off == {"silence": 1}
    assert services.admission.open == 1
