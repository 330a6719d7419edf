"""The rules that all resources below ``/api`` share: methods, parameters, errors and CORS."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from twisted.web import http
from twisted.web.http import OK
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from yoddd.daemon.pages.negotiation import add_vary, is_cached
from yoddd.daemon.pages.parameters import ApiError

HEADERS: Final = {
    b"cache-control": b"no-cache",
    b"content-type": b"application/json",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}


def write_json(request: Request, status: int, values: Mapping[str, Any]) -> None:
    """Write the reply to a request, without a body if the browser has the same one already.

    Args:
        request: the request to finish.
        status: the HTTP status; only a reply with 200 has an ETag.
        values: the body.
    """
    body = json.dumps(values, allow_nan=False).encode()
    for name, value in HEADERS.items():
        request.setHeader(name, value)
    request.setResponseCode(status)
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    if status != OK or not is_cached(request, tag):
        request.setHeader(b"content-length", str(len(body)).encode())
        request.write(b"" if request.method == b"HEAD" else body)
    request.finish()


METHODS: Final = b"GET, HEAD, OPTIONS"
"""The methods of every resource here."""

_CACHED_PREFLIGHT: Final = b"86400"
"""Seconds for which a browser may keep the answer to a CORS preflight."""


class JsonResource(Resource):
    """A resource whose replies are JSON, also those to unknown methods and paths below it.

    Subclasses have ``render_GET``; it may raise `ApiError`.

    Attributes:
        methods: those that it has, for the header ``Allow``.
    """

    methods = METHODS

    def render(self, request: Request) -> int:
        """Reply; 405 for a method that the resource does not have."""
        if request.method == b"OPTIONS":
            request.setHeader(b"allow", self.methods)
            request.setResponseCode(http.NO_CONTENT)
            request.finish()
        elif request.method in (b"GET", b"HEAD"):
            try:
                return self.render_GET(request)
            except ApiError as error:
                write_json(request, error.status, {"error": str(error)})
        else:
            request.setHeader(b"allow", self.methods)
            method = request.method.decode("ascii", "replace")
            text = f"{method}: expected {self.methods.decode()}"
            write_json(request, http.NOT_ALLOWED, {"error": text})
        return NOT_DONE_YET

    def render_GET(self, request: Request) -> int:
        """Refuse: there is nothing at this address itself."""
        raise ApiError(http.NOT_FOUND, f"no such address: {_path(request)}")

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the resource of an unknown address."""
        del path
        request.postpath = []
        return NOT_FOUND


def _path(request: Request) -> str:
    return request.path.decode("utf-8", "replace")


NOT_FOUND: Final = JsonResource()
"""Replies to unknown addresses."""


class ApiRoot(JsonResource):
    """``/api``; it lets pages of the allowed origins read everything below it."""

    def __init__(self, origins: Callable[[], tuple[str, ...]]) -> None:
        """Create it; ``origins`` returns the origins that may read, or ``*`` for all."""
        super().__init__()
        self._origins = origins

    def getChildWithDefault(self, path: bytes, request: Request) -> Resource:
        """Return the resource below, with the CORS headers of its reply set."""
        self._allow(request)
        found: Resource = super().getChildWithDefault(path, request)
        return found

    def render(self, request: Request) -> int:
        """Reply to a request for ``/api`` itself."""
        self._allow(request)
        return super().render(request)

    def _allow(self, request: Request) -> None:
        """Set the headers of the Fetch standard, if the origin of the page is allowed."""
        allowed = self._origins()
        if not allowed:
            return
        origin = request.getHeader(b"origin")
        if "*" in allowed:
            request.setHeader(b"access-control-allow-origin", b"*")
        else:
            add_vary(request, b"origin")
            if origin is None or origin.decode("latin-1") not in allowed:
                return
            request.setHeader(b"access-control-allow-origin", origin)
        request.setHeader(b"access-control-expose-headers", b"etag, retry-after")
        if request.method == b"OPTIONS":
            request.setHeader(b"access-control-allow-methods", METHODS)
            request.setHeader(b"access-control-allow-headers", b"if-none-match")
            request.setHeader(b"access-control-max-age", _CACHED_PREFLIGHT)
