"""Engines that have reached one daemon of a fleet and are wanted at another: their bytes pass."""

from __future__ import annotations

from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.attached import AttachedEngine, Carrier
from yoddd.daemon.clock import Reactor
from yoddd.daemon.links import dial
from yoddd.store.fleet import Process


class FerriedEngine(AttachedEngine):
    """An engine that is attached elsewhere; here it is nothing but its bytes."""

    log = Logger()

    def __init__(self, name: str, connection: Carrier, reactor: Reactor, home: Process) -> None:
        """Attach it to ``home`` in its own name."""
        super().__init__(name, connection)
        self._waiting = f"attach {name} token={home.secret}\n".encode()
        self._far: _FarEnd | None = None
        dial(reactor, home.address, _FarEnd(self)).addCallbacks(self._connected, self._failed)

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
            self._far.transport.loseConnection()

    def far_lost(self) -> None:
        """The other daemon has parted from it, or is gone; the engine dials in anew."""
        if self.alive:
            self.close()

    def _connected(self, far: _FarEnd) -> None:
        if not self.alive:
            far.transport.loseConnection()
            return
        self._far = far
        far.transport.write(self._waiting)

    def _failed(self, failure: Failure) -> None:
        self.log.warn("engine not passed on: {error}", error=failure.getErrorMessage())  # noqa: G010 — Twisted's name
        self.far_lost()


class _FarEnd(Protocol):
    """The connection to the other daemon."""

    transport: Connection

    def __init__(self, engine: FerriedEngine) -> None:
        self._engine = engine

    def dataReceived(self, data: bytes) -> None:
        self._engine.send(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        del reason
        self._engine.far_lost()
