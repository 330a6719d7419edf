"""PostgreSQL's notifications within the reactor; no thread waits for them."""

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

RETRY_DELAY: Final = 2.0
"""Seconds until a lost connection is opened again; lease renewals read all changes meanwhile."""


@implementer(IReadDescriptor)
class Notifications:
    """Calls back with the number of each node that has changed its row in the store.

    Between `start` and `stop` it is in one of three states: a channel is being opened (none of the
    fields is set), a channel is open (`_channel` and `_socket` are set), or the next attempt is
    scheduled (`_retry_call` is set).
    """

    log = Logger()

    def __init__(self, reactor: Reactor, journal: Journal, notify: Callable[[int], None]) -> None:
        """Create it; ``notify`` receives the numbers."""
        self._reactor = reactor
        self._journal = journal
        self._notify = notify
        # The connection to PostgreSQL; set while it is open.
        self._channel: Channel | None = None
        # A duplicate of its file descriptor, which the reactor polls; -1 while it is not open.
        self._socket = -1
        # The next attempt to open a channel; set from a failure until that attempt begins.
        self._retry_call: IDelayedCall | None = None
        # Set by `stop`, for good; a channel that is opened afterwards is closed at once.
        self._is_stopped = False

    def start(self) -> Deferred[None]:
        """Open a channel; fires once it is open or another attempt is scheduled."""
        self._retry_call = None
        opened = self._journal.listen()
        return opened.addCallbacks(self._opened, self._failed)

    def stop(self) -> None:
        """Close the channel, or cancel the next attempt."""
        self._is_stopped = True
        if self._retry_call is not None:
            self._retry_call.cancel()
        self._close()

    def _opened(self, channel: Channel) -> None:
        if self._is_stopped:
            channel.close()
            return
        self._channel = channel
        # A duplicate: the library closes its own descriptor as soon as the connection is lost, and
        # the reactor must remove this reader while the number still means this socket.
        self._socket = os.dup(channel.fileno())
        self._reactor.addReader(self)

    def _failed(self, failure: Failure) -> None:
        failure.trap(StoreError)
        self._retry(failure)

    def _retry(self, failure: Failure) -> None:
        self.log.warn("no notifications of changes: {error}", error=failure.getErrorMessage())  # noqa: G010 — Twisted's name
        if not self._is_stopped:
            self._retry_call = self._reactor.callLater(RETRY_DELAY, self.start)

    def _close(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            self._reactor.removeReader(self)
            os.close(self._socket)
            self._socket = -1
            channel.close()

    # -- IReadDescriptor ----------------------------------------------------------------------

    def fileno(self) -> int:
        """Return the file descriptor that the reactor polls."""
        return self._socket

    def doRead(self) -> None:
        """Read the notifications, or find that the connection is lost."""
        if self._channel is None:
            return
        try:
            numbers = self._channel.read()
        except StoreError:
            self._close()
            self._retry(Failure())
            return
        for number in numbers:
            self._notify(number)

    def connectionLost(self, reason: Failure) -> None:
        """Retry: the reactor stops, or has seen the socket close before there was data to read."""
        if self._channel is not None:
            self._close()
            self._retry(reason)

    def logPrefix(self) -> str:
        """Return the name of this reader in the log."""
        return "store"
