"""The WebSocket adapter: a text message is a request line, or a whole reply without its empty line.

A streaming reply comes line by line, each a message, and ends with an empty message. Where an
engine has attached, a message is a request to it or a whole reply of its own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from twisted.web.websocket import WebSocketTransport
from wsproto.utilities import LocalProtocolError

from yoddd.daemon.base.admission import Refused, host_of
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.websocket.heartbeat import Heartbeat
from yoddd.daemon.net.websocket.replies import ReplySplitter

NORMAL: Final = 1000
GOING_AWAY: Final = 1001
POLICY_VIOLATION: Final = 1008
MESSAGE_TOO_BIG: Final = 1009
TRY_AGAIN_LATER: Final = 1013


class WebSocketConnection:
    """One peer over a WebSocket: the `Wire` of a peer, and what Twisted calls with its messages.

    Attributes:
        is_closed: whether nothing more is to be heard or said.
    """

    kind = "websocket"
    _frames: WebSocketTransport

    def __init__(self, services: Services, network: Connection) -> None:
        """``network`` is the connection below the frames."""
        self.is_closed = False
        self._services = services
        self._network = network
        self._pulse = Heartbeat(
            services.reactor, services.limits, self._is_in_game, self._ping, self._give_up
        )
        self._replies = ReplySplitter()
        self._peer: PeerConnection | None = None
        self._code = NORMAL

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        """Take the flow of bytes over from HTTP."""
        self._frames = transport
        transport.detachProducer()

    def negotiationFinished(self) -> None:
        """Begin a session, if there is room."""
        host = host_of(self._network.getPeer())
        try:
            self._services.admission.begin_session(host)
        except Refused:
            self._finish(TRY_AGAIN_LATER)
            return
        self._peer = PeerConnection(self._services, self, host)
        self._frames.attachProducer(self._peer)
        self._pulse.start()

    def textMessageReceived(self, message: str) -> None:
        """Hand a line or a reply to whoever the peer talks to."""
        self._pulse.heard()
        if self._peer is None:
            return
        if len(message.encode()) > self._services.limits.message:
            self.refuse(MESSAGE_TOO_BIG, "message too long")
        elif self._peer.engine is not None:
            self._peer.received(f"{message.rstrip()}\n\n".encode())
        elif "\n" in message:
            self.refuse(POLICY_VIOLATION, "one line a message")
        else:
            self._peer.received(f"{message}\n".encode())

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        """Nobody has anything binary to say."""
        del data
        self.refuse(POLICY_VIOLATION, "text messages only")

    def pongReceived(self, payload: bytes) -> None:
        """The peer is there."""
        del payload
        self._pulse.heard()

    def connectionLost(self, reason: Failure) -> None:
        """Tell whoever the peer talked to."""
        self.is_closed = True
        self._pulse.stop()
        if self._peer is not None:
            self._peer.lost(reason.getErrorMessage())

    def refuse(self, code: int, reason: str) -> None:
        """Close with one of the codes of RFC 6455."""
        self._code = code
        if self._peer is not None and not self.is_closed:
            self._peer.disconnect(reason)

    # -- Transport ------------------------------------------------------------------------------

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send replies, or requests to an engine, each as a message."""
        messages = data.decode().splitlines() if to_engine else self._replies.split(data)
        with suppress(LocalProtocolError):  # the peer has said goodbye already
            for message in messages:
                self._frames.sendTextMessage(message)

    def read(self, *, wanted: bool) -> None:
        """Read on, or let the peer's bytes wait in the network."""
        if wanted:
            self._network.resumeProducing()
        else:
            self._network.pauseProducing()

    def disconnect(self) -> None:
        """Close once everything is written."""
        if not self.is_closed:
            self._frames.detachProducer()
            self._finish(GOING_AWAY if self._services.connections.is_closing else self._code)

    def abort(self) -> None:
        """Close at once."""
        self._network.abortConnection()

    def _finish(self, code: int) -> None:
        self.is_closed = True
        with suppress(LocalProtocolError):  # the peer has said goodbye already
            self._frames.loseConnection(code)
        self._network.loseConnection()

    def _ping(self) -> None:
        with suppress(LocalProtocolError):
            self._frames.ping()

    def _give_up(self) -> None:
        self._services.connections.count_cut_off("silence")
        self.abort()

    def _is_in_game(self) -> bool:
        return self._peer is not None and self._peer.is_in_game
