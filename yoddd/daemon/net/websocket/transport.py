"""The WebSocket transport: a message is a request line, or a whole reply without its empty line.

A streaming reply is sent line by line, each a message, and ends with an empty message. Once an
engine is attached, a message is a request to it or a whole reply from it. With channels, the number
of a channel precedes each message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from twisted.web.websocket import WebSocketTransport
from wsproto.utilities import LocalProtocolError

from yoddd.daemon.base.admission import Refused
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.websocket.heartbeat import Heartbeat
from yoddd.daemon.net.websocket.sessions import Sessions, SessionsFactory

NORMAL: Final = 1000
GOING_AWAY: Final = 1001
POLICY_VIOLATION: Final = 1008
MESSAGE_TOO_BIG: Final = 1009
TRY_AGAIN_LATER: Final = 1013

_REASON_BYTES: Final = 123
"""The longest reason of a close frame (RFC 6455, section 5.5.1)."""


class WebSocketConnection:
    """A WebSocket, with one session or with many.

    It implements `twisted.web.websocket.WebSocketProtocol`, which receives messages, and
    `Messages`, which sends them.

    Attributes:
        is_closed: whether the connection is closed or closing; set once, by a close of either side.
    """

    # Sends frames; set by negotiationStarted, before any other event.
    _frames: WebSocketTransport

    def __init__(
        self, services: Services, network: Connection, host: str | None, sessions: SessionsFactory
    ) -> None:
        """Create it for the client at ``host``; ``network`` is the connection below the frames."""
        self.is_closed = False
        self._services = services
        self._network = network
        self._host = host
        # Runs from the handshake to the end of the connection.
        self._heartbeat = Heartbeat(
            services.reactor, services.limits, self._is_in_game, self._ping, self._time_out
        )
        self._make_sessions = sessions
        # Set at the end of the handshake, unless the connection is refused.
        self._sessions: Sessions | None = None
        # Called when the connection wants to read again; set once by `on_read`.
        self._read_again: Callable[[], None] = lambda: None
        # Whether the connection wants to read, and whether received bytes wait to be parsed.
        self._is_wanted = True
        self._is_held = False
        # The status code of the close frame; changed by `refuse`.
        self._code = NORMAL

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        """Take the frames; their backpressure is that of the sessions."""
        self._frames = transport
        transport.detachProducer()

    def negotiationFinished(self) -> None:
        """Begin a session, or refuse it."""
        try:
            self._services.admission.begin_session(self._host)
        except Refused as refused:
            self._finish(TRY_AGAIN_LATER, str(refused))
            return
        self._sessions = self._make_sessions(self._services, self, self._host)
        self._frames.attachProducer(self._sessions.producer)
        self._heartbeat.start()

    def textMessageReceived(self, message: str) -> None:
        """Pass a message to the sessions."""
        self._heartbeat.received()
        if self._sessions is None or self.is_closed:
            return
        if len(message.encode()) > self._services.limits.message:
            self.refuse(MESSAGE_TOO_BIG, "message too long")
        else:
            self._sessions.received(message)

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        """Refuse binary messages."""
        del data
        self.refuse(POLICY_VIOLATION, "text messages only")

    def pongReceived(self, payload: bytes) -> None:
        """Note that the client has answered a ping."""
        del payload
        self._heartbeat.received()

    def connectionLost(self, reason: Failure) -> None:
        """End the sessions."""
        self.is_closed = True
        self._heartbeat.stop()
        if self._sessions is not None:
            self._sessions.lost(reason.getErrorMessage())

    def refuse(self, code: int, reason: str) -> None:
        """Close with a status code of RFC 6455, section 7.4.1."""
        self._code = code
        if self._sessions is not None and not self.is_closed:
            self._sessions.disconnect(reason)

    # -- Messages -------------------------------------------------------------------------------

    def violated(self, reason: str) -> None:
        """Close: the client sent a message that is not allowed."""
        self.refuse(POLICY_VIOLATION, reason)

    def send(self, messages: Sequence[str]) -> None:
        """Send messages."""
        with suppress(LocalProtocolError):  # the client has sent its close frame already
            for message in messages:
                self._frames.sendTextMessage(message)

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading (backpressure)."""
        is_again = wanted and not self._is_wanted
        self._is_wanted = wanted
        self._set_reading()
        if is_again:
            self._read_again()

    @property
    def is_wanted(self) -> bool:
        """Whether the connection wants to read."""
        return self._is_wanted

    def on_read(self, call: Callable[[], None]) -> None:
        """Have ``call`` called whenever the connection wants to read again."""
        self._read_again = call

    def hold(self, *, held: bool) -> None:
        """Do not read from the network while received bytes wait to be parsed."""
        if held != self._is_held:
            self._is_held = held
            self._set_reading()

    def _set_reading(self) -> None:
        if self.is_closed:
            return
        if self._is_wanted and not self._is_held:
            self._network.resumeProducing()
        else:
            self._network.pauseProducing()

    def disconnect(self, reason: str) -> None:
        """Close once everything is written."""
        if not self.is_closed:
            self._frames.detachProducer()
            is_closing = self._services.connections.is_closing
            self._finish(GOING_AWAY if is_closing else self._code, reason)

    def abort(self) -> None:
        """Close at once and drop what is not written."""
        self._network.abortConnection()

    def _finish(self, code: int, reason: str) -> None:
        self.is_closed = True
        text = reason.encode()[:_REASON_BYTES].decode(errors="ignore")
        with suppress(LocalProtocolError):  # the client has sent its close frame already
            self._frames.loseConnection(code, text)  # type: ignore[call-arg]  # its protocol lacks the reason
        self._network.loseConnection()

    def _ping(self) -> None:
        with suppress(LocalProtocolError):
            self._frames.ping()

    def _time_out(self) -> None:
        self._services.connections.count_cut_off("silence")
        self.abort()

    def _is_in_game(self) -> bool:
        return self._sessions is not None and self._sessions.is_in_game
