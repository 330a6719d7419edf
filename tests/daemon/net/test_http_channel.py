"""The HTTP channel, without a network."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock, StringTransport

from tests.daemon.net.doubles import MemoryTransport
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.site import site
from yoddd.protocol.config import SessionConfig

REQUEST = b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n"


def responses(transport: StringTransport) -> int:
    sent: bytes = transport.value()
    return sent.count(b"HTTP/1.1 200 OK")


@pytest.fixture
def reactor() -> MemoryReactorClock:
    return MemoryReactorClock()


@pytest.fixture
def channel(reactor: MemoryReactorClock) -> GuardedChannel:
    address = IPv4Address("TCP", "192.0.2.1", 1)
    services = Services(reactor=cast("Reactor", reactor), session=SessionConfig())
    made = site(services, Origins()).buildProtocol(address)
    assert isinstance(made, GuardedChannel)
    made.makeConnection(MemoryTransport("192.0.2.1"))
    return made


def test_pipelined_requests_wait_while_the_client_does_not_read(
    channel: GuardedChannel,
) -> None:
    transport = cast("MemoryTransport", channel.transport)
    channel.dataReceived(REQUEST)
    assert responses(transport) == 1
    channel.pauseProducing()
    channel.dataReceived(5 * REQUEST)
    assert responses(transport) == 2
    channel.resumeProducing()
    assert responses(transport) == 6
    channel.dataReceived(REQUEST)
    assert responses(transport) == 7


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-More: 1\r\n 2\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-More: 1\r\n\t2\r\n\r\n", b"400 Bad Request"),
        (b"GET /icon.svg HTTP/1.0\r\n\r\n", b"200 OK"),
        (REQUEST, b"200 OK"),
    ],
)
def test_request_without_its_host_or_with_a_folded_header_is_malformed(
    channel: GuardedChannel, request_: bytes, status: bytes
) -> None:
    transport = cast("MemoryTransport", channel.transport)
    channel.dataReceived(request_)
    assert transport.value().split(b"\r\n")[0].partition(b" ")[2] == status
    assert transport.value().count(b"HTTP/1.") == 1


def test_request_that_waits_for_the_share_of_its_address_is_not_cut_off(
    reactor: MemoryReactorClock, channel: GuardedChannel
) -> None:
    transport = cast("MemoryTransport", channel.transport)
    channel.charge(2.0)
    channel.dataReceived(REQUEST)
    waited = 0
    while not responses(transport):
        reactor.advance(1)
        waited += 1
        assert not transport.disconnecting
    assert waited > Limits().slow_line


def test_request_that_stays_incomplete_is_cut_off(
    reactor: MemoryReactorClock, channel: GuardedChannel
) -> None:
    transport = cast("MemoryTransport", channel.transport)
    channel.charge(1.0)
    channel.dataReceived(REQUEST[:-2])
    for _ in range(60):
        reactor.advance(1)
    assert transport.disconnecting
