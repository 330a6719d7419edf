"""The door from HTTP to a WebSocket: which pages may pass, and how much a message may weigh."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import cast
from urllib.parse import urlsplit

import attrs
from twisted.internet.tcp import Connection
from twisted.web.http import FORBIDDEN
from twisted.web.server import Request
from twisted.web.websocket import WebSocketResource
from wsproto.utilities import LocalProtocolError

from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.frames import Scale
from yoddd.daemon.net.websocket.transport import MESSAGE_TOO_BIG, WebSocketConnection


@attrs.define
class Origins:
    """Which pages may open a WebSocket.

    A page of this server's own may, where the browser reached it under an address or as localhost:
    a foreign name could have been pointed here to get at it.

    Attributes:
        others: further origins, such as ``https://yodd.example``.
    """

    others: Collection[str] = ()

    def allow(self, origin: str | None, host: str | None) -> bool:
        """Whether a page of ``origin`` may connect to ``host``; None: not a browser's page."""
        if origin is None or origin in self.others:
            return True
        where = urlsplit(origin)
        return where.netloc == host and _is_plain(where.hostname or "")


def _is_plain(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost"
    return True


class Socket(WebSocketResource):
    """Where boards connect."""

    def __init__(self, services: Services, origins: Origins) -> None:
        """All connections share ``services``."""
        super().__init__(self)
        self.origins = origins
        self._services = services
        self._made: WebSocketConnection | None = None

    def buildProtocol(self, request: Request) -> WebSocketConnection:
        """The adapter of a new connection."""
        network = cast("Connection", request.channel.transport)
        self._made = WebSocketConnection(self._services, network)
        return self._made

    def render_GET(self, request: Request) -> bytes | int:
        """Upgrade the connection, if the page may."""
        origin, host = request.getHeader("origin"), request.getHeader("host")
        if not self.origins.allow(origin, host):
            request.setResponseCode(FORBIDDEN)
            return b"this page may not connect here\n"
        channel = cast("GuardedChannel", request.channel)
        result = super().render_GET(request)
        made, self._made = self._made, None
        if made is not None:  # no malformed handshake
            gate = _Gate(made, channel.dataReceived, self._services.limits.message)
            channel.dataReceived = gate.receive  # type: ignore[method-assign]  # as Twisted does
            channel.became_websocket()
        return result


@attrs.define
class _Gate:
    """Stands before Twisted's frames, which take messages of any size and never give up.

    Attributes:
        connection: whose frames they are.
        inner: takes the bytes that are let through.
        limit: bytes of a message.
        scale: weighs the one that comes.
    """

    connection: WebSocketConnection
    inner: Callable[[bytes], None]
    limit: int
    scale: Scale = attrs.Factory(Scale)

    def receive(self, data: bytes) -> None:
        """Let bytes through unless they make too long a message."""
        if self.connection.is_closed:
            return
        with suppress(LocalProtocolError):  # something after the peer's goodbye
            self.inner(data)
        self.scale.add(data)
        if self.scale.pending > self.limit:
            self.connection.refuse(MESSAGE_TOO_BIG, f"message over {self.limit} bytes")
