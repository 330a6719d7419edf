"""``yoddd gtp``: a session on standard input and output."""

from __future__ import annotations

from typing import cast

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHalfCloseableProtocol, IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.stdio import StandardIO
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.protocol.config import SessionConfig


@implementer(IHalfCloseableProtocol, IPushProducer)
class StdioConnection(Protocol):
    """The peer at the other end of our standard streams.

    Attributes:
        done: fires when everything is said and the streams are closed.
    """

    host: str | None = None

    def __init__(self, services: Services) -> None:
        """Wait for the streams."""
        self.done: Deferred[None] = Deferred()
        self._services = services
        self._worker: SessionWorker | None = None
        self._unread = False

    @property
    def _streams(self) -> StandardIO:
        return cast("StandardIO", self.transport)

    def connectionMade(self) -> None:
        """Begin the session."""
        self._streams.registerProducer(self, True)
        self._worker = SessionWorker(self._services, self._services.session, self)

    def dataReceived(self, data: bytes) -> None:
        """Hand bytes to the session."""
        if self._worker is not None:
            self._worker.receive(data)

    def readConnectionLost(self) -> None:
        """End of input: answer what is pending, then leave."""
        if self._worker is not None:
            self._worker.finish()

    def writeConnectionLost(self) -> None:
        """Nobody reads our replies any more: leave, whatever may still come."""
        # `loseConnection` would wait for a writer that is gone.
        self._leave()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Both streams are closed."""
        del reason
        self._leave()

    def _leave(self) -> None:
        if self._worker is not None:
            self._worker.lost()
        if not self.done.called:
            self.done.callback(None)

    # -- SessionTransport -----------------------------------------------------------------------

    @property
    def is_unread(self) -> bool:
        """Whether our output is left unread."""
        return self._unread

    def send(self, data: bytes) -> None:
        """Write to standard output."""
        self._streams.write(data)

    def read(self, *, wanted: bool) -> None:
        """Read on, or let the input wait in its pipe."""
        if wanted and not self._unread:
            self._streams.resumeProducing()
        else:
            self._streams.pauseProducing()

    def close(self, reason: str) -> None:
        """Leave once everything is written."""
        del reason
        self._streams.unregisterProducer()
        self._streams.loseConnection()

    def become_engine(self, name: str, rest: bytes) -> None:
        """Never asked for: attaching is not offered here."""
        raise NotImplementedError

    # -- IPushProducer ----------------------------------------------------------------------

    def pauseProducing(self) -> None:
        """Our output is left unread: stop reading."""
        self._unread = True
        self._streams.pauseProducing()

    def resumeProducing(self) -> None:
        """Our output is read again."""
        self._unread = False
        if self._worker is not None:
            self._worker.proceed()

    def stopProducing(self) -> None:
        """The streams are gone."""


def gtp(config: SessionConfig) -> int:
    """A session on standard input and output; returns at ``quit`` or the end of input."""

    async def program(reactor: Reactor) -> int:
        services = Services(reactor=reactor, session=config)
        # A thread that nobody stops would outlive the reactor, also after SIGTERM.
        reactor.addSystemEventTrigger("before", "shutdown", services.pool.close)
        connection = StdioConnection(services)
        StandardIO(connection, reactor=reactor)
        await connection.done
        return 0

    return run(program)
