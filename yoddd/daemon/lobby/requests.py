"""Requests that wait for an event of a game."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from yoddd.protocol.errors import PeerError


class Requests:
    """Requests that wait for one event of a game and are answered together."""

    def __init__(self) -> None:
        """Create it without requests."""
        # Those that have no answer yet, in the order in which they came.
        self._waiting: list[Deferred[None]] = []

    def add(self) -> Deferred[None]:
        """Add a request; fires with its answer."""
        done: Deferred[None] = Deferred()
        self._waiting.append(done)
        return done

    def answer(self) -> None:
        """Answer all: the event has come."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(None)

    def refuse(self, refusal: PeerError) -> None:
        """Refuse all: the event does not come."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.errback(refusal)
