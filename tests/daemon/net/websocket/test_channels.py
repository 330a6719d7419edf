"""The channels of a WebSocket: many sessions over one connection."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.testing import MemoryReactorClock
from wsproto.events import TextMessage

from tests.daemon.doubles import make_services
from tests.daemon.net.websocket.test_transport import Client
from tests.protocol.peer import OneAccount
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.websocket.sessions import Channels
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.effects import ConnectionHandle


class Accounts(OneAccount):
    """The accounts of the vectors, which answer a log-in later and keep its connection."""

    def log_in(self, connection: ConnectionHandle, *args: Any) -> None:
        self.connection, self.args = connection, args

    def answer(self) -> None:
        super().log_in(self.connection, *self.args)


def connect(limits: Limits | None = None, services: SessionServices | None = None) -> Client:
    session = SessionConfig(services=services or SessionServices(attach=True))
    clock = MemoryReactorClock()
    client = Client(clock, make_services(clock, limits, session), "/ws/channels")
    client.take()
    return client


@pytest.fixture
def client() -> Client:
    return connect()


def test_channel_whose_reply_is_awaited_delays_no_other_and_no_ping() -> None:
    client = connect(services=SessionServices(accounts=Accounts()))
    assert client.ask("1 login ann secret") == []
    assert client.ask("2 name") == ["2 = yoddd"]
    assert client.ask("ping") == ["pong"]
    assert client.ask("ping a b") == ["pong a b"]


def test_channel_closed_by_the_client_is_confirmed_and_its_number_is_free(client: Client) -> None:
    client.ask("1 game yodd hex3")
    assert client.ask("1") == ["1"]
    assert client.ask("1") == []
    assert client.ask("1 history") == ["1 = "]
    assert len(client.services.connections.by_number) == 1


def test_channel_of_an_engine_leaves_the_others(client: Client) -> None:
    client.ask("2 name")
    assert client.ask("4 quit") == ["4 = ", "4"]
    assert client.ask("1 attach bot reply=on") == ["1 = "]
    assert client.ask("3 attach bot")[-1] == "3"
    assert client.ask("2 name") == ["2 = yoddd"]


def test_channel_over_the_limit_is_refused() -> None:
    client = connect(Limits(channels=1))
    client.ask("1 name")
    assert client.ask("2 name") == ["2 ? busy: too many channels", "2"]
    client.ask("1")
    assert client.ask("2 name") == ["2 = yoddd"]


def test_client_that_reads_again_after_its_last_channel_was_closed_is_read(client: Client) -> None:
    client.ask("1 name")
    channels = client.below.producer
    assert isinstance(channels, Channels)
    channels.pauseProducing()
    channels.close("1", "as by the session itself")
    assert client.below.producerState == "paused"
    channels.resumeProducing()
    assert client.below.producerState == "producing"


@pytest.mark.parametrize(
    "text", ["name", "0 name", "01 name", "-1 name", "", " 1 name", "1\nname", "1 name\nname"]
)
def test_message_without_a_channel_closes_the_connection(client: Client, text: str) -> None:
    client.send(TextMessage(data=text))
    reason = "a message begins with the number of a channel"
    reason = "one line a message" if text == "1 name\nname" else reason
    assert client.close_frame() == (1008, reason)


def test_connection_without_a_channel_is_closed(client: Client) -> None:
    for _ in range(4):
        client.clock.advance(2.4)
        client.ask("ping")
    client.ask("1 name")
    client.ask("1")
    for _ in range(4):
        client.clock.advance(2.4)
        client.ask("ping")
    assert client.close_frame() is None
    client.clock.advance(1)
    assert client.close_frame() == (1000, "no channel is open")


def test_log_in_holds_for_all_channels() -> None:
    accounts = Accounts()
    client = connect(services=SessionServices(accounts=accounts, login_required=True))
    assert client.ask("1 history") == ["1 ? login required: history"]
    client.ask("2 login ann TOKEN")
    accounts.answer()
    client.clock.advance(0)
    assert client.texts() == ["2 = "]
    assert client.ask("1 history") == ["1 = "]
    accounts.connection.disconnect("logged in elsewhere")
    assert client.close_frame() == (1000, "logged in elsewhere")
    client.channel.connectionLost()
    assert client.services.connections.by_number == {}
    assert client.clock.getDelayedCalls() == []


def test_connection_that_is_lost_ends_all_sessions(client: Client) -> None:
    client.ask("1 name")
    client.ask("2 attach bot")
    assert client.services.connections.by_number
    client.channel.connectionLost()
    assert client.services.connections.by_number == {}
    assert not client.services.engines.names
