"""Runs one protocol session: carries out its effects on the transport, the pool and streams."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.replies import Stream
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.worker import MIN_INTERVAL, Worker, WorkerTransport
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Attach, Effect, RepeatLine, StartStream, StopStream
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import Origin, fold
from yoddd.protocol.phases import Phase
from yoddd.protocol.session import Session
from yoddd.referee.game.engine_range import EngineRange


class Repetition:
    """A stream that writes one line again and again."""

    is_needed = False

    def __init__(self, reactor: Reactor, interval: float, write: Callable[[], None]) -> None:
        """Begin; ``interval`` is in seconds."""
        self._call = LoopingCall(write)
        self._call.clock = reactor
        self._call.start(max(MIN_INTERVAL, interval), now=False)

    def stop(self) -> None:
        """Write it no more."""
        self._call.stop()


class SessionWorker(Worker):
    """Runs one session until its connection is lost."""

    __slots__ = ("_origin", "_session", "_stream")

    def __init__(
        self,
        services: Services,
        config: SessionConfig,
        transport: WorkerTransport,
        client: Client | None = None,
    ) -> None:
        """Begin a session; None for ``client`` trusts it and serves it without delay."""
        client = client or Client()
        # The address of the client, which owns the engine that it may attach.
        self._origin = services.origin_of(transport.host)
        self._session = Session(config, client.rate_limiter, client.identity)
        super().__init__(services, transport, self._session)
        # The latest stream; it stays after its end, when stopping it again does nothing.
        self._stream: Stream | None = None

    @property
    def is_streaming(self) -> bool:
        """Whether a stream is open: a game or a match that is watched."""
        return self._stream is not None and self._session.phase is Phase.STREAMING

    @property
    def is_needed(self) -> bool:
        """Whether the client would lose a game, a search, a reply or a log-in by the end of it."""
        streams = self.is_streaming and self._stream is not None and self._stream.is_needed
        return super().is_needed or streams or self._session.phase is Phase.BUSY

    def hang_up(self) -> None:
        """Take the end of the input from a network, where it can mean that the peer is gone.

        The searches still to be answered end at once, with the best turns so far.
        """
        self._is_hung_up = True
        for job in tuple(self._jobs.values()):
            job.stop()
        self.finish()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case StartStream():
                self._start_stream(effect)
            case RepeatLine(token, text, interval):
                self._stream = Repetition(
                    self._services.reactor,
                    interval,
                    lambda: self._perform(self._session.stream_line(token, text)),
                )
            case StopStream(token):
                self._stop_job(token)
                if self._stream is not None:
                    self._stream.stop()
                    self._stream = None
            case Attach():
                self._attach(effect)
            case _:
                super()._carry_out(effect)

    def _attach(self, effect: Attach) -> None:
        """Attach an engine once its range and its token are checked."""
        try:
            EngineRange.read(effect.options)
        except PeerError as error:
            self._attach_checked(error.text, effect)
            return
        if self._services.attach_gate is None:
            self._become_engine(effect, self._origin)
            return
        self._transport.read(wanted=False)
        checked = self._services.attach_gate(self, effect, self._origin)
        Deferred.fromCoroutine(checked).addCallback(self._attach_checked, effect)

    def _attach_checked(self, found: str | Origin, effect: Attach) -> None:
        if self._is_lost:
            return
        if isinstance(found, str):
            self._transport.send(f"? {found}\n\n".encode())
            self._transport.close(found)
            return
        self._transport.read(wanted=True)
        self._become_engine(effect, found)

    def _become_engine(self, effect: Attach, owner: Origin) -> None:
        name, user = effect.name, owner.user
        if user is not None and fold(user) == fold(name):
            name = user
        self._transport.become_engine(Attachment.read(name, owner, effect.options), effect.rest)

    def _start_stream(self, effect: StartStream) -> None:
        token = effect.token
        try:
            self._stream = self._services.streams[effect.name](
                effect.args,
                lambda text: self._perform(self._session.stream_line(token, text)),
                lambda error: self._perform(self._session.stream_end(token, error)),
                effect.origin,
            )
        except Exception as error:  # noqa: BLE001 — a fault of ours ends no session
            self._perform(self._session.task_done(token, self._refusal(error)))
