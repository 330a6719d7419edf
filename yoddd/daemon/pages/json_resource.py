"""The rules that all resources below ``/api`` share: methods, parameters, errors and CORS.

Some make their replies later; with a pacer those to one address one after the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from typing import Any, Final, TypeVar

from twisted.internet.defer import Deferred, DeferredLock
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.http import INTERNAL_SERVER_ERROR, OK, SERVICE_UNAVAILABLE, UNAUTHORIZED
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from yoddd.daemon.base.admission.admission import host_of, place_of
from yoddd.daemon.base.process.reactor_share import run_charged
from yoddd.daemon.pages.negotiation import add_vary, is_cached
from yoddd.daemon.pages.parameters import ApiError, Parameters, Values, read_parameters
from yoddd.protocol.errors import PeerError
from yoddd.store.errors import StoreError

T = TypeVar("T")

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


# -- replies that are made later ------------------------------------------------------------


class Pacer:
    """Lets one query of each address run at a time.

    An address holds one thread at most, however many connections it has.
    """

    def __init__(self) -> None:
        """Create it without queries."""
        # A lock for each address with queries.
        self._locks: dict[object, DeferredLock] = {}

    def run(self, request: Request, query: Callable[[], Deferred[T]]) -> Deferred[T]:
        """Start ``query`` when the earlier ones of the client's address have ended."""
        client = place_of(host_of(request.getClientAddress()))
        lock = self._locks.setdefault(client, DeferredLock())
        # It is charged to the address, whenever it starts.
        running: Deferred[T] = lock.run(copy_context().run, query)

        def ended(result: T) -> T:
            if not lock.locked and self._locks.get(client) is lock:
                del self._locks[client]
            return result

        return running.addBoth(ended)


RETRY_AFTER: Final = 5
"""Seconds after which a client may ask again while the store is away."""

_TOO_MANY: Final = 429  # RFC 6585; Twisted has no name for it

_CHALLENGE: Final = b'Basic-Token realm="yoddd"'
"""Asks for the credentials. For plain ``Basic`` a browser would show a dialog of its own."""

Reply = tuple[int, Mapping[str, Any]]
"""The status and the values of a reply."""

_log = Logger()


def refusal_of(request: Request, failure: Failure) -> Reply:
    """Return the reply to a request that failed; a fault of ours is logged."""
    error = failure.value
    if isinstance(error, StoreError):  # its text, which the log has, may tell of the server
        _log.warn("no reply over HTTP: {error}", error=str(error))
        request.setHeader(b"retry-after", str(RETRY_AFTER).encode())
        return SERVICE_UNAVAILABLE, {"error": "the store is away"}
    if isinstance(error, PeerError):
        error = ApiError(_TOO_MANY if error.fatal else UNAUTHORIZED, error.text)
    if not isinstance(error, ApiError):
        _log.failure("a request failed", failure)
        return INTERNAL_SERVER_ERROR, {"error": "internal error"}
    if error.status == UNAUTHORIZED:
        request.setHeader(b"www-authenticate", _CHALLENGE)
    return error.status, {"error": str(error)}


class PacedResource(JsonResource):
    """A resource whose replies are made later, and whose errors are JSON."""

    def __init__(
        self,
        make: Callable[[Values], Awaitable[Any]] | None = None,
        parameters: Parameters | None = None,
        pacer: Pacer | None = None,
    ) -> None:
        """Create it.

        Args:
            make: makes the reply to GET from the parameters of a request; None if there is none.
            parameters: those that are accepted.
            pacer: shared by resources whose work for one address takes turns.
        """
        super().__init__()
        self._make = make
        self._parameters = parameters or {}
        self._pacer = pacer

    def render_GET(self, request: Request) -> int:
        """Reply, once that is made."""
        make = self._make
        if make is None:
            return super().render_GET(request)
        values = read_parameters(request, self._parameters)
        return self.pace(request, lambda: make(values))

    def pace(self, request: Request, make: Callable[[], Awaitable[Any]]) -> int:
        """Reply with what ``make`` returns, unless the client has disconnected meanwhile."""
        lost: list[Failure] = []  # empty until the client has disconnected
        request.notifyFinish().addErrback(lost.append)

        async def reply() -> None:
            found = await make()
            if not lost:
                await self.write(request, found)

        def work() -> Deferred[None]:
            return Deferred.fromCoroutine(reply())

        done = work() if self._pacer is None else self._pacer.run(request, work)
        done.addErrback(self._failed, request, lost)
        return NOT_DONE_YET

    async def write(self, request: Request, found: Any) -> None:
        """Write a reply; the values of a JSON object here."""
        run_charged(write_json, request, OK, found)

    def _failed(self, failure: Failure, request: Request, lost: list[Failure]) -> None:
        if lost:
            return
        refusal = refusal_of(request, failure)
        if request.startedWriting:  # a part of a file; its end must not look like that of the file
            request.loseConnection()
        else:
            write_json(request, *refusal)
