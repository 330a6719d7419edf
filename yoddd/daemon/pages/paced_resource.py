"""Resources whose replies take time: those to one address are made one after the other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import INTERNAL_SERVER_ERROR, SERVICE_UNAVAILABLE
from twisted.web.server import NOT_DONE_YET, Request

from yoddd.daemon.pages.json_reply import write_json
from yoddd.daemon.pages.json_resource import JsonResource
from yoddd.daemon.pages.pacer import Pacer
from yoddd.daemon.pages.parameters import ApiError, Values
from yoddd.store.errors import StoreError

RETRY_AFTER: Final = 5
"""Seconds after which a client may ask again while the store is away."""

Lost = list[Failure]
"""Empty until the client has disconnected."""


class PacedResource(JsonResource):
    """A resource whose replies are made later, and whose errors are JSON."""

    log = Logger()

    def __init__(self, pacer: Pacer | None = None) -> None:
        """Create it; ``pacer`` is shared by resources whose work for one address takes turns."""
        super().__init__()
        self._pacer = pacer or Pacer()

    def pace(
        self,
        request: Request,
        reply: Callable[[Lost], Coroutine[Deferred[Any], Any, None]],
    ) -> int:
        """Have ``reply`` write the reply, which ends without one when the client is lost."""
        lost: Lost = []
        request.notifyFinish().addErrback(lost.append)
        self._pacer.run(request, lambda: Deferred.fromCoroutine(reply(lost))).addErrback(
            self._failed, request, lost
        )
        return NOT_DONE_YET

    def _failed(self, failure: Failure, request: Request, lost: Lost) -> None:
        status, values = self._error_reply(failure, request)
        if lost:
            return
        if request.startedWriting:  # a part of a file; its end must not look like that of the file
            request.loseConnection()
        else:
            write_json(request, status, values)

    def _error_reply(self, failure: Failure, request: Request) -> tuple[int, Values]:
        error = failure.value
        if isinstance(error, ApiError):
            return error.status, {"error": str(error)}
        if isinstance(error, StoreError):  # its text, which the log has, may tell of the server
            self.log.warn("no reply over HTTP: {error}", error=str(error))
            request.setHeader(b"retry-after", str(RETRY_AFTER).encode())
            return SERVICE_UNAVAILABLE, {"error": "the store is away"}
        self.log.failure("a request failed", failure)
        return INTERNAL_SERVER_ERROR, {"error": "internal error"}
