"""Runs one protocol session: carries out its effects on the transport, the pool and streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.base import DelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.ports import Stream
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.search_pool import Job, JobKind, PoolBusy, Work
from yoddd.daemon.connections.services import Client, Services
from yoddd.daemon.connections.throttle import Throttle
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import (
    Attach,
    Close,
    ConnectionHandle,
    Effect,
    ReportFault,
    ResultCallback,
    Send,
    StartAnalysis,
    StartCall,
    StartStream,
    StartTask,
    StopStream,
    StopTask,
)
from yoddd.protocol.errors import Code, PeerError, ProtocolError
from yoddd.protocol.origin import Origin, fold
from yoddd.protocol.phases import Phase
from yoddd.protocol.session import Session


class SessionTransport(Protocol):
    """The connection of a session.

    Attributes:
        host: the client's host; None for a UNIX socket or standard streams.
    """

    host: str | None

    @property
    def is_unread(self) -> bool:
        """Whether the client does not read its output."""

    def send(self, data: bytes) -> None:
        """Write to the client."""

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading."""

    def close(self, reason: str) -> None:
        """End the session, once everything is written."""

    def disconnect(self, reason: str) -> None:
        """Close the connection, once everything is written."""

    def become_engine(self, attachment: Attachment, rest: bytes) -> None:
        """Use the connection for an attached engine; ``rest`` are bytes behind its request."""


class SessionWorker:
    """Runs one session until its connection is lost."""

    log = Logger()

    def __init__(
        self,
        services: Services,
        config: SessionConfig,
        transport: SessionTransport,
        client: Client | None = None,
    ) -> None:
        """Begin a session; None for ``client`` trusts it and serves it without delay."""
        client = client or Client()
        self._services = services
        self._transport = transport
        # The address of the client, which owns the engine that it may attach.
        self._origin = services.origin_of(transport.host)
        self._session = Session(config, client.rate_limiter, client.identity)
        # What the address uses of the time of the reactor; None if it is exempt.
        self._share = services.admission.share_of(transport.host)
        # The search in the pool; set while one runs or waits for a thread.
        self._job: Job | None = None
        # The latest stream; it stays after its end, when stopping it again does nothing.
        self._stream: Stream | None = None
        # The call that serves the next batch of requests; set while some wait, because of the rate
        # limit or because a batch is bounded, else None.
        self._next_batch: DelayedCall | None = None
        # Called when the connection is lost: the clean-up of each search in the pool, which its end
        # removes, and the callbacks of `on_disconnect`, which stay.
        self._on_lost: set[Callable[[], None]] = set()
        # Whether the client has closed its sending side; set once.
        self._is_hung_up = False
        # Whether the connection is lost; set once.
        self._is_lost = False

    @property
    def in_line(self) -> bool:
        """Whether the client has begun a line that it has not finished."""
        return self._session.in_line

    @property
    def is_admitted(self) -> bool:
        """Whether the client has logged in, or need not."""
        return self._session.is_admitted

    @property
    def is_streaming(self) -> bool:
        """Whether a stream is open: a game or a match that is watched."""
        return self._stream is not None and self._session.phase is Phase.STREAMING

    @property
    def requests(self) -> tuple[int, int]:
        """The number of requests, and of those that were errors."""
        return self._session.served, self._session.errors

    @property
    def _search_client(self) -> object:
        """Return who shares search time: the account or the address; None if it shares none."""
        shared = self._services.admission.client_of(self.host)
        return None if shared is None else self._session.user or shared

    # -- ConnectionHandle -------------------------------------------------------------------------

    @property
    def host(self) -> str | None:
        """The client's host; None for a UNIX socket or standard streams."""
        return self._transport.host

    def disconnect(self, reason: str) -> None:
        """Close the connection."""
        self._transport.disconnect(reason)

    def on_disconnect(self, call: Callable[[], None]) -> None:
        """Call ``call`` when the connection is lost."""
        if self._is_lost:
            call()
        else:
            self._on_lost.add(call)

    # -- events of the connection ---------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take bytes from the client."""
        self._perform(self._session.receive(data))

    def finish(self) -> None:
        """Take the end of the input."""
        self._perform(self._session.finish())

    def hang_up(self) -> None:
        """Take the end of the input from a network, where it can mean that the peer is gone.

        The searches still to be answered end at once, with the best turns so far.
        """
        self._is_hung_up = True
        self._stop_job()
        self.finish()

    def lost(self) -> None:
        """End the session: the connection is lost."""
        self._perform(self._session.lost())
        self._services.connections.count_session(*self.requests)
        self._services.pool.drop(self)
        self._is_lost = True
        for close in tuple(self._on_lost):
            close()
        # The session is part of cycles, which a collection removes late: no tree may be in them.
        self._on_lost.clear()
        self._job = None
        if self._next_batch is not None and self._next_batch.active():
            self._next_batch.cancel()

    def proceed(self) -> None:
        """Continue with the requests that were held back: the client reads again."""
        self._perform(self._session.resume())

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._carry_out(effect)
        if self._session.phase is Phase.CLOSED:
            return
        self._transport.read(wanted=self._session.wants_input)
        # One batch per turn of the reactor, delayed by the rate limit, and none while the client
        # leaves its replies unread.
        if (
            self._session.wants_resume
            and not self._transport.is_unread
            and self._next_batch is None
        ):
            wait = self._session.resume_after
            self._next_batch = self._services.reactor.callLater(wait, self._run_batch)

    def _run_batch(self) -> None:
        self._next_batch = None
        if self._share is None:
            self._resume()
        else:
            self._share.run(self._resume)

    def _resume(self) -> None:
        if not self._transport.is_unread:
            self._perform(self._session.resume())

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
                self._start_call(token, start)
            case StartAnalysis():
                self._start_analysis(effect)
            case StartStream():
                self._start_stream(effect)

    def _start_call(
        self, token: int, start: Callable[[ConnectionHandle, ResultCallback], None]
    ) -> None:
        try:
            start(self, lambda result: self._answered(token, result))
        except Exception as error:  # noqa: BLE001 — a fault of ours ends no session
            self._answered(token, self._refusal(error))

    def _refusal(self, error: Exception) -> ProtocolError:
        """Return what the client is told; logs an error that is no refusal."""
        if isinstance(error, ProtocolError):
            return error
        self._log_fault(error)
        return PeerError(Code.INTERNAL)

    def _log_fault(self, error: Exception) -> None:
        self.log.failure("a request failed", Failure(error))

    def _answered(self, token: int, result: object) -> None:
        # In a later turn of the reactor: many answers at once must not nest in each other.
        self._services.reactor.callLater(
            0, lambda: self._perform(self._session.task_done(token, result))
        )

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
            self._perform(self._session.stream_end(token, self._refusal(error).text))
