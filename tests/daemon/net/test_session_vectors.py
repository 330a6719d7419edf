"""The session vectors over a stream and over WebSockets, byte for byte, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import FakePool, make_services
from tests.daemon.fake_time import settle
from tests.daemon.net.doubles import MemoryTransport
from tests.daemon.net.websocket.test_transport import Client
from tests.protocol.peer import EVERYTHING, session_config
from tests.protocol.vectors import CHANNELS, FILES, connections
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.search_pool import Job, SearchPool
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory
from yoddd.daemon.net.websocket.sessions import ReplySplitter

NEAR = "127.0.0.1"
FILE = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


class Pool(FakePool):
    """Searches in the next turn of the clock."""

    def __init__(self, clock: MemoryReactorClock) -> None:
        super().__init__()
        self.clock = clock

    def submit(self, *args: Any, **words: Any) -> Job:
        job = super().submit(*args, **words)
        self.clock.callLater(0, lambda: job.result.callback(job.work(lambda: False)))
        return job


class Silence:
    """A match without output until it is stopped."""

    def stop(self) -> None:
        """Stop; there is no search or process to end."""


@pytest.fixture
def clock() -> MemoryReactorClock:
    return MemoryReactorClock()


def serve(clock: MemoryReactorClock) -> Services:
    """The daemon that the vectors describe."""
    silent = {name: lambda *_: Silence() for name in ("match", "observe")}
    config = session_config(**EVERYTHING)
    limits = Limits(connections=config.limits.connections)
    pool = cast("SearchPool", Pool(clock))
    return make_services(clock, limits, config, pool=pool, streams=silent)


@FILE
def test_session_vectors_over_a_stream_give_the_same_bytes(
    clock: MemoryReactorClock, file: Path
) -> None:
    for connection in connections(file):
        protocol = ClientFactory(serve(clock)).buildProtocol(None)
        below = MemoryTransport(NEAR)
        protocol.makeConnection(below)
        for exchange in connection:
            below.clear()
            protocol.dataReceived(exchange.line + b"\n")
            settle(clock)
            assert below.value() == exchange.reply
            assert below.disconnecting is (exchange.ends == "closed")
        protocol.connectionLost()


def connect(clock: MemoryReactorClock, target: str) -> Client:
    client = Client(clock, serve(clock), target, host=NEAR)
    client.take()
    return client


@FILE
def test_session_vectors_over_a_websocket_give_the_same_replies(
    clock: MemoryReactorClock, file: Path
) -> None:
    for connection in connections(file):
        if not all(exchange.line.isascii() for exchange in connection):
            continue
        client, replies = connect(clock, "/ws"), ReplySplitter()
        for exchange in connection:
            said = client.ask(exchange.line.decode())
            settle(clock)
            said += client.texts()
            # The first line of a streaming reply is a message of its own.
            begin, end, rest = exchange.reply.partition(b" \n")
            is_stream = end and rest.startswith((b"info move", b"play ", b"review "))
            pieces = [begin + end, rest] if is_stream else [exchange.reply]
            assert said == [message for piece in pieces for message in replies.split(piece)]
            assert client.below.disconnecting is (exchange.ends == "closed")
        client.channel.connectionLost()


def test_analysis_for_a_program_for_go_writes_its_last_line_until_the_next_request(
    clock: MemoryReactorClock,
) -> None:
    protocol = ClientFactory(serve(clock)).buildProtocol(None)
    below = MemoryTransport(NEAR)
    protocol.makeConnection(below)
    protocol.dataReceived(b"set_param coordinates gogui\nanalyze b 50\n")
    settle(clock)
    for count in (2, 3):
        clock.advance(0.5)
        assert below.value().count(b"\ninfo move ") == count
    protocol.dataReceived(b"name\n")
    settle(clock)
    said = below.value()
    assert said.endswith(b"\n\n= yoddd\n\n")
    protocol.dataReceived(b"analyze b 50\n")
    settle(clock)
    protocol.connectionLost()
    clock.advance(5)
    assert below.value().count(b"\ninfo move ") == 4
    assert not clock.getDelayedCalls()


def test_channel_vectors_give_the_same_messages(clock: MemoryReactorClock) -> None:
    for connection in connections(CHANNELS):
        client = connect(clock, "/ws/channels")
        for exchange in connection:
            said = client.ask(exchange.line.decode())
            settle(clock)
            assert said + client.texts() == exchange.reply.decode().splitlines()
            assert client.below.disconnecting is (exchange.ends == "closed")
        client.channel.connectionLost()
