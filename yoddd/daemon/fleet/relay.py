"""Engines that have reached one daemon of a fleet and are wanted at another: their bytes pass."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.connections.attached_engine import AttachedEngine, EngineTransport
from yoddd.daemon.fleet.node_links import NodeConnection, NodeLinks
from yoddd.store.fleet import Process


@implementer(IPushProducer)
class RelayedEngine(AttachedEngine):
    """An engine that is attached elsewhere; here it is nothing but its bytes.

    While the other daemon takes none of them, none are read from the engine.
    """

    log = Logger()

    def __init__(
        self, name: str, transport: EngineTransport, links: NodeLinks, home: Process
    ) -> None:
        """Attach it to ``home`` in its own name."""
        super().__init__(name, transport)
        self._waiting = f"attach {name} token={home.secret}\n".encode()
        self._home: _HomeConnection | None = None
        self.pauseProducing()
        dialled = Deferred.fromCoroutine(links.dial(home, _HomeConnection(self)))
        dialled.addCallbacks(self._connected, self._failed)

    def received(self, data: bytes) -> None:
        """The engine sent bytes."""
        if self._home is None:
            self._waiting += data
        else:
            self._home.transport.write(data)

    def ended(self, reason: str) -> None:
        """The engine is gone."""
        del reason
        self.alive = False
        if self._home is not None:
            self._home.transport.unregisterProducer()
            self._home.transport.loseConnection()

    def home_lost(self) -> None:
        """The other daemon has parted from it, or is gone; the engine dials in anew."""
        self.close()

    def _connected(self, far: _HomeConnection) -> None:
        if not self.alive:
            far.close()
            return
        self._home = far
        far.transport.registerProducer(self, True)
        far.transport.write(self._waiting)
        self.resumeProducing()

    def _failed(self, failure: Failure) -> None:
        self.log.warn("engine not passed on: {error}", error=failure.getErrorMessage())  # noqa: G010 — Twisted's name
        self.home_lost()

    # -- IPushProducer: what the connection to the other daemon says of its output ------------

    def pauseProducing(self) -> None:
        """The other daemon is not there yet, or does not read."""
        self._transport.read(wanted=False)

    def resumeProducing(self) -> None:
        """The other daemon reads."""
        self._transport.read(wanted=True)

    def stopProducing(self) -> None:
        """The connection is gone; `home_lost` follows."""


class _HomeConnection(NodeConnection):
    """The connection to the other daemon."""

    def __init__(self, engine: RelayedEngine) -> None:
        self._engine = engine

    def dataReceived(self, data: bytes) -> None:
        self._engine.send(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self._engine.home_lost()
