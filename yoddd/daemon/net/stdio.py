"""A session or an analysis on standard input and output: `yoddd gtp` and `yoddd analysis`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import cast

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHalfCloseableProtocol, IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.stdio import StandardIO
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.daemon.connections.worker import Worker, WorkerTransport
from yoddd.protocol.config import SessionConfig
from yoddd.system import is_broken


@implementer(IHalfCloseableProtocol, IPushProducer)
class StdioConnection(Protocol):
    """The connection of a worker on standard input and output.

    Attributes:
        host: None, as of a UNIX socket.
        done: fires once, when the worker is done and the streams are closed.
        is_cut: whether the output was closed before everything was written.
    """

    host: str | None = None

    def __init__(self, begin: Callable[[WorkerTransport], Worker]) -> None:
        """Create it; ``begin`` makes the worker when the streams are open."""
        self.done: Deferred[None] = Deferred()
        self.is_cut = False
        self._is_closing = False
        self._begin = begin
        # Set by connectionMade.
        self._worker: Worker | None = None
        # Whether the buffer of standard output is full; set by pauseProducing, cleared by
        # resumeProducing.
        self._is_unread = False

    @property
    def _streams(self) -> StandardIO:
        return cast("StandardIO", self.transport)

    def connectionMade(self) -> None:
        """Produce for the streams, and begin the worker."""
        self._streams.registerProducer(self, True)
        self._worker = self._begin(self)

    def dataReceived(self, data: bytes) -> None:
        """Pass input to the worker."""
        if self._worker is not None:
            self._worker.receive(data)

    def readConnectionLost(self) -> None:
        """Take the end of the input; the worker answers the requests that it has and closes."""
        if self._worker is not None:
            self._worker.finish()

    def writeConnectionLost(self) -> None:
        """End at once: the output is closed, or cannot be written, as on a full disk."""
        self.is_cut = True
        # `loseConnection` would wait for the writer, which is closed.
        self._end()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """End: both streams are closed."""
        if self._is_closing and reason.check(ConnectionDone) is None:
            self.is_cut = True  # the last write has failed
        self._end()

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.lost()
        if not self.done.called:
            self.done.callback(None)

    # -- WorkerTransport ------------------------------------------------------------------------

    @property
    def is_unread(self) -> bool:
        """Whether the output is not read."""
        return self._is_unread

    def used(self) -> None:
        """Do nothing: there are no others to make room for."""

    def send(self, data: bytes) -> None:
        """Write to standard output."""
        self._streams.write(data)

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading; never reads while the output is not read."""
        if wanted and not self._is_unread:
            self._streams.resumeProducing()
        else:
            self._streams.pauseProducing()

    def close(self, reason: str) -> None:
        """Close the streams once everything is written."""
        self.disconnect(reason)

    def disconnect(self, reason: str) -> None:
        """Close the streams once everything is written."""
        del reason
        self._is_closing = True
        self._streams.unregisterProducer()
        self._streams.loseConnection()

    def become_engine(self, attachment: Attachment, rest: bytes) -> None:
        """Fail: a session on standard streams offers no ``attach``."""
        raise NotImplementedError

    # -- IPushProducer ----------------------------------------------------------------------

    def pauseProducing(self) -> None:
        """Stop reading: the output is not read."""
        self._is_unread = True
        self._streams.pauseProducing()

    def resumeProducing(self) -> None:
        """Continue: the output is read again."""
        self._is_unread = False
        if self._worker is not None:
            self._worker.proceed()

    def stopProducing(self) -> None:
        """Do nothing: `connectionLost` follows."""


def gtp(config: SessionConfig) -> int:
    """Run a session on standard input and output until ``quit`` or the end of the input."""
    return _run(
        lambda reactor: Services(reactor=reactor, session=config),
        lambda services, transport: SessionWorker(services, services.session, transport),
    )


def analysis(config: SessionConfig, *, waits: bool) -> int:
    """Run the analysis engine on standard input and output until the end of the input.

    Args:
        config: as for a session; it searches ``limits.searches`` positions at once.
        waits: whether the end of the input waits for the answers to all queries.
    """
    # Not at import: `yoddd gtp` starts without cattrs, which reads the queries.
    from yoddd.daemon.connections.analysis_worker import AnalysisWorker

    def services(reactor: Reactor) -> Services:
        pool = SearchPool(World(reactor), config.limits.searches)
        return Services(reactor=reactor, session=config, pool=pool)

    return _run(
        services,
        lambda services, transport: AnalysisWorker(
            services, services.session, transport, waits=waits
        ),
    )


def _run(
    make_services: Callable[[Reactor], Services],
    begin: Callable[[Services, WorkerTransport], Worker],
) -> int:
    async def program(reactor: Reactor) -> int:
        services = make_services(reactor)
        # A running search would keep the process alive behind the reactor, also after SIGTERM.
        reactor.addSystemEventTrigger("before", "shutdown", services.pool.close)
        stopped: list[bool] = []
        reactor.addSystemEventTrigger("before", "shutdown", stopped.append, True)
        connection = StdioConnection(lambda transport: begin(services, transport))
        StandardIO(connection, reactor=reactor)
        await connection.done
        # A signal ends it wherever it is, and where no one reads any more nothing is missed.
        if stopped or not connection.is_cut or is_broken(sys.stdout):
            return 0
        sys.stderr.write("Error: standard output: not everything could be written\n")
        return 1

    return run(program)
