"""Paces queries over HTTP: those of one address run one after the other."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from twisted.internet.defer import Deferred, DeferredLock
from twisted.web.server import Request

from yoddd.daemon.base.admission import host_of, place_of

T = TypeVar("T")


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
