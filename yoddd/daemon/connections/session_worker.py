"""The driver of one protocol session: its effects on the transport, the pool and streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.base import DelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.ports import Stream
from yoddd.daemon.connections.search_pool import Job, PoolBusy, Rank, Task
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.throttle import Reporter
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import (
    Attach,
    Close,
    Effect,
    Send,
    StartAnalysis,
    StartCall,
    StartStream,
    StartTask,
    StopStream,
    StopTask,
)
from yoddd.protocol.phases import Phase
from yoddd.protocol.rate_limit import RateLimiter
from yoddd.protocol.session import Session


class SessionTransport(Protocol):
    """What a session needs of its connection.

    Attributes:
        host: the client's host; None for a UNIX socket or standard streams.
    """

    host: str | None

    @property
    def is_unread(self) -> bool:
        """Whether the client leaves the output unread."""

    def send(self, data: bytes) -> None:
        """Write to the client."""

    def read(self, *, wanted: bool) -> None:
        """Go on reading, or stop."""

    def close(self, reason: str) -> None:
        """Close once everything is written."""

    def become_engine(self, name: str, rest: bytes) -> None:
        """Hand the connection to a controller."""


class SessionWorker:
    """Runs one session: carries out its effects on the transport, the search pool and streams."""

    log = Logger()

    def __init__(
        self,
        services: Services,
        config: SessionConfig,
        transport: SessionTransport,
        rate_limit: RateLimiter | None = None,
    ) -> None:
        """Begin a session; without ``rate_limit`` it is served as fast as it asks."""
        self._services = services
        self._transport = transport
        self._session = Session(config, rate_limit)
        # The search in the pool; set while one runs or waits for a thread.
        self._job: Job | None = None
        # The latest stream; it stays after its end, when stopping it again does nothing.
        self._stream: Stream | None = None
        # The next batch of a session that is held back by its rate limit or has more to do.
        self._next_batch: DelayedCall | None = None
        # Called when the connection is lost: timers of a search, and the calls of `on_disconnect`.
        self._on_lost: set[Callable[[], None]] = set()
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

    # -- ConnectionHandle -------------------------------------------------------------------------

    @property
    def host(self) -> str | None:
        """The client's host; None for a UNIX socket or standard streams."""
        return self._transport.host

    def disconnect(self, reason: str) -> None:
        """Close the connection."""
        self._transport.close(reason)

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
        """Take note that the client sends no more."""
        self._perform(self._session.finish())

    def lost(self) -> None:
        """End everything: the connection is lost."""
        self._perform(self._session.lost())
        self._services.connections.count_session(*self.requests)
        self._services.pool.forget(self)
        self._is_lost = True
        for close in tuple(self._on_lost):
            close()
        if self._next_batch is not None and self._next_batch.active():
            self._next_batch.cancel()

    def proceed(self) -> None:
        """Go on with what was held back: the client reads again."""
        self._perform(self._session.resume())

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._carry_out(effect)
        if self._session.phase is Phase.CLOSED:
            return
        self._transport.read(wanted=self._session.wants_input)
        # One batch a turn of the reactor, at the session's pace, and none while the peer leaves its
        # replies unread.
        if (
            self._session.wants_resume
            and not self._transport.is_unread
            and self._next_batch is None
        ):
            wait = self._session.resume_after
            self._next_batch = self._services.reactor.callLater(wait, self._go_on)

    def _go_on(self) -> None:
        self._next_batch = None
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
            case Close(reason):
                self._transport.close(reason)

    def _start(self, effect: StartTask | StartCall | StartAnalysis | StartStream) -> None:
        match effect:
            case StartTask(token, work, seconds, idle):
                rank = Rank.IDLE if idle else Rank.ONCE
                self._start_job(token, work, rank, seconds)
            case StartCall(token, start):
                start(self, lambda result: self._answered(token, result))
            case StartAnalysis():
                self._start_analysis(effect)
            case StartStream():
                self._start_stream(effect)

    def _answered(self, token: int, result: object) -> None:
        # In a later turn of the reactor: many answers at once must not nest in each other.
        self._services.reactor.callLater(
            0, lambda: self._perform(self._session.task_done(token, result))
        )

    def _attach(self, effect: Attach) -> None:
        """Attach an engine once its token is checked."""
        if self._services.attach_gate is None:
            self._transport.become_engine(effect.name, effect.rest)
            return
        self._transport.read(wanted=False)
        checked = self._services.attach_gate(self, effect.name, effect.options.get("token"))
        checked.addCallback(self._attach_checked, effect)

    def _attach_checked(self, refusal: str | None, effect: Attach) -> None:
        if self._is_lost:
            return
        if refusal is not None:
            self._transport.send(f"? {refusal}\n\n".encode())
            self._transport.close(refusal)
            return
        self._transport.read(wanted=True)
        self._transport.become_engine(effect.name, effect.rest)

    def _stop_job(self) -> None:
        if self._job is not None:
            self._job.stop()

    def _start_job(
        self,
        token: int,
        work: Task,
        rank: Rank,
        seconds: float | None,
        reporter: Reporter | None = None,
    ) -> None:
        try:
            job = self._services.pool.submit(self, work, rank, seconds)
        except PoolBusy as busy:
            if reporter is not None:
                reporter.stop()
            self._perform(self._session.task_failed(token, f"busy: {busy}"))
            return
        self._job = job
        limit = None if seconds is None else self._services.reactor.callLater(seconds, job.stop)

        def close() -> None:
            if limit is not None and limit.active():
                limit.cancel()
            if reporter is not None:
                reporter.stop()

        def ended(result: object) -> object:
            self._on_lost.discard(close)
            close()
            if self._job is job:
                self._job = None
            return result

        self._on_lost.add(close)
        job.result.addBoth(ended)
        job.result.addCallbacks(
            self._task_done, self._task_failed, callbackArgs=(token,), errbackArgs=(token,)
        )

    def _start_analysis(self, effect: StartAnalysis) -> None:
        reporter = Reporter(
            self._services.reactor,
            effect.interval,
            lambda text: self._perform(self._session.stream_line(effect.token, text)),
        )
        work = effect.work
        rank = Rank.AGAIN if effect.resumes else Rank.ONCE
        self._start_job(
            effect.token, lambda stop: work(stop, reporter.tell), rank, effect.seconds, reporter
        )

    def _task_done(self, result: object, token: int) -> None:
        self._perform(self._session.task_done(token, result))

    def _task_failed(self, failure: Failure, token: int) -> None:
        self.log.failure("a search failed", failure)
        self._perform(self._session.task_failed(token, "engine failed"))

    def _start_stream(self, effect: StartStream) -> None:
        token = effect.token
        self._stream = self._services.streams[effect.name](
            effect.args,
            lambda text: self._perform(self._session.stream_line(token, text)),
            lambda error: self._perform(self._session.stream_end(token, error)),
        )
