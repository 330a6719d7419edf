"""PostgreSQL's notifications within the reactor: no thread waits for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReadDescriptor
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.journal import Journal
from yoddd.store.channel import Channel
from yoddd.store.errors import StoreError

AGAIN: Final = 2.0
"""Seconds until a lost connection is made anew; meanwhile changes are seen with the next beat."""


@implementer(IReadDescriptor)
class Notifications:
    """Calls back with each number that comes."""

    log = Logger()

    def __init__(self, reactor: Reactor, journal: Journal, heard: Callable[[int], None]) -> None:
        """Not listening yet."""
        self._reactor = reactor
        self._journal = journal
        self._heard = heard
        self._channel: Channel | None = None
        self._socket = -1
        self._again: IDelayedCall | None = None
        self._is_over = False

    def start(self) -> Deferred[None]:
        """Listen from now on; fires once we do, or shall try again."""
        self._again = None
        opened = self._journal.listen()
        return opened.addCallbacks(self._opened, self._failed)

    def stop(self) -> None:
        """Listen no more."""
        self._is_over = True
        if self._again is not None:
            self._again.cancel()
        self._close()

    def _opened(self, channel: Channel) -> None:
        if self._is_over:
            channel.close()
            return
        self._channel = channel
        # A copy: the library closes its own as soon as the connection is lost, and the reactor
        # must be told of that while the number still means this socket.
        self._socket = os.dup(channel.fileno())
        self._reactor.addReader(self)

    def _failed(self, failure: Failure) -> None:
        failure.trap(StoreError)
        self._retry(failure)

    def _retry(self, failure: Failure) -> None:
        self.log.warn("not told of changes: {error}", error=failure.getErrorMessage())  # noqa: G010 — Twisted's name
        if not self._is_over:
            self._again = self._reactor.callLater(AGAIN, self.start)

    def _close(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            self._reactor.removeReader(self)
            os.close(self._socket)
            self._socket = -1
            channel.close()

    # -- IReadDescriptor ----------------------------------------------------------------------

    def fileno(self) -> int:
        """Of the database's socket."""
        return self._socket

    def doRead(self) -> None:
        """Something has come, or the connection is lost."""
        if self._channel is None:
            return
        try:
            numbers = self._channel.read()
        except StoreError:
            self._close()
            self._retry(Failure())
            return
        for number in numbers:
            self._heard(number)

    def connectionLost(self, reason: Failure) -> None:
        """The reactor ends, or has seen the socket close before there was anything to read."""
        if self._channel is not None:
            self._close()
            self._retry(reason)

    def logPrefix(self) -> str:
        """For the log."""
        return "store"
