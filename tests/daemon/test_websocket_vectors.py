"""The session vectors over a WebSocket: a message is a line, or a whole reply."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import CloseConnection, Event, Request, TextMessage

from tests.daemon.conftest import PATIENCE
from tests.daemon.test_transports import CASES, served
from tests.protocol.vectors import CHANNELS, Exchange, connections
from yoddd.daemon.net.websocket.replies import ReplySplitter

pytestmark = [pytest.mark.process, pytest.mark.whole]


class Messages:
    """The client's end: blocking, message for message."""

    def __init__(self, port: int, source: str = "127.0.0.1", target: str = "/ws") -> None:
        self.stream = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
        self.frames = WSConnection(ConnectionType.CLIENT)
        self.stream.sendall(self.frames.send(Request(host=f"127.0.0.1:{port}", target=target)))
        self._events = self._receive()
        next(self._events)

    def _receive(self) -> Iterator[Event]:
        while data := self.stream.recv(1 << 16):
            self.frames.receive_data(data)
            yield from self.frames.events()

    def send(self, text: str) -> None:
        self.stream.sendall(self.frames.send(TextMessage(data=text)))

    def message(self) -> str | None:
        """The next message; None once the server closes."""
        parts: list[str] = []
        for event in self._events:
            if isinstance(event, TextMessage):
                parts.append(event.data)
                if event.message_finished:
                    return "".join(parts)
            if isinstance(event, CloseConnection):
                return None
        return None


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with served("websocket", tmp_path_factory.mktemp("ws")) as where:
        yield int(where)


def is_text(connection: list[Exchange]) -> bool:
    return all(exchange.line.isascii() for exchange in connection)


@pytest.mark.parametrize("file", CASES)
def test_session_vectors_over_websocket_give_same_replies(port: int, file: Path) -> None:
    for connection in filter(is_text, connections(file)):
        peer, replies = Messages(port), ReplySplitter()
        for exchange in connection:
            peer.send(exchange.line.decode())
            # The first line of a streaming reply is a message of its own.
            begin, end, rest = exchange.reply.partition(b" \n")
            is_stream = end and rest.startswith((b"info move", b"play ", b"review "))
            pieces = [begin + end, rest] if is_stream else [exchange.reply]
            expected = [message for piece in pieces for message in replies.split(piece)]
            assert [peer.message() for _ in expected] == expected
            if exchange.ends == "closed":
                assert peer.message() is None
        peer.stream.close()


@pytest.mark.gate
def test_channel_vectors_give_the_same_messages(port: int) -> None:
    for connection in connections(CHANNELS):
        peer = Messages(port, target="/ws/channels")
        for exchange in connection:
            peer.send(exchange.line.decode())
            expected = exchange.reply.decode().splitlines()
            assert [peer.message() for _ in expected] == expected
            if exchange.ends == "closed":
                assert peer.message() is None
        peer.stream.close()
