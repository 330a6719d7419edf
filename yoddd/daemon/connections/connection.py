"""One peer over the network: a session or an engine, and the limits on either.

The transport adapters, `client` and `websocket`, only carry bytes; whatever is the same for both
is here.
"""

from __future__ import annotations

from typing import Protocol

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IPushProducer
from twisted.logger import Logger
from zope.interface import implementer

from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.connections.hub import Hub
from yoddd.daemon.connections.session_worker import SessionWorker


class Wire(Protocol):
    """What carries the bytes of a peer."""

    kind: str

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send replies, or requests to an engine."""

    def read(self, *, wanted: bool) -> None:
        """Read on, or let the peer's bytes wait in the network."""

    def part(self) -> None:
        """Close once everything is written."""

    def abort(self) -> None:
        """Close at once, whatever is lost by it."""


@implementer(IPushProducer)
class PeerConnection:
    """What is behind a transport: a session's `Line`, an engine's `Carrier`, a producer of output.

    As the producer of its own transport it stops listening to a peer that does not read, so that
    output cannot pile up; what is written to such a peer all the same, as to one who watches a
    game, is limited.

    Attributes:
        number: what the daemon calls it.
        host: where the peer is; None for a UNIX socket.
        is_unread: whether the peer leaves our output unread.
        engine: the engine that the peer has become, if it has.
        worker: the session, until it has become one or is parted from.
    """

    log = Logger()

    def __init__(self, hub: Hub, wire: Wire, host: str | None) -> None:
        """Begin a session; nothing is said before the first request."""
        self.host = host
        self.is_unread = False
        self.engine: AttachedEngine | None = None
        self._hub = hub
        self._wire = wire
        self._limits = hub.limits
        self._waiting = 0
        self._is_cut = False
        self._alarm: DelayedCall | None = None
        self._line: DelayedCall | None = None
        self._login: DelayedCall | None = None
        self.worker: SessionWorker | None = SessionWorker(hub, self, hub.pace_for(host))
        self.number = hub.add_peer(self)
        if hub.config.services.login_required:
            self._login = hub.reactor.callLater(self._limits.login, self._check_login)

    @property
    def kind(self) -> str:
        """What carries it: ``tcp``, ``tls``, ``unix`` or ``websocket``."""
        return self._wire.kind

    @property
    def is_in_game(self) -> bool:
        """Whether it plays, or watches a game."""
        if self.engine is not None:
            return self.engine.taken
        return self.worker is not None and self.worker.is_streaming

    def received(self, data: bytes) -> None:
        """The peer sent bytes."""
        if self.engine is not None:
            self.engine.received(data)
        elif self.worker is not None:
            self.worker.receive(data)
            if self._line is not None or not data.endswith(b"\n"):
                self._watch_line(is_new=b"\n" in data)

    def finished(self) -> None:
        """The peer will send no more; a client still gets its answers."""
        if self.engine is not None:
            self._wire.part()
        elif self.worker is not None:
            self.worker.finish()

    def lost(self, reason: str) -> None:
        """The connection is gone: tell whoever the peer talked to."""
        self._cancel_timers()
        self._hub.remove_peer(self)
        self._drop_worker()
        if self.engine is not None:
            self._hub.registry.remove(self.engine)
            self.engine.ended(reason)

    def part(self, reason: str) -> None:
        """Hear nothing more, and close once everything is written, or soon at any rate."""
        self.log.debug("closing {number}: {reason}", number=self.number, reason=reason)
        self._drop_worker()
        self._cancel_timers()
        self._alarm = self._hub.reactor.callLater(self._limits.close, self._cut_off, "close")
        self._wire.part()

    # -- Line and Carrier ---------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Write to the peer, unless it has left too much unread."""
        if self.is_unread:
            self._waiting += len(data)
            if self._waiting > self._limits.unread:
                self._cut_off("unread")
                return
        self._wire.write(data, to_engine=self.engine is not None)

    def listen(self, *, wanted: bool) -> None:
        """Read on, or let the peer's bytes wait in the network."""
        self._wire.read(wanted=wanted and not self.is_unread)

    def close(self, reason: str) -> None:
        """The session is over."""
        self.part(reason)

    def become_engine(self, name: str, rest: bytes) -> None:
        """Turn the roles round: from now on we ask and the peer answers."""
        self.worker = None
        engine = self._hub.ferry(name, self) if self._hub.ferry is not None else None
        refusal = None
        if engine is None:
            engine = AttachedEngine(name, self)
            refusal = self._hub.registry.add(engine)
        if refusal is not None:
            self.send(f"? {refusal}\n\n".encode())
            self.part(refusal)
            return
        self._cancel_timers()
        self.engine = engine
        self.log.info("engine {name} attached", name=name)
        engine.received(rest)

    def release(self, engine: AttachedEngine) -> None:
        """Part from an engine; its name is free again."""
        self._hub.registry.remove(engine)
        self.part("engine released")

    # -- IPushProducer: what the transport says of its output ---------------------------------

    def pauseProducing(self) -> None:
        """The peer does not read: stop listening to it, and part if that goes on."""
        if self.is_unread:
            return  # Twisted says so with every write
        self.is_unread = True
        self._waiting = 0
        self._wire.read(wanted=False)
        _cancel(self._alarm)
        self._alarm = self._hub.reactor.callLater(self._limits.unread_time, self._cut_off, "unread")

    def resumeProducing(self) -> None:
        """The peer reads again."""
        self.is_unread = False
        _cancel(self._alarm)
        if self.worker is not None:
            self.worker.proceed()
        else:
            self._wire.read(wanted=True)

    def stopProducing(self) -> None:
        """The connection is gone; `lost` follows."""

    # -- limits -------------------------------------------------------------------------------

    def _cut_off(self, reason: str) -> None:
        # The connection is lost only in a later turn of the reactor; until then all is said.
        if not self._is_cut:
            self._is_cut = True
            self._hub.count(reason)
            self._wire.abort()

    def _watch_line(self, *, is_new: bool) -> None:
        """A line that has begun must be complete in time."""
        begun = self.worker is not None and self.worker.in_line
        if self._line is not None and (is_new or not begun):
            _cancel(self._line)
            self._line = None
        if begun and self._line is None:
            self._line = self._hub.reactor.callLater(self._limits.slow_line, self._check_line)

    def _check_line(self) -> None:
        self._line = None
        if self.worker is not None and self.worker.in_line:
            self._hub.count("slow line")
            self.part("slow line")

    def _check_login(self) -> None:
        self._login = None
        if self.worker is not None and not self.worker.is_admitted:
            self._hub.count("no login")
            self.part("no login")

    def _drop_worker(self) -> None:
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.lost()

    def _cancel_timers(self) -> None:
        for timer in (self._alarm, self._line, self._login):
            _cancel(timer)
        self._alarm = self._line = self._login = None


def _cancel(timer: DelayedCall | None) -> None:
    if timer is not None and timer.active():
        timer.cancel()
