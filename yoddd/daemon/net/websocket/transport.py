"""The WebSocket transport: a message is a request line, or a whole reply without its empty line.

A streaming reply is sent line by line, each a message, and ends with an empty message. Once an
engine is attached, a message is a request to it or a whole reply from it. With channels, the number
of a channel precedes each message.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, cast
from urllib.parse import SplitResult, urlsplit

import attrs
from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from twisted.web.http import BAD_REQUEST, FORBIDDEN, SWITCHING
from twisted.web.pages import notFound
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET, Request
from websockets.datastructures import Headers
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request as Handshake
from websockets.protocol import State
from websockets.server import ServerProtocol

from yoddd.daemon.base.admission.admission import Refused
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.reactor_share import Waiting
from yoddd.daemon.connections.connection import CROWDED
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.tls import reason_of
from yoddd.daemon.net.websocket.sessions import Channels, SingleSession

Sessions = SingleSession | Channels
"""What a WebSocket carries."""

SessionsFactory = Callable[[Services, "WebSocketConnection", str | None], Sessions]

_CONTROL_BYTES: Final = 125
"""The longest payload of a control frame (RFC 6455, section 5.5)."""

_REASON_BYTES: Final = _CONTROL_BYTES - 2
"""The longest reason of a close frame, after its code."""

_SLICE: Final = 512
"""Bytes that are parsed at once: at most 85 frames, which take less than 2 ms."""


class WebSocketConnection:
    """A WebSocket, with one session or with many; the `Messages` that these send.

    Received bytes are parsed in slices, each in a turn of the reactor of its own and charged to the
    client's address, so that no client can delay the others. While bytes are left, the network is
    not read.

    Attributes:
        used: notes that the client has sent a request that is of use to it.
    """

    def __init__(
        self,
        services: Services,
        network: Connection,
        host: str | None,
        sessions: SessionsFactory,
        used: Callable[[], None] = lambda: None,
    ) -> None:
        """Create it.

        Args:
            services: the services of the daemon.
            network: the connection below the frames.
            host: of the client.
            sessions: makes what it carries.
            used: notes that the client has sent a request that is of use to it.
        """
        self.used = used
        self._services = services
        self._network = network
        self._host = host
        # The size of a message is exact in `_handle`; control frames may come within one.
        self._frames = ServerProtocol(
            state=State.OPEN, max_size=services.limits.message + _CONTROL_BYTES
        )
        # The intervals of pings and the longest silence, as they were at the beginning.
        self._limits = services.limits
        # The times of the latest message or pong, and of the latest ping.
        self._received = self._pinged = 0.0
        # The next check of the heartbeat; from the handshake to the end of the connection.
        self._next: IDelayedCall | None = None
        self._make_sessions = sessions
        # Set by `begin`, unless the connection is refused.
        self._sessions: Sessions | None = None
        # The message that is being received, as far as its frames are complete.
        self._message = bytearray()
        # What the client's address may use of the reactor's time; None for no limit.
        self._share = services.admission.share_of(host)
        # Bytes that are received and not parsed; bounded, since the network is paused meanwhile.
        self._waiting = bytearray()
        # Parses the next slice; set while bytes wait and the connection wants to read.
        self._timer: DelayedCall | Waiting | None = None
        # Whether the sessions want to read.
        self._is_wanted = True
        # The status code of the close frame; changed by `_refuse`.
        self._code = CloseCode.NORMAL_CLOSURE

    @property
    def _is_closed(self) -> bool:
        """Whether the connection is closed or closing, by either side."""
        return self._frames.state is not State.OPEN

    def begin(self) -> None:
        """Begin a session, or refuse it."""
        self._network.unregisterProducer()
        try:
            self._services.admission.begin_session(self._host)
        except Refused as refused:
            self._finish(CloseCode.TRY_AGAIN_LATER, str(refused))
            return
        self._sessions = self._make_sessions(self._services, self, self._host)
        # Backpressure is that of the sessions.
        self._network.registerProducer(self._sessions.producer, streaming=True)
        self._received = self._pinged = self._services.reactor.seconds()
        self._check_in(self._limits.silence)

    def receive(self, data: bytes) -> None:
        """Take bytes from the network."""
        self._waiting += data
        if self._timer is None:
            self._parse()

    def make_room(self) -> bool:
        """Close unless the client would lose something by that; return whether it does."""
        if self._sessions is not None and self._sessions.is_needed:
            return False
        self._services.connections.count_cut_off("room")
        self._refuse(CloseCode.TRY_AGAIN_LATER, CROWDED)
        return True

    def lost(self, reason: Failure) -> None:
        """End the sessions: the connection is closed."""
        self._frames.receive_eof()
        self._stop_heartbeat()
        if self._sessions is not None:
            self._sessions.lost(reason_of(reason))

    # -- frames ---------------------------------------------------------------------------------

    def _parse(self) -> None:
        """Parse a slice, if the client's address may use more time."""
        self._timer = None
        if self._share is None:
            self._take()
        elif self._share.wait() == 0:
            self._share.run(self._take)
        self._go_on()

    def _take(self) -> None:
        if self._sessions is None or self._is_closed:
            return
        self._frames.receive_data(self._waiting[:_SLICE])
        del self._waiting[:_SLICE]
        for frame in self._frames.events_received():
            if isinstance(frame, Frame) and not self._network.disconnecting:
                self._handle(frame, self._sessions)
        self._flush()
        if self._frames.eof_sent:
            self._refuse(self._code, "closed by the client, or for a malformed frame")

    def _handle(self, frame: Frame, sessions: Sessions) -> None:
        if frame.opcode is Opcode.PONG:
            self._received = self._services.reactor.seconds()
        elif frame.opcode is Opcode.BINARY:
            self.violated("text messages only")
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT):
            self._message += frame.data
            if len(self._message) > self._services.limits.message:
                self._refuse(CloseCode.MESSAGE_TOO_BIG, "message too long")
            elif frame.fin:
                self._received = self._services.reactor.seconds()
                message, self._message = self._message, bytearray()
                try:
                    sessions.received(message.decode())
                except UnicodeDecodeError:
                    self._refuse(CloseCode.INVALID_DATA, "text in UTF-8 only")

    def _flush(self) -> None:
        self._network.write(b"".join(self._frames.data_to_send()))

    def _go_on(self) -> None:
        """Resume reading after the bytes that wait are parsed, in a later turn."""
        if self._is_closed:
            self._waiting.clear()
            return
        if self._is_wanted and not self._waiting:
            self._network.resumeProducing()
        else:
            self._network.pauseProducing()
        if self._is_wanted and self._waiting and self._timer is None:
            if self._share is None:
                self._timer = self._services.reactor.callLater(0, self._parse)
            else:
                self._timer = self._share.later(self._services.reactor, self._parse)

    def _refuse(self, code: CloseCode, reason: str) -> None:
        """Close with a status code of RFC 6455, section 7.4.1."""
        if self._sessions is not None and not self._network.disconnecting:
            self._code = code
            self._sessions.disconnect(reason)

    # -- Messages -------------------------------------------------------------------------------

    def violated(self, reason: str) -> None:
        """Close: the client sent a message that is not allowed."""
        self._refuse(CloseCode.POLICY_VIOLATION, reason)

    def send(self, messages: Sequence[str]) -> None:
        """Send messages, unless either side has sent its close frame already."""
        if not self._is_closed:
            for message in messages:
                self._frames.send_text(message.encode())
            self._flush()

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading (backpressure)."""
        self._is_wanted = wanted
        self._go_on()

    def disconnect(self, reason: str) -> None:
        """Close once everything is written."""
        is_closing = self._services.connections.is_closing
        self._finish(CloseCode.GOING_AWAY if is_closing else self._code, reason)

    def abort(self) -> None:
        """Close at once and drop what is not written."""
        self._network.abortConnection()

    def _finish(self, code: CloseCode, reason: str) -> None:
        if not self._is_closed:
            text = reason.encode()[:_REASON_BYTES].decode(errors="ignore")
            self._frames.send_close(code, text)
        self._flush()
        self._network.unregisterProducer()
        self._network.loseConnection()

    # -- heartbeat ------------------------------------------------------------------------------

    def _check(self) -> None:
        """Ping the client, more often while it plays or watches a game; cut off a silent one."""
        limits, now = self._limits, self._services.reactor.seconds()
        in_game = self._sessions is not None and self._sessions.is_in_game
        left = self._received + (limits.game_silence if in_game else limits.silence) - now
        if left <= 0:
            self._stop_heartbeat()
            self._services.connections.count_cut_off("silence")
            self.abort()
            return
        if (in_game or now - self._pinged >= limits.ping) and not self._is_closed:
            self._pinged = now
            self._frames.send_ping(b"")
            self._flush()
        if self._next is not None:  # the ping may have ended the connection
            self._check_in(left)

    def _check_in(self, left: float) -> None:
        """Check again soon: a game may begin at any time, and the silence ends exactly."""
        delay = min(self._limits.game_ping, self._limits.ping, left)
        self._next = self._services.reactor.callLater(delay, self._check)

    def _stop_heartbeat(self) -> None:
        following, self._next = self._next, None
        if following is not None and following.active():
            following.cancel()


_HOST: Final = re.compile(
    r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[^\s:/@\[\]]+))(?::[0-9]*)?", re.IGNORECASE | re.ASCII
)
"""The header ``Host``: an address or a name, and perhaps a port."""


@attrs.define
class Origins:
    """The hosts that the daemon is served by, and the origins whose pages may open a WebSocket.

    A page of this server may. Any other name than these could have been rebound to this address by
    an attacker (DNS rebinding), for whose page the daemon would be of the same origin.

    Attributes:
        settings: name further origins, such as ``https://yodd.example``.
        names: the names of the interfaces that the daemon listens on.
    """

    settings: CurrentSettings = attrs.Factory(CurrentSettings)
    names: Collection[str] = ()

    def allow(self, origin: str | None, host: str | None) -> bool:
        """Return whether a page of ``origin`` may connect to ``host``.

        The origin is None for a client that is no browser, which may.
        """
        if origin is None or origin in self.settings.value.origins:
            return True
        parts = _split(origin)
        return parts is not None and parts.netloc == host and self.serve(host)

    def serve(self, host: str) -> bool:
        """Return whether the daemon goes by the name or address of a header ``Host``.

        It does by every address, because a page that was loaded from one is not rebound, by
        localhost and the names below it, and by the names of its interfaces and origins.
        """
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = (found["ipv6"] or found["name"]).lower().removesuffix(".")
        return _is_address(name) or f".{name}".endswith(".localhost") or name in self._names()

    def _names(self) -> set[str]:
        origins = filter(None, map(_split, self.settings.value.origins))
        names = {name.lower() for name in self.names} | {one.hostname or "" for one in origins}
        return names - {""}


def _split(origin: str) -> SplitResult | None:
    try:
        return urlsplit(origin)
    except ValueError:  # an unfinished IPv6 address, or letters that become others
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class WebSocketEndpoint(Resource):
    """The HTTP resource that upgrades a connection to a WebSocket."""

    def __init__(
        self, services: Services, origins: Origins, sessions: SessionsFactory = SingleSession
    ) -> None:
        """Create it; all connections share ``services``, and carry what ``sessions`` makes."""
        super().__init__()
        self._sessions = sessions
        self.origins = origins
        self._services = services

    def getChild(self, path: bytes, request: Request) -> IResource:
        """Return the page for an unknown address."""
        del path, request
        return notFound()

    def render_GET(self, request: Request) -> bytes | int:
        """Upgrade the connection, unless its origin is not allowed."""
        origin, host = _header(request, b"origin"), _header(request, b"host")
        if not self.origins.allow(origin, host):
            request.setResponseCode(FORBIDDEN)
            return b"this page may not connect here\n"
        reply = ServerProtocol().accept(_handshake(request))
        if reply.status_code != SWITCHING:
            request.setResponseCode(BAD_REQUEST)
            return bytes(reply.body)
        channel = cast("GuardedChannel", request.channel)
        channel.transport.write(reply.serialize())
        connection = WebSocketConnection(
            self._services,
            channel.transport,
            channel.host,
            self._sessions,
            lambda: self._services.admission.used(channel),
        )
        channel.become_websocket(connection.receive, connection.lost, connection.make_room)
        connection.begin()
        return NOT_DONE_YET


def _handshake(request: Request) -> Handshake:
    headers = Headers()
    for name, values in request.requestHeaders.getAllRawHeaders():
        for value in values:
            headers[name.decode("latin-1")] = value.decode("latin-1")
    return Handshake("", headers, request.method.decode(), request.clientproto.decode())


def _header(request: Request, name: bytes) -> str | None:
    """Return a header, or None; unlike Twisted's, any bytes are a text."""
    value = request.getHeader(name)
    return None if value is None else value.decode("latin-1")
