"""One HTTP connection and the frames of a WebSocket, without a network."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock, StringTransport
from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import BytesMessage, Event, Ping, Pong, TextMessage

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.frames import Scale
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.site import site
from yoddd.protocol.config import SessionConfig

REQUEST = b"GET /icon.svg HTTP/1.1\r\nHost: x\r\n\r\n"


class Handle:
    """Of a UNIX socket: there is nothing to tune."""

    family = 1


class Transport(StringTransport):
    def getHandle(self) -> Handle:  # noqa: N802 — Twisted's name
        return Handle()


def answers(transport: StringTransport) -> int:
    sent: bytes = transport.value()
    return sent.count(b"HTTP/1.1 200 OK")


@pytest.fixture
def channel() -> GuardedChannel:
    reactor = MemoryReactorClock()
    address = IPv4Address("TCP", "127.0.0.1", 1)
    services = Services(reactor=cast("Reactor", reactor), session=SessionConfig())
    made = site(services, Origins()).buildProtocol(address)
    assert isinstance(made, GuardedChannel)
    made.makeConnection(Transport())
    return made


def test_requests_wait_while_the_answers_before_them_are_left_unread(
    channel: GuardedChannel,
) -> None:
    transport = cast("StringTransport", channel.transport)
    channel.dataReceived(REQUEST)
    assert answers(transport) == 1
    channel.pauseProducing()
    channel.dataReceived(5 * REQUEST)
    assert answers(transport) == 2
    channel.resumeProducing()
    assert answers(transport) == 6
    channel.dataReceived(REQUEST)
    assert answers(transport) == 7


# -- frames ---------------------------------------------------------------------------------

MESSAGE = "x" * 70_000
FRAMES: list[tuple[Event, int]] = [
    (TextMessage(data=MESSAGE, message_finished=False), 70_000),
    (Ping(b"p" * 125), 70_000),
    (TextMessage(data="x" * 200, message_finished=False), 70_200),
    (Pong(), 70_200),
    (TextMessage(data="", message_finished=False), 70_200),
    (TextMessage(data="x"), 0),
    (BytesMessage(data=b""), 0),
    (BytesMessage(data=b"x" * 126, message_finished=False), 126),
]


@given(st.integers(1, 1000))
def test_a_message_weighs_what_its_frames_carry(piece: int) -> None:
    sender, scale = Connection(ConnectionType.CLIENT), Scale()
    for event, expected in FRAMES:
        data = sender.send(event)
        for start in range(0, len(data), piece):
            scale.add(data[start : start + piece])
        assert scale.pending == expected


def test_the_payload_of_an_unfinished_frame_counts_as_it_comes() -> None:
    scale = Scale()
    scale.add(b"\x81\xff" + (1 << 40).to_bytes(8) + b"mask" + b"x" * 999)
    assert scale.pending == 999
