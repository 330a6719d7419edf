"""Runs one protocol session: carries out its effects on the transport, the pool and streams."""

from __future__ import annotations

from twisted.python.failure import Failure

from yoddd.daemon.base.ports import Stream
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.search_pool import Job, JobKind, PoolBusy, Work
from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.throttle import Throttle
from yoddd.daemon.connections.worker import Worker, WorkerTransport
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import (
    Attach,
    Close,
    Effect,
    ReportFault,
    Send,
    StartAnalysis,
    StartCall,
    StartStream,
    StartTask,
    StopStream,
    StopTask,
)
from yoddd.protocol.origin import Origin, fold
from yoddd.protocol.phases import Phase
from yoddd.protocol.session import Session


class SessionWorker(Worker):
    """Runs one session until its connection is lost."""

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
        # The search in the pool; set while one runs or waits for a thread.
        self._job: Job | None = None
        # The latest stream; it stays after its end, when stopping it again does nothing.
        self._stream: Stream | None = None
        # Whether the client has closed its sending side; set once.
        self._is_hung_up = False

    @property
    def is_streaming(self) -> bool:
        """Whether a stream is open: a game or a match that is watched."""
        return self._stream is not None and self._session.phase is Phase.STREAMING

    @property
    def is_occupied(self) -> bool:
        """Whether it plays, offers a game, streams, waits for a reply, or has logged in."""
        return super().is_occupied or self._session.phase is not Phase.READY

    def hang_up(self) -> None:
        """Take the end of the input from a network, where it can mean that the peer is gone.

        The searches still to be answered end at once, with the best turns so far.
        """
        self._is_hung_up = True
        self._stop_job()
        self.finish()

    def lost(self) -> None:
        """End the session: the connection is lost."""
        self._services.pool.drop(self)
        super().lost()
        self._job = None

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Send(data):
                self._transport.send(data)
            case StartTask() | StartCall() | StartAnalysis() | StartStream():
                self._start(effect)
            case StopTask():
                self._stop_job()
            case StopStream():
                self._stop_job()
                if self._stream is not None:
                    self._stream.stop()
                    self._stream = None
            case Attach():
                self._attach(effect)
            case ReportFault(error):
                self._log_fault(error)
            case Close(reason):
                self._transport.close(reason)

    def _start(self, effect: StartTask | StartCall | StartAnalysis | StartStream) -> None:
        match effect:
            case StartTask(token, work, seconds, idle):
                kind = JobKind.IDLE if idle else JobKind.ONCE
                self._start_job(token, work, kind, seconds)
            case StartCall(token, start):
                self._start_call(start, lambda result: self._session.task_done(token, result))
            case StartAnalysis():
                self._start_analysis(effect)
            case StartStream():
                self._start_stream(effect)

    def _attach(self, effect: Attach) -> None:
        """Attach an engine once its token is checked."""
        if self._services.attach_gate is None:
            self._become_engine(effect, self._origin)
            return
        self._transport.read(wanted=False)
        checked = self._services.attach_gate(self, effect, self._origin)
        checked.addCallback(self._attach_checked, effect)

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

    def _stop_job(self) -> None:
        if self._job is not None:
            self._job.stop()

    def _start_job(
        self,
        token: int,
        work: Work,
        kind: JobKind,
        seconds: float | None,
        throttle: Throttle | None = None,
    ) -> None:
        try:
            job = self._services.pool.submit(self, work, kind, seconds, self._search_client)
        except PoolBusy as busy:
            if throttle is not None:
                throttle.stop()
            self._perform(self._session.task_failed(token, f"busy: {busy}"))
            return
        self._job = job
        limit = None if seconds is None else self._services.reactor.callLater(seconds, job.stop)

        def close() -> None:
            if limit is not None and limit.active():
                limit.cancel()
            if throttle is not None:
                throttle.stop()

        def ended(result: object) -> object:
            self._on_lost.discard(close)
            close()
            if self._job is job:
                self._job = None
            return result

        self._on_lost.add(close)
        if self._is_hung_up:
            job.stop()
        job.result.addBoth(ended)
        job.result.addCallbacks(
            self._task_done, self._task_failed, callbackArgs=(token,), errbackArgs=(token,)
        )

    def _start_analysis(self, effect: StartAnalysis) -> None:
        token, work = effect.token, effect.work  # the throttle may not keep the work, nor its tree
        throttle = Throttle(
            self._services.reactor,
            effect.interval,
            lambda text: self._perform(self._session.stream_line(token, text)),
        )
        kind = JobKind.RESUMABLE if effect.resumes else JobKind.ONCE
        self._start_job(
            token, lambda stop: work(stop, throttle.put), kind, effect.seconds, throttle
        )

    def _task_done(self, result: object, token: int) -> None:
        self._perform(self._session.task_done(token, result))

    def _task_failed(self, failure: Failure, token: int) -> None:
        self.log.failure("a search failed", failure)
        self._perform(self._session.task_failed(token, "engine failed"))

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
