"""The HTTP adapter: Twisted's, but only so many, and without patience for slow ones or bodies."""

from __future__ import annotations

from typing import Final

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IHandshakeListener, ISSLTransport
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, Request
from zope.interface import implementer

from yoddd.daemon.base.admission import Refused, host_of
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.socket_options import tune
from yoddd.daemon.net.tls import Handshake

_BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 60\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s"
)
_NO_BODY: Final = (
    b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
)


@implementer(IHandshakeListener)
class GuardedChannel(HTTPChannel):
    """One HTTP connection, until it becomes a WebSocket."""

    transport: Connection

    def __init__(self, services: Services) -> None:
        """Wait for the connection."""
        super().__init__()
        self._services = services
        self._handshake = Handshake(services)
        self._slow: DelayedCall | None = None
        self._is_refused = False
        self._is_unread = False
        self._answered: Request | None = None

    def connectionMade(self) -> None:
        """Let the peer in, if there is room."""
        super().connectionMade()
        tune(self.transport, self._services.limits)
        if ISSLTransport.providedBy(self.transport):
            self._handshake.begin(self.transport.abortConnection)
        try:
            self._services.admission.admit(self, host_of(self.transport.getPeer()))
        except Refused as refused:
            text = f"{refused}\n".encode()
            self._refuse(_BUSY % (len(text), text))

    def handshakeCompleted(self) -> None:
        """TLS is up."""
        self._handshake.end()

    def lineReceived(self, line: bytes) -> None:
        """Read one line of a request, which has to be complete in time."""
        if self._is_refused:
            return
        if self._slow is None:
            self._slow = self._services.reactor.callLater(
                self._services.limits.slow_line, self._late
            )
        super().lineReceived(line)

    def dataReceived(self, data: bytes) -> None:
        """Read bytes; a first line that never ends counts as a slow request, too."""
        if self._slow is None and not self._is_refused:
            self._slow = self._services.reactor.callLater(
                self._services.limits.slow_line, self._late
            )
        super().dataReceived(data)

    def rawDataReceived(self, data: bytes) -> None:
        """Refuse the body of a request: there is nothing here to be sent one."""
        if self._handlingRequest:
            super().rawDataReceived(data)
        elif not self._is_refused:
            self._refuse(_NO_BODY)

    def allContentReceived(self) -> None:
        """The request is complete."""
        self._stop_waiting()
        super().allContentReceived()

    def requestDone(self, request: Request) -> None:
        """Go on with the requests behind this one, but not while the answers are left unread.

        Twisted would answer all that have come; those are many, and their answers long.
        """
        if self._is_unread and self.persistent:
            self._answered = request
            self.setTimeout(self.timeOut)
        else:
            super().requestDone(request)

    def pauseProducing(self) -> None:
        """The answers are left unread."""
        self._is_unread = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        """They have been read."""
        self._is_unread = False
        super().resumeProducing()
        request, self._answered = self._answered, None
        if request is not None:
            self.requestDone(request)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Count it out."""
        self._leave()
        super().connectionLost(reason)

    def became_websocket(self) -> None:
        """Twisted has taken our methods away; count it out when that ends."""
        self._stop_waiting()
        self.setTimeout(None)
        inner = self.connectionLost

        def lost(reason: Failure = connectionDone) -> None:
            self._leave()
            inner(reason)

        self.connectionLost = lost  # type: ignore[method-assign]  # as Twisted does

    def _leave(self) -> None:
        self._handshake.end()
        self._stop_waiting()
        self._services.admission.release(self)

    def _expect_line(self) -> DelayedCall:
        services = self._services
        return services.reactor.callLater(services.limits.slow_line, self._late)

    def _late(self) -> None:
        self._slow = None
        self._services.connections.count_cut_off("slow line")
        self.transport.abortConnection()

    def _stop_waiting(self) -> None:
        if self._slow is not None and self._slow.active():
            self._slow.cancel()
        self._slow = None

    def _refuse(self, answer: bytes) -> None:
        self._is_refused = True
        self._stop_waiting()
        self.transport.write(answer)
        self.transport.loseConnection()
