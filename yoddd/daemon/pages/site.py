"""The site of the HTTP port: the files of the page, the WebSocket and further resources."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final

from twisted.web import http
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.http_channel import GuardedChannel, ProxiedRequest
from yoddd.daemon.net.websocket.sessions import Channels, SingleAnalysis
from yoddd.daemon.net.websocket.transport import Origins, WebSocketEndpoint
from yoddd.daemon.pages.browser_engine import MODULE, shipped_engine
from yoddd.daemon.pages.joined import join_page
from yoddd.daemon.pages.json_resource import NOT_FOUND, write_json
from yoddd.daemon.pages.negotiation import accepts_gzip, add_vary, field, is_cached
from yoddd.daemon.pages.shell import FOLDER, POLICY, render_error, render_pages
from yoddd.daemon.pages.static_site import KEEPER, MANIFEST, keeper, manifest
from yoddd.library.puzzles import shipped
from yoddd.rules.games import BUILT_IN

Guard = Callable[[Sequence[bytes], IResource], IResource]

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".table": "application/octet-stream",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}

_HEADERS: Final = {
    b"content-security-policy": f"{POLICY}; frame-ancestors 'none'".encode(),
    b"cross-origin-opener-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}

_REVALIDATED: Final = b"no-cache"
"""The browser must revalidate each time, or a page could mix files of two versions."""

_TITLES: Final = {
    "puzzle": "A puzzle: find the turn that wins",
    "study": "A study",
    "archive": "A game",
    "table": "A game to watch",
    "run": "A game of a tournament",
    "position": "A position",
    "game": "A game",
}
"""The titles of links, by the parameter that names the board; the first that is given counts."""

_LASTING: Final = b"public, max-age=31536000, immutable"
"""For a path that changes with its content."""


_PUZZLES: Final = "puzzles.jsonl"

_KEPT: Final = re.compile(r"(?!js/|previews/|[\w]+\.css$)")
"""The files that an installed page keeps: all but previews, and what others join."""


class Asset(Resource):
    """A file, held in memory plain and, once a browser has asked for it so, compressed.

    Attributes:
        content: the file.
    """

    isLeaf = True

    def __init__(self, name: str, content: bytes, *, is_lasting: bool = False) -> None:
        """Create it.

        Args:
            name: the suffix gives the content type.
            content: the file.
            is_lasting: whether the content can never be another one.
        """
        super().__init__()
        self._type = _TYPES[PurePosixPath(name).suffix].encode()
        self.content = content
        self._tag = hashlib.sha256(content).hexdigest()[:20]
        self._caching = _LASTING if is_lasting else _REVALIDATED

    @cached_property
    def packed(self) -> bytes:
        """The content compressed by gzip."""
        return gzip.compress(self.content, 9, mtime=0)

    def render_GET(self, request: Request) -> bytes | int:
        """Reply with the content, or without a body if the browser has it already."""
        for name, value in _HEADERS.items():
            request.setHeader(name, value)
        request.setHeader(b"cache-control", self._caching)
        request.setHeader(b"content-type", self._type)
        add_vary(request, b"accept-encoding")
        is_packed = accepts_gzip(field(request, "accept-encoding"))
        if is_cached(request, f'"{self._tag}{"-gzip" * is_packed}"'):
            request.finish()
            return NOT_DONE_YET
        body = self.content
        if is_packed:
            request.setHeader(b"content-encoding", b"gzip")
            body = self.packed
        request.setHeader(b"content-length", str(len(body)).encode())
        return b"" if request.method == b"HEAD" else body


class JoinedAsset(Asset):
    """A page whose modules are joined, unless its address ends with ``?modules``.

    That is for tests, and for developers who look at one module.
    """

    def __init__(self, name: str, joined: bytes, source: bytes) -> None:
        """Create it from both forms of the page."""
        super().__init__(name, joined)
        self._source = Asset(name, source)

    def render_GET(self, request: Request) -> bytes | int:
        """Reply with the page."""
        if request.uri.endswith(b"?modules"):
            return self._source.render_GET(request)
        tags = preview_tags(request)
        if tags:
            content = self.content.replace(b"</title>", b"</title>" + tags.encode(), 1)
            return Asset("page.html", content).render_GET(request)
        return super().render_GET(request)


def preview_tags(request: Request) -> str:
    """The elements by which other sites show a link whose query names a board; empty without."""
    given = {name: texts[-1].decode("latin-1") for name, texts in (request.args or {}).items()}
    named = [name for name in _TITLES if name.encode() in given]
    host = (request.getHeader(b"host") or b"").decode("latin-1")
    if not named or not host:
        return ""
    is_secure = request.isSecure() or request.getHeader(b"x-forwarded-proto") == b"https"
    folder = request.path.decode("latin-1").rpartition("/")[0]
    begins = "".join(given.get(name, "") for name in (b"position", b"game", b"puzzle"))
    game = re.split(r"\W", begins)[0]
    game = game if game in BUILT_IN else "yodd"
    image = f"{'https' if is_secure else 'http'}://{host}{folder}/previews/{game}.png"
    values = {
        "og:type": "website",
        "og:site_name": "yoddd",
        "og:title": _TITLES[named[0]],
        "og:image": image,
        "og:image:width": "600",
        "og:image:height": "315",
    }
    tags = [f'<meta property="{name}" content="{escape(text)}">' for name, text in values.items()]
    return "".join([*tags, '<meta name="twitter:card" content="summary_large_image">'])


def load_assets() -> dict[str, Asset]:
    """Return the files of the page and what they load, by path."""
    found = {
        path: content
        for path, content in files_below(files("yoddd") / "web")
        if not path.startswith(f"{FOLDER}/") and path != MODULE
    }
    assets = {path: Asset(path, content) for path, content in found.items()}
    for path, content in shipped_engine().files.items():
        assets[path] = Asset(path, content, is_lasting=True)
    for path, source in render_pages().items():
        joined = join_page(source, lambda name: found[name].decode())
        assets[path] = JoinedAsset(path, joined.html.encode(), source.encode())
        for name, text in joined.files.items():
            assets[name] = Asset(name, text.encode(), is_lasting=True)
    assets[_PUZZLES] = Asset(_PUZZLES, shipped().encode())
    assets[MANIFEST] = Asset(MANIFEST, manifest())
    kept = {path: one.content for path, one in assets.items() if _KEPT.match(path)}
    assets[KEEPER] = Asset(KEEPER, keeper(kept, is_fresh=True))
    return assets


def files_below(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield the files of known types below a folder, by path."""
    for item in folder.iterdir():
        path = prefix + item.name
        if item.is_dir():
            yield from files_below(item, f"{path}/")
        elif PurePosixPath(item.name).suffix in _TYPES:
            yield path, item.read_bytes()


