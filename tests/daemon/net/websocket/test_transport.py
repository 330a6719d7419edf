"""The transport over WebSockets without a network, and the upgrade to it."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock
from twisted.web.server import Site
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    Request,
    TextMessage,
)

from tests.daemon.doubles import make_services
from tests.daemon.net.doubles import MemoryTransport
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.site import site
from yoddd.protocol.config import SessionConfig, SessionServices

FAR = "198.51.100.7"


class Client:
    """A client of the WebSocket at /ws."""

    def __init__(
        self,
        clock: MemoryReactorClock,
        services: Services,
        target: str = "/ws",
        web: Site | None = None,
        host: str = FAR,
    ) -> None:
        self.clock = clock
        self.services = services
        made = (web or site(services, Origins())).buildProtocol(IPv4Address("TCP", host, 5))
        self.channel = cast("GuardedChannel", made)
        self.below = MemoryTransport(host)
        self.frames = WSConnection(ConnectionType.CLIENT)
        self.channel.makeConnection(self.below)
        self.send(Request(host="localhost", target=target))

    def send(self, event: Event) -> None:
        self.channel.dataReceived(self.frames.send(event))

    def take(self) -> list[Event]:
        """The events of what was received since the last call."""
        data = self.below.value()
        self.below.clear()
        if data:
            self.frames.receive_data(data)
        return list(self.frames.events())

    def ask(self, text: str) -> list[str]:
        self.send(TextMessage(data=text))
        return self.texts()

    def texts(self) -> list[str]:
        """The messages received since the last call."""
        return [event.data for event in self.take() if isinstance(event, TextMessage)]

    def close_frame(self) -> tuple[int, str | None] | None:
        """The status code and the reason of the close frame that was received."""
        closes = [event for event in self.take() if isinstance(event, CloseConnection)]
        return (closes[0].code, closes[0].reason) if closes else None


@pytest.fixture
def client() -> Client:
    clock = MemoryReactorClock()
    limits = Limits(message=64, ping=30, silence=90, new_per_address=1)
    client = Client(
        clock, make_services(clock, limits, SessionConfig(services=SessionServices(attach=True)))
    )
    (accepted,) = client.take()
    assert isinstance(accepted, AcceptConnection)
    return client


def test_message_is_a_line_and_its_reply_a_message(client: Client) -> None:
    for end in ("", "\n", "\r\n"):
        assert client.ask(f"name{end}") == ["= yoddd"]
    (connection,) = client.services.connections.by_number.values()
    assert (connection.kind, connection.host) == ("websocket", FAR)
    assert client.services.admission.open == 1
    producer = client.below.producer
    assert producer is not None
    producer.pauseProducing()
    assert client.below.producerState == "paused"
    producer.resumeProducing()
    assert client.below.producerState == "producing"
    client.channel.connectionLost()
    assert client.services.admission.open == 0


@pytest.mark.parametrize(
    ("event", "frame"),
    [
        (TextMessage(data="a\nb"), (1008, "one line a message")),
        (TextMessage(data="a\n\n"), (1008, "one line a message")),
        (BytesMessage(data=b"name"), (1008, "text messages only")),
        (TextMessage(data="x" * 65), (1009, "message too long")),
        (TextMessage(data="x" * 65, message_finished=False), (1009, "message too long")),
    ],
)
def test_message_that_is_not_allowed_closes_with_code_and_reason(
    client: Client, event: Event, frame: tuple[int, str]
) -> None:
    client.send(event)
    assert client.close_frame() == frame
    assert client.below.disconnecting


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x81\xff" + (1 << 40).to_bytes(8), 1009),  # refused before its payload
        (b"\x81\x82mask" + bytes([0xFF ^ ord("m"), ord("a")]), 1007),
        (b"\x81\x01x", 1002),  # without a mask
        (b"\xc1\x80mask", 1002),  # compressed
        (b"\x80\x80mask", 1002),  # continues nothing
        (b"\x09\x80mask", 1002),  # a ping in fragments
    ],
)
def test_frame_that_is_not_allowed_closes_behind_the_message_before(
    client: Client, frame: bytes, code: int
) -> None:
    asked = client.frames.send(TextMessage(data="attach bot"))
    client.channel.dataReceived(asked + frame)
    assert client.services.engines.names == ["bot"]
    found = client.close_frame()
    assert found is not None
    assert found[0] == code
    assert client.below.disconnecting


def test_ping_within_a_message_of_the_longest_size_is_answered(client: Client) -> None:
    client.send(TextMessage(data="name #" + "x" * 57, message_finished=False))
    client.send(Ping(b"p" * 125))
    assert client.take() == [Pong(b"p" * 125)]
    client.send(TextMessage(data="x", message_finished=True))
    assert client.texts() == ["= yoddd"]


def test_frames_behind_a_slice_wait_for_a_later_turn_without_reading_more(client: Client) -> None:
    client.channel.dataReceived(client.frames.send(Ping()) * 200)
    assert (len(client.take()), client.below.producerState) == (85, "paused")
    client.clock.advance(1)
    assert (len(client.take()), client.below.producerState) == (115, "producing")


def test_close_of_the_client_is_echoed_behind_its_message(client: Client) -> None:
    asked = client.frames.send(TextMessage(data="attach bot"))
    client.channel.dataReceived(asked + client.frames.send(CloseConnection(1000, "bye")))
    assert client.close_frame() == (1000, "bye")
    assert client.services.engines.names == ["bot"]
    client.channel.connectionLost()
    assert client.services.connections.by_number == {}


def test_messages_of_an_attached_engine_are_requests_and_replies(client: Client) -> None:
    assert client.ask("attach bot") == []
    (connection,) = client.services.connections.by_number.values()
    assert isinstance(connection, PeerConnection)
    assert connection.engine is not None
    connection.engine.ask("name")
    assert client.texts() == ["1 name"]
    client.send(TextMessage(data="=1 Bot"))
    assert connection.engine.idle


def test_session_above_the_rate_is_refused_with_try_again_later(client: Client) -> None:
    again = Client(client.clock, client.services)
    assert again.close_frame() == (1013, "too many new connections from your address")
    assert len(client.services.connections.by_number) == 1


def test_disconnect_of_a_stopping_daemon_closes_with_going_away(client: Client) -> None:
    (connection,) = client.services.connections.by_number.values()
    client.services.connections.is_closing = True
    connection.disconnect("ü" * 100)  # cut to the size of a frame
    assert client.close_frame() == (1001, "ü" * 61)


def origins(*others: str, name: str) -> Origins:
    return Origins(CurrentSettings(Settings(origins=others)), (name,))


@pytest.mark.parametrize(
    ("origin", "host", "is_allowed"),
    [
        (None, "anything", True),
        ("http://127.0.0.1:9634", "127.0.0.1:9634", True),
        ("http://localhost:9634", "localhost:9634", True),
        ("http://[::1]:9634", "[::1]:9634", True),
        ("http://127.0.0.1:80", "127.0.0.1:9634", False),
        ("http://rebound.example:9634", "rebound.example:9634", False),
        ("http://board.lan:9634", "board.lan:9634", True),
        ("https://yodd.example", "10.0.0.1:9634", True),
        ("https://other.example", "10.0.0.1:9634", False),
        ("null", "127.0.0.1:9634", False),
    ],
)
def test_origin_is_allowed_if_listed_or_of_this_server_by_address(
    origin: str | None, host: str, is_allowed: bool
) -> None:
    assert origins("https://yodd.example", name="board.lan").allow(origin, host) is is_allowed


SERVED = (
    "127.0.0.1 127.0.0.1:1 192.168.1.7:80 [::1]:9634 [2001:DB8::7] localhost:9634 LOCALHOST "
    "localhost. board.localhost board.lan:9634 yodd.example YODD.example.:443"
)

OTHERS = (
    "rebound.example localhost.rebound.example 127.0.0.1.rebound.example notlocalhost [localhost] "
    "yodd.example.rebound.example 127.0.0.1@rebound.example 127.0.0.1/rebound.example . :9634 "
    "127.0.0.1:port [::1 [::1].rebound.example"
)


def test_host_is_served_if_it_is_an_address_or_named() -> None:
    served = origins("https://yodd.example:8443", name="Board.lan").serve
    assert [host for host in SERVED.split() if not served(host)] == []
    others = origins("https://yodd.example", "null", name="").serve
    assert [host for host in [*OTHERS.split(), "", "yodd.example x"] if others(host)] == []
