"""The sessions over a WebSocket: one, or many in numbered channels (`channels.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from twisted.internet.interfaces import IPushProducer

from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.wire import ANALYSIS, SESSION, WireProtocol


class ReplySplitter:
    """Splits replies into messages.

    A session writes whole replies, the first line of a streaming reply by itself, and whole lines
    of a stream; a first line without its empty line is therefore the beginning of a stream.
    """

    def __init__(self) -> None:
        """Create it for the beginning of a session."""
        # Whether a streaming reply is open; set by its first line, cleared by its empty line.
        self._is_streaming = False

    def split(self, data: bytes) -> list[str]:
        """Return the messages of ``data``; an empty message ends a streaming reply."""
        messages: list[str] = []
        rest = data.decode()
        while rest:
            if self._is_streaming:
                message, _, rest = rest.partition("\n")
                self._is_streaming = message != ""
            else:
                message, ended, rest = rest.partition("\n\n")
                if not ended:
                    self._is_streaming = True
                    message = message.removesuffix("\n")
            messages.append(message)
        return messages


class Messages(Protocol):
    """The WebSocket below its sessions."""

    def send(self, messages: Sequence[str]) -> None:
        """Send messages."""

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading (backpressure)."""

    def disconnect(self, reason: str) -> None:
        """Close once everything is written."""

    def abort(self) -> None:
        """Close at once and drop what is not written."""

    def violated(self, reason: str) -> None:
        """Close: the client sent a message that is not allowed."""

    def used(self) -> None:
        """Note that the client has sent a request that is of use to it."""


class Wire:
    """The `Transport` of one `PeerConnection`; its lines and replies are messages."""

    kind = "websocket"

    def __init__(self, below: Messages) -> None:
        """Create it for the beginning of a session."""
        self.below = below
        self._replies = ReplySplitter()

    def used(self) -> None:
        """Note that the client has sent a request that is of use to it."""
        self.below.used()

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send replies, or requests to an engine, each as a message."""
        self.send(data.decode().splitlines() if to_engine else self._replies.split(data))

    def send(self, messages: Sequence[str]) -> None:
        """Send messages."""
        self.below.send(messages)

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading (backpressure)."""
        self.below.read(wanted=wanted)

    def disconnect(self, reason: str) -> None:
        """Close the WebSocket."""
        self.below.disconnect(reason)

    def end(self, reason: str) -> None:
        """Close the WebSocket: the session is over, and there is no other."""
        self.disconnect(reason)

    def abort(self) -> None:
        """Close the WebSocket at once."""
        self.below.abort()


def deliver(peer: PeerConnection, message: str, below: Messages) -> None:
    """Pass a message to a session as a line, or to an engine as a reply."""
    if peer.engine is not None:
        peer.received(f"{message.rstrip()}\n\n".encode())
        return
    line = message.removesuffix("\n")
    if "\n" in line:
        below.violated("one line a message")
    else:
        peer.received(f"{line}\n".encode())


class LineWire(Wire):
    """The `Transport` of output in lines, each of which is a message."""

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send lines."""
        del to_engine
        self.send(data.decode().splitlines())


class SingleSession:
    """The session of a WebSocket that carries one alone, which lasts as long as it does."""

    protocol: WireProtocol = SESSION
    make_wire: type[Wire] = Wire

    def __init__(self, services: Services, below: Messages, host: str | None) -> None:
        """Begin the session."""
        self._below = below
        self._peer = PeerConnection(services, self.make_wire(below), host, wire=self.protocol)

    @property
    def producer(self) -> IPushProducer:
        """The session stops when the client does not read."""
        return self._peer

    @property
    def is_in_game(self) -> bool:
        """Whether the client plays or watches a game."""
        return self._peer.is_in_game

    @property
    def is_needed(self) -> bool:
        """Whether the client would lose something by the end of the connection."""
        return self._peer.is_needed

    def received(self, message: str) -> None:
        """Take a message of the client."""
        deliver(self._peer, message, self._below)

    def disconnect(self, reason: str) -> None:
        """Close the connection."""
        self._peer.disconnect(reason)

    def lost(self, reason: str) -> None:
        """End the session or the engine."""
        self._peer.lost(reason)


class SingleAnalysis(SingleSession):
    """The client of the analysis engine over a WebSocket that carries it alone."""

    protocol = ANALYSIS
    make_wire = LineWire