class UnloggedSite(Site):
    """A site without an access log, for HTTP/1.1 only."""

    displayTracebacks = False
    noisy = False
    requestFactory = ProxiedRequest

    def __init__(
        self, services: Services, origins: Origins, root: Resource, guard: Guard | None = None
    ) -> None:
        """Create it for what is below ``root``, served by the hosts of ``origins``."""
        super().__init__(root, reactor=services.reactor)
        self._origins = origins
        self._guard = guard
        self.protocol = lambda: GuardedChannel(services)  # type: ignore[assignment, return-value]  # a factory will do

    def log(self, request: http.Request) -> None:
        """Log nothing."""
        del request

    def getResourceFor(self, request: Request) -> IResource:
        """Return the resource of a request, unless the daemon is not served by its ``Host``.

        A request without that header is not from a browser. Nothing is below a leaf, for which
        Twisted would answer: a proxy that refuses the leaf's own path only would let that pass.
        """
        for host in request.requestHeaders.getRawHeaders(b"host", ()):
            if not self._origins.serve(host.decode("latin-1")):
                return _Misdirected(host)
        path = tuple(request.postpath or ())
        found: IResource = super().getResourceFor(request)
        if request.postpath:
            found = NOT_FOUND if path[0] == b"api" else _Error()
        elif getattr(type(found), "render", None) is Resource.render:
            # For a method that it does not have, Twisted would reply in words of its own.
            if not hasattr(found, "render_GET"):
                found = _Error()
            elif not hasattr(found, f"render_{request.method.decode('latin-1')}"):
                found = _Error("refused")
        return found if self._guard is None else self._guard(path, found)


class _Misdirected(Resource):
    """The reply to a request for a host that the daemon is not served by."""

    isLeaf = True

    def __init__(self, host: bytes) -> None:
        super().__init__()
        name = host.decode("ascii", "replace").partition(":")[0][:100]
        self._text = f"this server is not called {name}: use its address, or name it in `origins`"

    def render(self, request: Request) -> bytes | int:
        if request.path.startswith(b"/api"):
            write_json(request, HTTPStatus.MISDIRECTED_REQUEST, {"error": self._text})
            return NOT_DONE_YET
        request.setResponseCode(HTTPStatus.MISDIRECTED_REQUEST, b"Misdirected Request")
        request.setHeader(b"content-type", b"text/plain; charset=utf-8")
        return b"" if request.method == b"HEAD" else f"{self._text}\n".encode()


class _Folder(Resource):
    """A folder of the site."""

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the page for an address that leads nowhere."""
        del path, request
        return _Error()


class _Error(Resource):
    """The page of an error: for an address that leads nowhere, or a method that is refused."""

    isLeaf = True

    def __init__(self, name: str = "missing") -> None:
        super().__init__()
        self._name = name

    def render(self, request: Request) -> bytes:
        for name, value in _HEADERS.items():
            request.setHeader(name, value)
        status = HTTPStatus.NOT_FOUND
        if self._name == "refused":
            status = HTTPStatus.METHOD_NOT_ALLOWED
            request.setHeader(b"allow", b"GET, HEAD")
        request.setResponseCode(status, status.phrase.encode())
        request.setHeader(b"content-type", b"text/html; charset=utf-8")
        add_vary(request, b"accept-language")
        # Relative, so that it also leads home behind a proxy that serves the site in a folder.
        root = "../" * (request.path.count(b"/") - 1) or "./"
        body = render_error(self._name, root, field(request, "accept-language")).encode()
        request.setHeader(b"content-length", str(len(body)).encode())
        return b"" if request.method == b"HEAD" else body


def site(
    services: Services,
    origins: Origins,
    others: Mapping[bytes, Resource] | None = None,
    guard: Guard | None = None,
) -> Site:
    """Return the site: the board at ``/``, its files beside it, the WebSocket at ``/ws``.

    The puzzles are at ``/puzzles.jsonl``. A WebSocket at ``/ws/channels`` carries many sessions,
    one at ``/ws/analysis`` analyses.

    Args:
        services: for the connections of clients.
        origins: the hosts it is served by, and the origins that may open the WebSocket.
        others: further resources, by name.
        guard: returns the resource that is to reply to a path, for the one that is there; None if
            that always is the one itself.
    """
    root = _Folder()
    for path, asset in load_assets().items():
        *folders, name = path.encode().split(b"/")
        parent: Resource = root
        for folder in folders:
            if folder not in parent.children:
                parent.putChild(folder, _Folder())
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
    return UnloggedSite(services, origins, root, guard)
