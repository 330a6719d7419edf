"""The transport of byte streams, which are TCP, TLS and UNIX sockets, and the sockets' options."""

from __future__ import annotations

import socket
import struct
from typing import Final

from twisted.internet.interfaces import (
    IHalfCloseableProtocol,
    IHandshakeListener,
    ISSLTransport,
    IWriteDescriptor,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.task import LoopingCall
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.admission.admission import Refused, host_of
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.wire import WireProtocol
from yoddd.daemon.net.tls import HandshakeTimer, is_hello, reason_of

_CHECK: Final = 1.0
"""Seconds between two looks for a client that is gone."""


@implementer(IHalfCloseableProtocol, IHandshakeListener)
class StreamTransport(Protocol):
    """The transport of one `PeerConnection` over TCP, TLS or a UNIX socket."""

    transport: Connection

    def __init__(self, services: Services, wire: WireProtocol) -> None:
        """Create the transport of a connection that is not made yet, and will speak ``wire``."""
        # Set by connectionMade: ``tcp``, ``tls`` or ``unix``.
        self.kind = "unix"
        self._services = services
        self._wire = wire
        # Set by connectionMade unless the connection is refused.
        self._peer: PeerConnection | None = None
        # Whether something was written since bytes were last received.
        self._has_written = False
        # Set by connectionMade: whether bytes go to a socket as they are.
        self._has_socket = False
        # Looks for a reset, of which a socket that is not read tells nothing; runs from the end of
        # the input on.
        self._checks: LoopingCall | None = None
        # Whether nothing was received yet.
        self._is_new = True
        # The time limit of the TLS handshake; runs from the connection to the end of the handshake.
        self._handshake = HandshakeTimer(services)

    def connectionMade(self) -> None:
        """Admit the connection, or refuse it."""
        host = host_of(self.transport.getPeer())
        set_socket_options(self.transport, self._services.limits)
        self.kind = "unix" if host is None else "tcp"
        if ISSLTransport.providedBy(self.transport):
            self.kind = "tls"
            self._handshake.begin(self.abort)
        else:
            self._has_socket = IWriteDescriptor.providedBy(self.transport)
        try:
            self._services.admission.admit(self, host, close=self._make_room)
            self._services.admission.begin_session(host)
        except Refused as refused:
            self._refuse(str(refused))
            return
        self._peer = PeerConnection(self._services, self, host, wire=self._wire)
        self.transport.registerProducer(self._peer, True)

    def _refuse(self, text: str) -> None:
        self._services.admission.release(self)
        if self.kind == "tls":  # saves the handshake
            self.abort()
            return
        self.transport.write(self._wire.refuse(text))
        self.disconnect(text)

    def handshakeCompleted(self) -> None:
        """Stop the timer of the TLS handshake."""
        self._handshake.end()

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes on to the connection."""
        is_new, self._is_new = self._is_new, False
        if is_new and is_hello(data):
            self._services.connections.count_cut_off("handshake")
            self.abort()
            return
        if self._peer is not None:
            self._has_written = False
            self._peer.received(data)
            if self._has_written and self._has_socket and not self.transport.disconnecting:
                # Twisted would send the replies in its next turn only. If this fails the reactor,
                # which still waits to write, closes the connection.
                self.transport.doWrite()

    def _make_room(self) -> bool:
        closes = self._peer is not None and self._peer.make_room()
        if closes:
            self._services.admission.release(self)
        return closes

    def readConnectionLost(self) -> None:
        """Take the end of the input."""
        if self._peer is not None:
            self._peer.finished()
            self._checks = LoopingCall(self._check_client)
            self._checks.clock = self._services.reactor
            self._checks.start(_CHECK, now=False)

    def _check_client(self) -> None:
        if has_failed(self.transport):
            self.abort()

    def writeConnectionLost(self) -> None:
        """Do nothing: only the end of both directions matters."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Release the connection, and end its session or engine."""
        if self._checks is not None:
            self._checks.stop()
            self._checks = None
        self._handshake.end()
        self._services.admission.release(self)
        if self._peer is not None:
            self._peer.lost(reason_of(reason))

    # -- Transport ------------------------------------------------------------------------------

    def used(self) -> None:
        """Note that the client has sent a request that is of use to it."""
        self._services.admission.used(self)

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send bytes."""
        del to_engine
        self._has_written = True
        self.transport.write(data)

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading (backpressure)."""
        if wanted:
            self.transport.resumeProducing()
        else:
            self.transport.pauseProducing()

    def disconnect(self, reason: str) -> None:
        """Close once everything is written."""
        del reason
        self.transport.unregisterProducer()
        self.transport.loseConnection()

    def end(self, reason: str) -> None:
        """Close once everything is written: it carries one session."""
        self.disconnect(reason)

    def abort(self) -> None:
        """Close at once."""
        self.transport.abortConnection()


# -- sockets --------------------------------------------------------------------------------

PROBES: Final = 3
"""Keepalive probes without an answer before the kernel closes a connection."""

_ACKED: Final = struct.Struct("@120xQ")
"""``tcpi_bytes_acked`` in the ``tcp_info`` of Linux."""


def set_socket_options(transport: Connection, limits: Limits) -> None:
    """Set the options of a connection's socket; does nothing for a UNIX socket.

    Small writes are sent at once, because Nagle's algorithm delays the second of two writes by
    40 ms. Keepalive closes the connection of a client that has silently vanished, after
    ``limits.silence``.
    """
    handle = _handle_of(transport)
    if handle.family == socket.AF_UNIX:
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    interval = max(1, round((limits.silence - limits.ping) / PROBES))
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, round(limits.ping)))
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, interval)
    handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)


def has_failed(transport: Connection) -> bool:
    """Return whether the client has reset the connection, which nothing tells while none reads."""
    return _handle_of(transport).getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def acknowledged(transport: Connection) -> int | None:
    """Return how many bytes the client's system has taken; None where nothing tells."""
    handle = _handle_of(transport)
    if handle.family == socket.AF_UNIX:
        return None
    found = handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKED.size)
    return int(_ACKED.unpack(found)[0]) if len(found) == _ACKED.size else None


def _handle_of(transport: Connection) -> socket.socket:
    # TLS has no socket itself: its connection is one below.
    below = getattr(transport, "transport", None) if ISSLTransport.providedBy(transport) else None
    handle: socket.socket = (below or transport).getHandle()
    return handle
