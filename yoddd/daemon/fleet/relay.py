"""Engines that have reached one daemon of a fleet and are wanted at another: their bytes pass."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.connections.attached_engine import AttachedEngine, Carrier
from yoddd.daemon.fleet.node_links import FarEnd, Links
from yoddd.store.fleet import Process


@implementer(IPushProducer)
class FerriedEngine(AttachedEngine):
    """An engine that is attached elsewhere; here it is nothing but its bytes.

    While the other daemon takes none of them, none are read from the engine.
    """

    log = Logger()

    def __init__(self, name: str, connection: Carrier, links: Links, home: Process) -> None:
        """Attach it to ``home`` in its own name."""
        super().__init__(name, connection)
        self._waiting = f"attach {name} token={home.secret}\n".encode()
        self._far: _FarEnd | None = None
        self.pauseProducing()
        dialled = Deferred.fromCoroutine(links.dial(home, _FarEnd(self)))
        dialled.addCallbacks(self._connected, self._failed)

    def received(self, data: bytes) -> None:
        """The engine sent bytes."""
        if self._far is None:
            self._waiting += data
        else:
            self._far.transport.write(data)

    def ended(self, reason: str) -> None:
        """The engine is gone."""
        del reason
        self.alive = False
        if self._far is not None:
            self._far.transport.unregisterProducer()
            self._far.transport.loseConnection()

    def far_lost(self) -> None:
        """The other daemon has parted from it, or is gone; the engine dials in anew."""
        self.close()

    def _connected(self, far: _FarEnd) -> None:
        if not self.alive:
            far.close()
            return
        self._far = far
        far.transport.registerProducer(self, True)
        far.transport.write(self._waiting)
        self.resumeProducing()

    def _failed(self, failure: Failure) -> None:
        self.log.warn("engine not passed on: {error}", error=failure.getErrorMessage())  # noqa: G010 — Twisted's name
        self.far_lost()

    # -- IPushProducer: what the connection to the other daemon says of its output ------------

    def pauseProducing(self) -> None:
        """The other daemon is not there yet, or does not read."""
        self._connection.listen(wanted=False)

    def resumeProducing(self) -> None:
        """The other daemon reads."""
        self._connection.listen(wanted=True)

    def stopProducing(self) -> None:
        """The connection is gone; `far_lost` follows."""


class _FarEnd(FarEnd):
    """The connection to the other daemon."""

    def __init__(self, engine: FerriedEngine) -> None:
        self._engine = engine

    def dataReceived(self, data: bytes) -> None:
        self._engine.send(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self._engine.far_lost()
