"""The transport of byte streams: TCP, TLS and UNIX sockets."""

from __future__ import annotations

from twisted.internet.interfaces import (
    IHalfCloseableProtocol,
    IHandshakeListener,
    ISSLTransport,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.admission import Refused, host_of
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.socket_options import tune
from yoddd.daemon.net.tls import Handshake


@implementer(IHalfCloseableProtocol, IHandshakeListener)
class StreamTransport(Protocol):
    """One peer over a stream transport."""

    transport: Connection

    def __init__(self, services: Services) -> None:
        """Wait for the connection."""
        self.kind = "unix"
        self._services = services
        self._peer: PeerConnection | None = None
        self._handshake = Handshake(services)

    def connectionMade(self) -> None:
        """Let the peer in, if there is room."""
        host = host_of(self.transport.getPeer())
        tune(self.transport, self._services.limits)
        self.kind = "unix" if host is None else "tcp"
        if ISSLTransport.providedBy(self.transport):
            self.kind = "tls"
            self._handshake.begin(self.abort)
        try:
            self._services.admission.admit(self, host)
            self._services.admission.begin_session(host)
        except Refused as refused:
            self._refuse(str(refused))
            return
        self._peer = PeerConnection(self._services, self, host)
        self.transport.registerProducer(self._peer, True)

    def _refuse(self, text: str) -> None:
        self._services.admission.release(self)
        if self.kind == "tls":  # a handshake only to say no would be work for nothing
            self.abort()
            return
        self.transport.write(f"? busy: {text}\n\n".encode())
        self.disconnect()

    def handshakeCompleted(self) -> None:
        """TLS is up."""
        self._handshake.end()

    def dataReceived(self, data: bytes) -> None:
        """Hand bytes on."""
        if self._peer is not None:
            self._peer.received(data)

    def readConnectionLost(self) -> None:
        """The peer will send no more."""
        if self._peer is not None:
            self._peer.finished()

    def writeConnectionLost(self) -> None:
        """We have closed our side; nothing depends on it."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever the peer talked to."""
        self._handshake.end()
        self._services.admission.release(self)
        if self._peer is not None:
            self._peer.lost(reason.getErrorMessage())

    # -- Transport ------------------------------------------------------------------------------

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send bytes as they are."""
        del to_engine
        self.transport.write(data)

    def read(self, *, wanted: bool) -> None:
        """Read on, or let the peer's bytes wait in the network."""
        if wanted:
            self.transport.resumeProducing()
        else:
            self.transport.pauseProducing()

    def disconnect(self) -> None:
        """Close once everything is written."""
        self.transport.unregisterProducer()
        self.transport.loseConnection()

    def abort(self) -> None:
        """Close at once."""
        self.transport.abortConnection()
