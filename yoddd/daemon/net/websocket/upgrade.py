"""The upgrade from HTTP to a WebSocket: the hosts, the origins, and the limit on messages."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from typing import Final, cast
from urllib.parse import SplitResult, urlsplit

import attrs
from twisted.web.http import BAD_REQUEST, FORBIDDEN, SWITCHING
from twisted.web.pages import notFound
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET, Request
from websockets.datastructures import Headers
from websockets.http11 import Request as Handshake
from websockets.server import ServerProtocol

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.sessions import SingleSession
from yoddd.daemon.net.websocket.transport import SessionsFactory, WebSocketConnection

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
