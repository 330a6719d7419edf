"""The WebSocket adapter: a text message is a request line, or a whole reply without its empty line.

A streaming reply comes line by line, each a message, and ends with an empty message. Where an
engine has attached, a message is a request to it or a whole reply of its own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IPushProducer
from twisted.internet.task import LoopingCall
from twisted.internet.tcp import Connection
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.websocket import WebSocketTransport
from wsproto.utilities import LocalProtocolError
from zope.interface import implementer

from yoddd.daemon.client import CLOSE_GRACE, UNREAD_GRACE, AttachedEngine
from yoddd.daemon.hub import Hub
from yoddd.daemon.replies import ReplySplitter
from yoddd.daemon.worker import SessionWorker

PING_EVERY: Final = 30.0
SILENCE_LIMIT: Final = 90.0
"""Seconds between pings, and how long a peer may be silent."""

POLICY_VIOLATION: Final = 1008
TRY_AGAIN_LATER: Final = 1013


@implementer(IPushProducer)
class WebSocketConnection:
    """One peer over a WebSocket: a session's `Line`, and what Twisted calls with its messages.

    Attributes:
        messages: how many have come, for whoever limits their size.
        is_unread: whether the peer leaves our output unread.
        parted: whether nothing more is to be heard or said.
    """

    log = Logger()
    _frames: WebSocketTransport

    def __init__(self, hub: Hub, network: Connection) -> None:
        """``network`` is the connection below the frames."""
        self.messages = 0
        self.is_unread = False
        self.parted = False
        self._hub = hub
        self._network = network
        self._heard = hub.reactor.seconds()
        self._alarm: DelayedCall | None = None
        self._pings = LoopingCall(self._ping)
        self._replies = ReplySplitter()
        self._worker: SessionWorker | None = None
        self._engine: AttachedEngine | None = None

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        """Take the flow of bytes over from HTTP."""
        self._frames = transport
        transport.detachProducer()
        transport.attachProducer(self)

    def negotiationFinished(self) -> None:
        """Begin a session; nothing is said before the first request."""
        if self._hub.joined(self):
            self._worker = SessionWorker(self._hub, self)
            self._pings.clock = self._hub.reactor
            self._pings.start(PING_EVERY, now=False)
        else:
            self.part(TRY_AGAIN_LATER, "too many connections")

    def textMessageReceived(self, message: str) -> None:
        """Hand a line or a reply to whoever the peer talks to."""
        self.messages += 1
        self.pongReceived(b"")
        if self._engine is not None:
            self._engine.received(f"{message.rstrip()}\n\n".encode())
        elif "\n" in message:
            self.part(POLICY_VIOLATION, "one line a message")
        elif self._worker is not None:
            self._worker.receive(f"{message}\n".encode())

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        """Nobody has anything binary to say."""
        del data
        self.part(POLICY_VIOLATION, "text messages only")

    def pongReceived(self, payload: bytes) -> None:
        """The peer is there."""
        del payload
        self._heard = self._hub.reactor.seconds()

    def connectionLost(self, reason: Failure) -> None:
        """Tell whoever the peer talked to."""
        self.parted = True
        self._set_alarm(None)
        if self._pings.running:
            self._pings.stop()
        self._hub.left(self)
        if self._worker is not None:
            self._worker.lost()
        if self._engine is not None:
            self._hub.registry.remove(self._engine)
            self._engine.ended(reason.getErrorMessage())

    # -- Line -------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send replies, or requests to an engine, each as a message."""
        messages = data.decode().splitlines() if self._engine else self._replies.split(data)
        with suppress(LocalProtocolError):  # the peer has said goodbye already
            for message in messages:
                self._frames.sendTextMessage(message)

    def listen(self, *, wanted: bool) -> None:
        """Read on, or let the peer's bytes wait in the network."""
        if wanted and not self.is_unread:
            self._network.resumeProducing()
        else:
            self._network.pauseProducing()

    def close(self, reason: str) -> None:
        """Close once everything is written."""
        self.part(1000, reason)

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
        engine.received(rest)

    def release(self, engine: AttachedEngine) -> None:
        """Part from an engine; its name is free again."""
        self._hub.registry.remove(engine)
        self.close("engine released")

    def part(self, code: int, reason: str) -> None:
        """Close with one of the codes of RFC 6455 and hear nothing more; ``reason`` is logged."""
        if not self.parted:
            self.log.debug("closing {peer}: {reason}", peer=self._network.getPeer(), reason=reason)
            self.parted = True
            self._part(code)

    def _part(self, code: int) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.lost()
        self._set_alarm(CLOSE_GRACE)
        self._frames.detachProducer()
        with suppress(LocalProtocolError):  # the peer has said goodbye already
            self._frames.loseConnection(code)
        self._network.loseConnection()

    # -- IPushProducer: what the network says of our output ---------------------------------

    def pauseProducing(self) -> None:
        """The peer does not read: stop listening to it, and part if that goes on."""
        self.is_unread = True
        self._network.pauseProducing()
        self._set_alarm(UNREAD_GRACE)

    def resumeProducing(self) -> None:
        """The peer reads again."""
        self.is_unread = False
        self._set_alarm(None)
        self._network.resumeProducing()
        if self._worker is not None:
            self._worker.proceed()

    def stopProducing(self) -> None:
        """The connection is gone; `connectionLost` follows."""

    def _set_alarm(self, seconds: float | None) -> None:
        if self._alarm is not None and self._alarm.active():
            self._alarm.cancel()
        if seconds is not None:
            self._alarm = self._hub.reactor.callLater(seconds, self._network.abortConnection)

    def _ping(self) -> None:
        silence = self._hub.reactor.seconds() - self._heard
        if silence > SILENCE_LIMIT:
            self._network.abortConnection()
        else:
            with suppress(LocalProtocolError):
                self._frames.ping()
