"""A network connection above its transport: a session or an attached engine, and its limits.

The transports, `net.stream_transport` and `net.websocket.transport`, only carry bytes; what they
have in common is here.
"""

from __future__ import annotations

from typing import Final, Protocol

from twisted.internet.base import DelayedCall
from twisted.internet.interfaces import IPushProducer
from twisted.logger import Logger
from zope.interface import implementer

from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.engine_link import AttachedEngine
from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.wire import SESSION, WireProtocol
from yoddd.daemon.connections.worker import Worker

CROWDED: Final = "the server is full, and your network has the most connections"
"""The reason for which a connection is closed to make room."""


class Transport(Protocol):
    """The object below a connection, which carries its bytes."""

    kind: str

    def used(self) -> None:
        """Note that the client has sent a request that is of use to it."""

    def write(self, data: bytes, *, to_engine: bool) -> None:
        """Send replies, or requests to an engine."""

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading."""

    def disconnect(self, reason: str) -> None:
        """Close once everything is written; a transport that can tells the client the reason."""

    def end(self, reason: str) -> None:
        """Close as `disconnect`, but keep other sessions that the transport carries."""

    def abort(self) -> None:
        """Close at once and drop what is not written."""


@implementer(IPushProducer)
class PeerConnection:
    """A connection: first a session, and from an accepted ``attach`` on an engine.

    It is the `WorkerTransport` of its session and the producer of its own transport: when the
    client does not read, it is not read from either, so that replies cannot pile up. What is
    written to such a client all the same, as to a spectator, is limited.

    Attributes:
        number: the number of the connection in the orders of the administrator.
        host: the client's host; None for a UNIX socket.
        is_unread: whether the transport's buffer is full because the client does not read.
        engine: the engine, from ``attach`` on.
        worker: the session or analysis; None from ``attach`` or the end of the connection on.
    """

    __slots__ = (
        "_abort_timer",
        "_attached_by",
        "_is_cut_off",
        "_limits",
        "_line_timer",
        "_login_timer",
        "_reads",
        "_services",
        "_share",
        "_share_timer",
        "_transport",
        "_unread_bytes",
        "engine",
        "host",
        "is_unread",
        "number",
        "worker",
    )

    log = Logger()

    def __init__(
        self,
        services: Services,
        transport: Transport,
        host: str | None,
        client: Client | None = None,
        wire: WireProtocol = SESSION,
    ) -> None:
        """Start the protocol of ``wire``; nothing is sent before the first request.

        ``client`` is what it shares with the other sessions of its transport; None if it is alone.
        """
        self.host = host
        # Set by pauseProducing, cleared by resumeProducing.
        self.is_unread = False
        # Whether the transport was last told to read.
        self._reads = True
        # Set once, by become_engine.
        self.engine: AttachedEngine | None = None
        self._services = services
        self._transport = transport
        # The session that became an engine; its callbacks of the end are those of the engine.
        self._attached_by: Worker | None = None
        # The limits at the beginning; a reload does not change them for this connection.
        self._limits = services.limits
        # What its address uses of the reactor's time; None if it is exempt.
        self._share = services.admission.share_of(host)
        # Reads an engine's bytes again once its address may use more time; set only meanwhile.
        self._share_timer: DelayedCall | None = None
        # Bytes written since the transport's buffer was full; reset by each pauseProducing.
        self._unread_bytes = 0
        # Whether the transport was told to abort; the connection is lost only in a later turn of
        # the reactor, and is counted as cut off once.
        self._is_cut_off = False
        # Aborts the connection: a client that does not read, or a close that takes too long.
        self._abort_timer: DelayedCall | None = None
        # Closes the connection if a line that has begun stays incomplete; runs only meanwhile.
        self._line_timer: DelayedCall | None = None
        # Closes the connection if there was no login; runs from the start where one is required.
        self._login_timer: DelayedCall | None = None
        # Dropped by become_engine, disconnect and lost.
        self.worker: Worker | None = wire.begin(services, self, client or services.client_at(host))
        self.number = services.connections.add(self)
        if services.session.services.login_required:
            self._login_timer = services.reactor.callLater(self._limits.login, self._check_login)

    @property
    def kind(self) -> str:
        """The transport: ``tcp``, ``tls``, ``unix`` or ``websocket``."""
        return self._transport.kind

    @property
    def engine_name(self) -> str | None:
        """The name of the attached engine; None for a session."""
        return None if self.engine is None else self.engine.name

    @property
    def requests(self) -> tuple[int, int]:
        """The number of requests of the session so far, and of those that were errors."""
        return (0, 0) if self.worker is None else self.worker.requests

    @property
    def is_in_game(self) -> bool:
        """Whether it plays or watches a game."""
        if self.engine is not None:
            return self.engine.taken
        return self.worker is not None and self.worker.is_streaming

    @property
    def is_needed(self) -> bool:
        """Whether it is an engine, or its client would lose a game, a search or a log-in by it."""
        return self.worker is None or self.worker.is_needed

    def make_room(self) -> bool:
        """Close unless it is needed; return whether it does."""
        if self.is_needed:
            return False
        self._services.connections.count_cut_off("room")
        self.disconnect(CROWDED)
        return True

    # -- events of the transport --------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Take bytes from the client."""
        if self._share is None:
            self._take(data)
        else:
            self._share.run(self._take, data)
            self._hold_engine(self._share.wait())

    def _take(self, data: bytes) -> None:
        if self.engine is not None:
            self.engine.received(data)
        elif self.worker is not None:
            self.worker.receive(data)
            if self._line_timer is not None or not data.endswith(b"\n"):
                self._watch_line(is_new=b"\n" in data)

    def _hold_engine(self, seconds: float) -> None:
        """Stop reading from an engine whose address has used up its time; a session does itself."""
        if seconds > 0 and self.engine is not None and self._share_timer is None:
            self._share_timer = self._services.reactor.callLater(seconds, self._read_engine)
            self.read(wanted=False)

    def _read_engine(self) -> None:
        self._share_timer = None
        self.read(wanted=True)

    def finished(self) -> None:
        """Take the end of the input; a session still answers the requests that it has."""
        if self.engine is not None:
            self._transport.disconnect("end of input")
        elif self.worker is not None:
            self.worker.hang_up()

    def lost(self, reason: str) -> None:
        """End the session or the engine: the connection is closed."""
        self._cancel_timers()
        self._services.connections.remove(self)
        self._drop_worker()
        if self._attached_by is not None:
            self._attached_by.lost()
        if self.engine is not None:
            self._services.engines.remove(self.engine)
            self.engine.ended(reason)

    def disconnect(self, reason: str) -> None:
        """Take no more input, and close once the output is written or ``limits.close`` is over."""
        self._wind_up(reason)
        self._transport.disconnect(reason)

    def _wind_up(self, reason: str) -> None:
        self.log.debug("closing {number}: {reason}", number=self.number, reason=reason)
        self._drop_worker()
        self._cancel_timers()
        self._abort_timer = self._services.reactor.callLater(
            self._limits.close, self._cut_off, "close"
        )

    # -- WorkerTransport, and what an attached engine uses ------------------------------------

    def used(self) -> None:
        """Note that the client has sent a request that is of use to it."""
        self._transport.used()

    def send(self, data: bytes) -> None:
        """Write to the client, unless it has left too much unread."""
        if self.is_unread:
            self._unread_bytes += len(data)
            if self._unread_bytes > self._limits.unread:
                self._cut_off("unread")
                return
        self._transport.write(data, to_engine=self.engine is not None)

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading; never reads while the client itself does not read."""
        wanted = wanted and not self.is_unread and self._share_timer is None
        if wanted != self._reads:
            self._reads = wanted
            self._transport.read(wanted=wanted)

    def close(self, reason: str) -> None:
        """Close: the session is over."""
        self._wind_up(reason)
        self._transport.end(reason)

    def become_engine(self, attachment: Attachment, rest: bytes) -> None:
        """Reverse the roles: from now on the daemon sends requests and the engine replies."""
        self._attached_by, self.worker = self.worker, None
        engine = AttachedEngine(attachment, self.send, self.release)
        refusal = self._services.engines.add(engine, lambda: self._confirm(attachment))
        if refusal is not None:
            self.send(f"? {refusal}\n\n".encode())
            self.close(refusal)
            return
        self._cancel_timers()
        self.engine = engine
        self.log.info("engine {name} attached", name=engine.name)
        engine.received(rest)

    def _confirm(self, attachment: Attachment) -> None:
        if attachment.is_confirmed:
            self.send(b"= \n\n")

    def release(self, engine: AttachedEngine) -> None:
        """Disconnect an engine; its name is free again."""
        self._services.engines.remove(engine)
        self.close("engine released")

    # -- IPushProducer: the state of the transport's output buffer ----------------------------

    def pauseProducing(self) -> None:
        """Stop reading: the client does not read; cut it off if that goes on."""
        if self.is_unread:
            return  # Twisted calls this for every write
        self.is_unread = True
        self._unread_bytes = 0
        self.read(wanted=False)
        _cancel(self._abort_timer)
        self._abort_timer = self._services.reactor.callLater(
            self._limits.unread_time, self._cut_off, "unread"
        )

    def resumeProducing(self) -> None:
        """Read again: the client has read its output."""
        self.is_unread = False
        _cancel(self._abort_timer)
        if self.worker is not None:
            self.worker.proceed()
        else:
            self.read(wanted=True)

    def stopProducing(self) -> None:
        """Do nothing: `lost` follows."""

    # -- limits -------------------------------------------------------------------------------

    def _cut_off(self, reason: str) -> None:
        if not self._is_cut_off:
            self._is_cut_off = True
            self._services.connections.count_cut_off(reason)
            self._transport.abort()

    def _watch_line(self, *, is_new: bool) -> None:
        """Start or stop the timer of an incomplete line."""
        begun = self.worker is not None and self.worker.machine.in_line
        if self._line_timer is not None and (is_new or not begun):
            _cancel(self._line_timer)
            self._line_timer = None
        if begun and self._line_timer is None:
            self._line_timer = self._services.reactor.callLater(
                self._limits.slow_line, self._check_line
            )

    def _check_line(self) -> None:
        self._line_timer = None
        if self.worker is not None and self.worker.machine.in_line:
            self._services.connections.count_cut_off("slow line")
            self.disconnect("slow line")

    def _check_login(self) -> None:
        self._login_timer = None
        if self.worker is not None and not self.worker.machine.is_admitted:
            self._services.connections.count_cut_off("no login")
            self.disconnect("no login")

    def _drop_worker(self) -> None:
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.lost()

    def _cancel_timers(self) -> None:
        for timer in (self._abort_timer, self._line_timer, self._login_timer, self._share_timer):
            _cancel(timer)
        self._abort_timer = self._line_timer = self._login_timer = self._share_timer = None


def _cancel(timer: DelayedCall | None) -> None:
    if timer is not None and timer.active():
        timer.cancel()
