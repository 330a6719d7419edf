"""Connections in virtual time: their bytes arrive late, in pieces, or not at all."""

from __future__ import annotations

import random
import socket
from collections import deque
from typing import Any, Final, Protocol

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure

from tests.simulation.world import Faults, Reactor, Time

BUFFER: Final = 65536
"""Bytes that the daemon's side keeps before it asks its producer to pause, as Twisted's."""


class ClientEnd(Protocol):
    """The client's end of a wire; it also sees what the daemon takes and writes, at once."""

    def heard(self, data: bytes) -> None: ...
    def wrote(self, data: bytes) -> None: ...
    def took(self, data: bytes) -> None: ...
    def closing(self) -> None: ...
    def lost(self) -> None: ...


class Socket:
    """The socket that `set_socket_options` sets up."""

    family = socket.AF_INET

    def setsockopt(self, *_: object) -> None: ...
    def getsockopt(self, *_: object) -> int:
        return 0


class Wire:
    """A TCP connection: the transport of the daemon's protocol.

    Attributes:
        is_open: whether neither side has closed it.
        is_cut: whether a fault has.
        last_heard: when bytes have arrived at the daemon.
        closing_at: when the daemon has begun to close it; None before.
        paused_at: when its buffer was full; None before.
        is_read: whether the client reads; what it does not read fills the buffer.
        unread: bytes in that buffer.
    """

    def __init__(
        self,
        time: Time,
        faults: Faults,
        reactor: Reactor,
        port: int | str,
        host: str,
        client: ClientEnd,
    ) -> None:
        self.is_open = True
        self.is_read = True
        self.unread = 0
        self.disconnecting = False
        self.is_cut = False
        self.last_heard = 0.0
        self.closing_at: float | None = None
        self.paused_at: float | None = None
        self.reactor = reactor
        self._time, self._faults, self._client = time, faults, client
        self._peer = IPv4Address("TCP", host, 40000)
        self._chance = random.Random(f"wire {time.events} {host}")
        self._inward = bytearray()
        self._outward: deque[bytes] = deque()
        self._is_wanted = True
        self._is_due = [False, False]  # whether a delivery inward, and one outward, is under way
        self._producer: Any = None
        self._is_paused = False
        self._protocol: Any = reactor.ports[port].buildProtocol(self._peer)
        self._protocol.makeConnection(self)

    # -- the client's side ------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send bytes to the daemon."""
        if self.is_open and not self.disconnecting:
            self._inward += data
            self._deliver_later(0)

    def drop(self) -> None:
        """Lose the connection now."""
        self._lose(ConnectionLost())

    def read(self, *, wanted: bool) -> None:
        """Read what the daemon sends, or leave it unread."""
        self.is_read = wanted
        self._deliver_later(1)

    # -- both directions --------------------------------------------------------------------

    def _deliver_later(self, way: int) -> None:
        if not self._is_due[way] and self.is_open and not self.reactor.is_dead:
            self._is_due[way] = True
            delay = self._chance.expovariate(1 / 0.003)
            self.reactor.callLater(delay, (self._deliver_in, self._deliver_out)[way])

    def _deliver_in(self) -> None:
        self._is_due[0] = False
        if not self._inward or not self._is_wanted or self.disconnecting or not self.is_open:
            return
        size, is_cut = len(self._inward), self._faults.happens("cut")
        if is_cut or self._faults.happens("split"):
            size = self._chance.randint(1, size)
        piece = bytes(self._inward[:size])
        del self._inward[:size]
        self.last_heard = self._time.now
        self._client.heard(piece)
        self._protocol.dataReceived(piece)
        if is_cut:
            self.is_cut = True
            self.drop()
        elif self._inward:
            self._deliver_later(0)

    def _deliver_out(self) -> None:
        self._is_due[1] = False
        if not self.is_read or not self.is_open:
            return
        pieces, self._outward = self._outward, deque()
        if pieces and self._faults.happens("cut"):
            for piece in list(pieces)[: self._chance.randrange(len(pieces))]:
                self._client.took(piece)
            self.is_cut = True
            self.drop()
            return
        self.unread = 0
        for piece in pieces:
            self._client.took(piece)
        if self.disconnecting:
            self._lose(ConnectionDone())
        elif self._is_paused and self._producer is not None:
            self._is_paused = False
            self._producer.resumeProducing()

    def _lose(self, reason: Exception) -> None:
        if self.is_open:
            self.is_open = False
            self._client.closing()
            self._time.callLater(0, self._client.lost)
            # The clients keep their wires: what the daemon drops is to be free.
            protocol, self._protocol, self._producer = self._protocol, None, None
            if not self.reactor.is_dead:
                protocol.connectionLost(Failure(reason))

    def crash(self) -> None:
        """End with the daemon; what has been written may arrive."""
        if self.is_open:
            self.is_open = False
            self._protocol = self._producer = None
            self._time.callLater(0, self._client.lost)

    # -- the transport ----------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        if not data or not self.is_open:
            return
        self._client.wrote(data)
        self._outward.append(data)
        self.unread += len(data)
        self._deliver_later(1)
        if self.unread > BUFFER and self._producer is not None:
            if not self._is_paused:
                self.paused_at = self._time.now
            self._is_paused = True
            self._producer.pauseProducing()

    def writeSequence(self, pieces: list[bytes]) -> None:
        self.write(b"".join(pieces))

    def loseConnection(self) -> None:
        self._begin_to_close()
        self._deliver_later(1)

    def _begin_to_close(self) -> None:
        if not self.disconnecting:
            self.disconnecting = True
            self.closing_at = self._time.now
            self._client.closing()

    def abortConnection(self) -> None:
        self._begin_to_close()
        self._outward.clear()
        self.reactor.callLater(0, self._lose, ConnectionLost())

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        assert streaming or producer is not None
        self._producer = producer

    def unregisterProducer(self) -> None:
        self._producer = None

    def pauseProducing(self) -> None:
        self._is_wanted = False

    def resumeProducing(self) -> None:
        self._is_wanted = True
        if self._inward:
            self._deliver_later(0)

    def stopProducing(self) -> None:
        self.loseConnection()

    def getPeer(self) -> IPv4Address:
        return self._peer

    def getHost(self) -> IPv4Address:
        return IPv4Address("TCP", "127.0.0.1", 9633)

    def getHandle(self) -> Socket:
        return Socket()

    def setTcpNoDelay(self, _on: bool) -> None: ...
    def setTcpKeepAlive(self, _on: bool) -> None: ...
    def isSecure(self) -> bool:
        return False
