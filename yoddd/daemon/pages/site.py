"""The site of the HTTP port: the files of the web board, the WebSocket and further resources."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final

from twisted.web import http
from twisted.web.http import CACHED
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.channels import Channels
from yoddd.daemon.net.websocket.sessions import SingleAnalysis
from yoddd.daemon.net.websocket.upgrade import Origins, WebSocketEndpoint

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}

_HEADERS: Final = {
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        b"img-src 'self' data: blob:; manifest-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    b"cross-origin-opener-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}


class Asset(Resource):
    """A file, held in memory plain and compressed.

    Attributes:
        packed: the content compressed by gzip.
    """

    isLeaf = True  # noqa: N815 — Twisted's name

    def __init__(self, name: str, content: bytes) -> None:
        """Create it; the suffix of ``name`` gives the content type."""
        super().__init__()
        self._type = _TYPES[PurePosixPath(name).suffix].encode()
        self._plain = content
        self.packed = gzip.compress(content, 9, mtime=0)
        self._tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'.encode()

    def render_GET(self, request: Request) -> bytes:
        """Reply with the content, or without a body if the browser has it already."""
        for name, value in _HEADERS.items():
            request.setHeader(name, value)
        # The browser must revalidate each time, or a page could mix files of two versions.
        request.setHeader(b"cache-control", b"no-cache")
        request.setHeader(b"content-type", self._type)
        request.setHeader(b"vary", b"accept-encoding")
        if request.setETag(self._tag) is CACHED:
            return b""
        body = self._plain
        if b"gzip" in (request.getHeader(b"accept-encoding") or b""):
            request.setHeader(b"content-encoding", b"gzip")
            body = self.packed
        request.setHeader(b"content-length", str(len(body)).encode())
        return b"" if request.method == b"HEAD" else body


def load_assets(folder: Traversable, prefix: str = "") -> dict[str, Asset]:
    """Return the files below ``folder`` that are served, by path."""
    found: dict[str, Asset] = {}
    for item in folder.iterdir():
        path = prefix + item.name
        if item.is_dir():
            found |= load_assets(item, f"{path}/")
        elif PurePosixPath(item.name).suffix in _TYPES:
            found[path] = Asset(item.name, item.read_bytes())
    return found


class _UnloggedSite(Site):
    """A site without an access log, for HTTP/1.1 only."""

    displayTracebacks = False  # noqa: N815 — Twisted's name
    noisy = False

    def __init__(self, services: Services, root: Resource) -> None:
        super().__init__(root, reactor=services.reactor)
        self.protocol = lambda: GuardedChannel(services)  # type: ignore[assignment, return-value]  # a factory will do

    def log(self, request: http.Request) -> None:
        del request


def site(
    services: Services, origins: Origins, others: Mapping[bytes, Resource] | None = None
) -> Site:
    """Return the site: the board at ``/``, its files beside it, the WebSocket at ``/ws``.

    A WebSocket at ``/ws/channels`` carries many sessions, one at ``/ws/analysis`` analyses.

    Args:
        services: for the connections of clients.
        origins: the origins from which a browser may open the WebSocket.
        others: further resources, by name.
    """
    root = Resource()
    for path, asset in load_assets(files("yoddd") / "web").items():
        *folders, name = path.encode().split(b"/")
        parent: Resource = root
        for folder in folders:
            if folder not in parent.children:
                parent.putChild(folder, Resource())
            parent = parent.children[folder]
        parent.putChild(name, asset)
        if path == "index.html":
            root.putChild(b"", asset)
    socket = WebSocketEndpoint(services, origins)
    socket.putChild(b"channels", WebSocketEndpoint(services, origins, Channels))
    socket.putChild(b"analysis", WebSocketEndpoint(services, origins, SingleAnalysis))
    root.putChild(b"ws", socket)
    for name, resource in (others or {}).items():
        root.putChild(name, resource)
    return _UnloggedSite(services, root)
