"""Parses the frames of a WebSocket in slices, so that no client can delay the others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from twisted.internet.base import DelayedCall
from wsproto.utilities import LocalProtocolError

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_share import ReactorShare, Waiting
from yoddd.daemon.net.websocket.frames import MessageSizeCounter
from yoddd.daemon.net.websocket.transport import MESSAGE_TOO_BIG, WebSocketConnection

SLICE: Final = 512
"""Bytes that are parsed at once: at most 85 frames, which take some 5 ms."""


class FrameSlicer:
    """Passes received bytes on in slices, each in a turn of the reactor of its own.

    It charges the client's address for the time, and refuses a message that is too long: the frames
    of Twisted would collect one of any size. While bytes are left, the network is not read.
    """

    def __init__(
        self,
        connection: WebSocketConnection,
        inner: Callable[[bytes], None],
        limit: int,
        reactor: Reactor,
        share: ReactorShare | None,
    ) -> None:
        """Create it.

        Args:
            connection: the WebSocket, which is closed if a message is too long.
            inner: parses the frames.
            limit: the longest message in bytes.
            reactor: runs the slices.
            share: what the client's address may use of the reactor's time; None for no limit.
        """
        self._connection = connection
        self._inner = inner
        self._limit = limit
        self._reactor = reactor
        self._share = share
        # Counts the bytes of the message that is being received.
        self._counter = MessageSizeCounter()
        # Bytes that are received and not parsed; bounded, since the network is paused meanwhile.
        self._waiting = bytearray()
        # Parses the next slice; set while bytes wait and the connection wants to read.
        self._timer: DelayedCall | Waiting | None = None
        connection.on_read(self._go_on)

    def receive(self, data: bytes) -> None:
        """Take bytes from the network."""
        self._waiting += data
        if self._timer is None:
            self._parse()

    def _parse(self) -> None:
        self._timer = None
        wait = 0.0 if self._share is None else self._share.wait()
        if wait == 0:
            part = bytes(self._waiting[:SLICE])
            del self._waiting[:SLICE]
            if self._share is None:
                self._pass_on(part)
            else:
                self._share.run(self._pass_on, part)
        self._go_on()

    def _go_on(self) -> None:
        """Parse the next slice later, if there is one."""
        if self._connection.is_closed:
            self._waiting.clear()
            return
        self._connection.hold(held=bool(self._waiting))
        if self._waiting and self._timer is None and self._connection.is_wanted:
            if self._share is None:
                self._timer = self._reactor.callLater(0, self._parse)
            else:
                self._timer = self._share.later(self._reactor, self._parse)

    def _pass_on(self, data: bytes) -> None:
        """Parse bytes; closes the connection if they make a message too long."""
        if self._connection.is_closed:
            return
        with suppress(LocalProtocolError):  # data behind the client's close frame
            self._inner(data)
        self._counter.add(data)
        if self._counter.pending > self._limit:
            self._connection.refuse(MESSAGE_TOO_BIG, f"message over {self._limit} bytes")
