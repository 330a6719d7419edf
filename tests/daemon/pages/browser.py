"""A browser that sends requests to resources without a network."""

from __future__ import annotations

import base64
import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import attrs
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogLevel, capturedLogs
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from tests.daemon.net.doubles import MemoryTransport

UPGRADE: Final = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec_websocket_version": "13",
    "sec_websocket_key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""The headers of a request that makes a connection a WebSocket."""


@attrs.frozen
class Reply:
    """One reply; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def values(self) -> Any:
        return json.loads(self.body)


def basic(name: str, token: str) -> dict[str, str]:
    """The headers of a log-in."""
    return {"authorization": "Basic " + base64.b64encode(f"{name}:{token}".encode()).decode()}


class Browser:
    """One connection to a site."""

    def __init__(self, root: Resource | Site, host: str | None = "127.0.0.1") -> None:
        """Connect from ``host``; None for a UNIX socket."""
        site = Site(root, reactor=MemoryReactorClock()) if isinstance(root, Resource) else root
        self.transport = MemoryTransport(host)
        # Twisted's wrapper of a channel, which has the channel in `_channel`, or a channel itself.
        self.channel: Any = site.buildProtocol(self.transport.getPeer())
        self.channel.makeConnection(self.transport)

    def get(self, path: str, *, method: str = "GET", **headers: str) -> Reply:
        """Send a request whose reply is written at once, and return that."""
        self.send(path, method=method, **headers)
        return self.reply()

    def send(self, path: str, *, method: str = "GET", **headers: str) -> None:
        """Send a request; an underscore in the name of a header is a hyphen."""
        self.transport.clear()
        given = {"host": "localhost", **headers}
        lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items()]
        text = "".join([f"{method} {path} HTTP/1.1\r\n", *lines, "\r\n"])
        self.channel.dataReceived(text.encode())

    @property
    def pending(self) -> Request:
        """The request that waits for its reply."""
        (request,) = getattr(self.channel, "_channel", self.channel).requests
        found: Request = request
        return found

    def reply(self) -> Reply:
        """Parse what was written since the request."""
        head, _, body = self.transport.value().partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        pairs = (line.split(": ", 1) for line in lines)
        headers = {name.lower(): value for name, value in pairs}
        if headers.get("transfer-encoding") == "chunked":
            body = b"".join(_chunks(body))
        return Reply(int(first.split()[1]), headers, body)

    def disconnect(self) -> None:
        self.channel.connectionLost(Failure(ConnectionDone()))


def _chunks(body: bytes) -> Iterator[bytes]:
    while body:
        size, _, rest = body.partition(b"\r\n")
        yield rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]


@contextmanager
def no_errors_logged(generation: int = 2) -> Iterator[None]:
    """Fail if anything is logged as critical, unhandled errors of Deferreds included.

    Those are found by the garbage collector, up to a generation: 1 takes little time.
    """
    with capturedLogs() as events:
        yield
        gc.collect(generation)
    assert [event for event in events if event["log_level"] is LogLevel.critical] == []
