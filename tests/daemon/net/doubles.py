"""A transport of Twisted in memory that says which socket it has."""

from __future__ import annotations

import socket

from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.testing import StringTransport


class Handle:
    """The handle of a socket; a UNIX socket has no options."""

    family = socket.AF_UNIX


class MemoryTransport(StringTransport):
    """Keeps what is written, and whether it was aborted."""

    def __init__(self, host: str | None = None) -> None:
        address = UNIXAddress("") if host is None else IPv4Address("TCP", host, 5)
        super().__init__(peerAddress=address)
        self._is_aborted = False
        self.is_half_closed = False

    def is_aborted(self) -> bool:
        return self._is_aborted

    def getHandle(self) -> Handle:
        return Handle()

    def abortConnection(self) -> None:
        self._is_aborted = True
        self.loseConnection()

    def loseWriteConnection(self) -> None:
        """Note that the end of what is sent was asked for."""
        self.is_half_closed = True

    def unregisterProducer(self) -> None:
        """Unregister the producer if there is one, as real transports do."""
        self.producer = None
