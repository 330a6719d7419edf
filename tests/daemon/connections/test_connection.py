"""A connection above its transport, in fake time: its limits, and its change to an engine."""

from __future__ import annotations

import pytest

from tests.daemon.doubles import FAR, Client, FakeTransport
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.protocol.config import SessionConfig, SessionServices

LIMITS = Limits(slow_line=10, login=20, unread=1024, unread_time=5, close=3)


@pytest.fixture
def client() -> Client:
    return Client(LIMITS, SessionConfig(services=SessionServices(attach=True)))


def test_incomplete_line_closes_the_connection_after_its_time(client: Client) -> None:
    client.connection.received(b"na")
    client.services.settings.value = Settings(limits=Limits(slow_line=1))  # not of this one
    client.clock.advance(9)
    client.connection.received(b"me\n")
    assert client.clock.getDelayedCalls() == []
    client.connection.received(b"na")
    client.clock.advance(9)
    assert not client.transport.is_closed(), "each line has its own time"
    client.clock.advance(1)
    assert client.transport.is_closed()
    assert client.services.connections.cut_off == {"slow line": 1}


def test_client_that_does_not_read_is_not_read_from_until_it_does(client: Client) -> None:
    client.connection.pauseProducing()
    assert not client.transport.is_reading()
    client.connection.read(wanted=True)
    assert not client.transport.is_reading()
    client.connection.resumeProducing()
    assert client.transport.is_reading()
    assert client.clock.getDelayedCalls() == []


def test_client_that_leaves_too_much_unread_is_cut_off_once(client: Client) -> None:
    client.connection.send(b"x" * 5000)
    client.connection.pauseProducing()
    client.connection.send(b"x" * 1024)
    assert not client.transport.is_aborted()
    client.connection.send(b"x")
    client.connection.send(b"x")
    assert client.transport.is_aborted()
    assert len(client.transport.sent) == 6024
    assert client.services.connections.cut_off == {"unread": 1}
    client.connection.lost("aborted")


def test_attach_makes_the_connection_an_engine(client: Client) -> None:
    assert client.ask("attach bot") == b""
    engine = client.connection.engine
    assert engine is not None
    assert client.services.engines.names == ["bot"]
    assert client.connection.worker is None
    engine.ask("name")
    assert client.transport.take() == b"1 name\n"
    engine.taken = True
    assert client.connection.is_in_game
    below = FakeTransport()
    PeerConnection(client.services, below, FAR).received(b"attach bot\n")
    assert (below.take(), below.is_closed()) == (b"? the name bot is taken\n\n", True)
    assert client.services.engines.names == ["bot"]
    client.connection.received(b"= unasked\n\n= unasked\n\n")
    assert client.transport.is_closed()
    client.connection.lost("bye")
    assert client.services.engines.names == []
    assert not engine.alive
