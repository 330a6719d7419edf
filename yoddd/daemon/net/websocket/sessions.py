"""The sessions over a WebSocket: one, or many in numbered channels.

With channels, a message is the number of a channel, a space, and what would be the message of a
WebSocket with one session; the first message of a number opens its channel. A number alone closes
it, and is answered by itself. ``ping TEXT`` is answered by ``pong TEXT`` at once, so that a page,
which cannot send pings of WebSocket, notices that the network is stalled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Protocol

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

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


# -- one session ----------------------------------------------------------------------------


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


# -- channels -------------------------------------------------------------------------------

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)


class ChannelWire(Wire):
    """The `Transport` of the session in one channel."""

    def __init__(self, channels: Channels, below: Messages, number: str) -> None:
        """Create it for the beginning of a session."""
        super().__init__(below)
        self._channels = channels
        self._number = number

    def send(self, messages: Sequence[str]) -> None:
        """Send messages in the channel."""
        self.below.send([f"{self._number} {message}" for message in messages])

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading: the channels share the connection and its backpressure."""
        self._channels.hold(self._number, held=not wanted)

    def disconnect(self, reason: str) -> None:
        """Close the WebSocket with all its channels."""
        self._channels.disconnect(reason)

    def end(self, reason: str) -> None:
        """Close the channel."""
        self._channels.close(self._number, reason)


@implementer(IPushProducer)
class Channels:
    """The sessions of a WebSocket with channels."""

    is_in_game = True
    """A page that has no game now may have one soon, and shows whether it is connected."""

    def __init__(self, services: Services, below: Messages, host: str | None) -> None:
        """Create it without channels."""
        self._services = services
        self._below = below
        self._host = host
        # The log-in and the rate limit, which the channels share.
        self._client = services.client_at(host)
        self._limits = services.limits
        # The session of each open channel, by its number as the client spells it.
        self._peers: dict[str, PeerConnection] = {}
        # The channels whose sessions do not want to read.
        self._holding: set[str] = set()
        # Whether the client leaves its output unread.
        self._is_unread = False
        # Ends the connection: one that has no channel for long, or whose close takes too long.
        self._timer: DelayedCall | None = None
        self._await_channel()

    @property
    def producer(self) -> IPushProducer:
        """All sessions stop when the client does not read."""
        return self

    @property
    def is_needed(self) -> bool:
        """Whether the client would lose something by the end of the connection."""
        return any(peer.is_needed for peer in self._peers.values())

    def received(self, message: str) -> None:
        """Take a message of the client."""
        number, space, rest = message.partition(" ")
        if number == "ping":
            self._below.send([f"pong{space}{rest}"])
        elif _NUMBER.fullmatch(number) is None:
            self._below.violated("a message begins with the number of a channel")
        elif space:
            self._deliver(number, rest)
        else:
            self.close(number, "closed by the client")

    def _deliver(self, number: str, message: str) -> None:
        if number not in self._peers:
            if len(self._peers) >= self._limits.channels:
                self._below.send([f"{number} ? busy: too many channels", number])
                return
            self._open(number)
        deliver(self._peers[number], message, self._below)

    def _open(self, number: str) -> None:
        self._cancel_timer()
        wire = ChannelWire(self, self._below, number)
        peer = PeerConnection(self._services, wire, self._host, self._client)
        self._peers[number] = peer
        if self._is_unread:
            peer.pauseProducing()

    def close(self, number: str, reason: str) -> None:
        """Close a channel, which either side may do; the client is told when it is closed."""
        peer = self._peers.pop(number, None)
        if peer is None:
            return
        peer.lost(reason)
        self._below.send([number])
        self.hold(number, held=False)
        if not self._peers:
            self._await_channel()

    def hold(self, number: str, *, held: bool) -> None:
        """Do not read while the session of any channel does not want to."""
        if held:
            self._holding.add(number)
        else:
            self._holding.discard(number)
        self._read()

    def _read(self) -> None:
        self._below.read(wanted=not self._holding and not self._is_unread)

    def disconnect(self, reason: str) -> None:
        """Close the connection with all its channels."""
        self._cancel_timer()
        self._timer = self._services.reactor.callLater(self._limits.close, self._below.abort)
        self._below.disconnect(reason)

    def lost(self, reason: str) -> None:
        """End all sessions: the connection is closed."""
        self._cancel_timer()
        for peer in self._peers.values():
            peer.lost(reason)
        self._peers.clear()

    # -- IPushProducer: the state of the output buffer ----------------------------------------

    def pauseProducing(self) -> None:
        """Pause all sessions: the client does not read."""
        self._is_unread = True
        for peer in tuple(self._peers.values()):
            peer.pauseProducing()
        self._read()

    def resumeProducing(self) -> None:
        """Continue: the client has read its output."""
        self._is_unread = False
        for peer in tuple(self._peers.values()):
            peer.resumeProducing()
        self._read()  # also if the last channel was closed meanwhile

    def stopProducing(self) -> None:
        """Do nothing: `lost` follows."""

    # -- within -------------------------------------------------------------------------------

    def _await_channel(self) -> None:
        """Close a connection that has no channel for as long as a log-in may take."""
        self._cancel_timer()
        self._timer = self._services.reactor.callLater(
            self._limits.login, self.disconnect, "no channel is open"
        )

    def _cancel_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()
