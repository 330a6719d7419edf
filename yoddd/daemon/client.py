"""The transport adapter of one connection: bytes to a session or an engine, effects to bytes."""

from __future__ import annotations

import typing
from typing import Final

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IHalfCloseableProtocol, IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.engines import EngineLink
from yoddd.daemon.hub import Hub
from yoddd.daemon.worker import SessionWorker

CLOSE_GRACE: Final = 5.0
"""Seconds that a closing connection has to take what was written, before it is aborted."""

UNREAD_GRACE: Final = 10.0
"""Seconds that a peer may leave our output unread."""


@implementer(IPushProducer, IHalfCloseableProtocol)
class ClientConnection(Protocol):
    """One peer over a stream transport.

    It registers as the producer of its own transport: when the peer does not read, it stops
    listening to the peer, so that output cannot pile up.
    """

    log = Logger()
    transport: Connection

    def __init__(self, hub: Hub) -> None:
        """Wait for the connection."""
        self._hub = hub
        self._worker: SessionWorker | None = None
        self._engine: AttachedEngine | None = None
        self._timer: DelayedCall | None = None
        self._unread = False

    def connectionMade(self) -> None:
        """Begin a session; nothing is said before the first request."""
        if hasattr(self.transport, "setTcpNoDelay"):
            self.transport.setTcpNoDelay(True)
            self.transport.setTcpKeepAlive(True)
        self.transport.registerProducer(self, True)
        if self._hub.joined(self):
            self._worker = SessionWorker(self._hub, self)
        else:
            self.send(b"? busy: too many connections\n\n")
            self.close("too many connections")

    def dataReceived(self, data: bytes) -> None:
        """Hand bytes to whoever the peer talks to."""
        if self._engine is not None:
            self._engine.received(data)
        elif self._worker is not None:
            self._worker.receive(data)

    def readConnectionLost(self) -> None:
        """The peer will send no more; a client still gets its answers."""
        if self._engine is not None:
            self.transport.loseConnection()
        elif self._worker is not None:
            self._worker.finish()

    def writeConnectionLost(self) -> None:
        """We have closed our side; nothing depends on it."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell whoever the peer talked to."""
        self._cancel_timer()
        self._hub.left(self)
        if self._worker is not None:
            self._worker.lost()
        if self._engine is not None:
            self._hub.registry.remove(self._engine)
            self._engine.ended(reason.getErrorMessage())

    # -- the session's wishes ---------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Write to the peer."""
        self.transport.write(data)

    def listen(self, *, wanted: bool) -> None:
        """Read on, or let the peer's bytes wait in the network."""
        if wanted and not self._unread:
            self.transport.resumeProducing()
        else:
            self.transport.pauseProducing()

    @property
    def is_unread(self) -> bool:
        """Whether the peer leaves our output unread."""
        return self._unread

    def close(self, reason: str) -> None:
        """Close once everything is written, or soon at any rate."""
        self.log.debug("closing {peer}: {reason}", peer=self.transport.getPeer(), reason=reason)
        self._cancel_timer()
        self._timer = self._hub.reactor.callLater(CLOSE_GRACE, self.transport.abortConnection)
        self.transport.unregisterProducer()
        self.transport.loseConnection()

    def become_engine(self, name: str, rest: bytes) -> None:
        """Turn the roles round: from now on we ask and the peer answers."""
        self._worker = None
        engine = AttachedEngine(name, self)
        refusal = self._hub.registry.add(engine)
        if refusal is not None:
            self.send(f"? {refusal}\n\n".encode())
            self.close(refusal)
            return
        self._engine = engine
        self.log.info("engine {name} attached", name=name)
        engine.received(rest)

    def release(self, engine: AttachedEngine) -> None:
        """Part from an engine; its name is free again."""
        self._hub.registry.remove(engine)
        self.close("engine released")

    # -- IPushProducer: what the transport says of its output ---------------------------------

    def pauseProducing(self) -> None:
        """The peer does not read: stop listening to it, and part if that goes on."""
        self._unread = True
        self.transport.pauseProducing()
        self._cancel_timer()
        self._timer = self._hub.reactor.callLater(UNREAD_GRACE, self.transport.abortConnection)

    def resumeProducing(self) -> None:
        """The peer reads again."""
        self._unread = False
        self._cancel_timer()
        if self._worker is not None:
            self._worker.proceed()
        else:
            self.transport.resumeProducing()

    def stopProducing(self) -> None:
        """The connection is gone; `connectionLost` follows."""

    def _cancel_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()


class Carrier(typing.Protocol):
    """The connection that an engine has dialled in over."""

    def send(self, data: bytes) -> None:
        """Write to the engine."""

    def release(self, engine: AttachedEngine) -> None:
        """Part from the engine; its name is free again."""


class AttachedEngine(EngineLink):
    """An engine that dialled in."""

    ended_as = "disconnect"

    def __init__(self, name: str, connection: Carrier) -> None:
        """Its bytes come and go over ``connection``."""
        super().__init__(name)
        self._connection = connection

    def send(self, data: bytes) -> None:
        """Write to the connection."""
        self._connection.send(data)

    def received(self, data: bytes) -> None:
        """Take bytes; one that talks nonsense has to dial in afresh, also between games."""
        super().received(data)
        if self.controller.broken and self.alive:
            self.close()

    def close(self) -> None:
        """Part from it; it may dial in again at once."""
        self.listener = None
        self.alive = False
        self._connection.release(self)
