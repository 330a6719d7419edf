"""Relays engines that have connected to one node of a fleet to the node that pairs engines."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.connections.attached_engine import AttachedEngine, EngineTransport
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.fleet.node_links import NodeConnection, NodeLinks
from yoddd.store.fleet import Process


@implementer(IPushProducer)
class RelayedEngine(AttachedEngine):
    """An engine that is attached at another node; this node only passes its bytes on.

    It is the push producer of the connection to that node: while the node does not read, nothing
    is read from the engine.
    """

    log = Logger()

    def __init__(
        self, attachment: Attachment, transport: EngineTransport, links: NodeLinks, node: Process
    ) -> None:
        """Connect to ``node`` and attach the engine there in its own name."""
        super().__init__(attachment, transport)
        # The bytes for the node, the request to attach first; written when it is connected.
        self._waiting = _greeting(attachment, node.secret).encode()
        # The connection to the node; None until it is connected, and then never replaced.
        self._connection: _RelayConnection | None = None
        self.pauseProducing()
        dialled = Deferred.fromCoroutine(links.dial(node, _RelayConnection(self)))
        dialled.addCallbacks(self._connected, self._failed)

    def received(self, data: bytes) -> None:
        """Pass bytes of the engine on to the node."""
        if self._connection is None:
            self._waiting += data
        else:
            self._connection.transport.write(data)

    def ended(self, reason: str) -> None:
        """Close the connection to the node: the engine has disconnected."""
        del reason
        self.alive = False
        if self._connection is not None:
            self._connection.transport.unregisterProducer()
            self._connection.transport.loseConnection()

    def node_lost(self) -> None:
        """Disconnect the engine, which may attach again: the node has closed or is unreachable."""
        self.close()

    def _connected(self, connection: _RelayConnection) -> None:
        if not self.alive:
            connection.close()
            return
        self._connection = connection
        connection.transport.registerProducer(self, True)
        connection.transport.write(self._waiting)
        self.resumeProducing()

    def _failed(self, failure: Failure) -> None:
        self.log.warn("engine not relayed: {error}", error=failure.getErrorMessage())  # noqa: G010 — Twisted's name
        self.node_lost()

    # -- IPushProducer of the connection to the node ------------------------------------------

    def pauseProducing(self) -> None:
        """Stop reading from the engine: the node is not connected yet, or does not read."""
        self._transport.read(wanted=False)

    def resumeProducing(self) -> None:
        """Read from the engine."""
        self._transport.read(wanted=True)

    def stopProducing(self) -> None:
        """Do nothing: the connection is closed, and `node_lost` follows."""


def _greeting(attachment: Attachment, secret: str) -> str:
    """The request that attaches an engine to a node with this ``secret``."""
    words = [f"attach {attachment.name} token={secret} for={attachment.owner.dump()}"]
    words += ["open=yes"] if attachment.is_open else []
    words += [] if attachment.secret is None else [f"secret={attachment.secret}"]
    return " ".join(words) + "\n"


class _RelayConnection(NodeConnection):
    """The connection to the node at which the engine is attached."""

    def __init__(self, engine: RelayedEngine) -> None:
        # Receives the bytes of the node.
        self._engine = engine

    def dataReceived(self, data: bytes) -> None:
        self._engine.send(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self._engine.node_lost()
