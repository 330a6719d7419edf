"""Runs one session: carries its effects out over whatever transport it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.base import DelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.ports import Stream
from yoddd.daemon.connections.hub import Hub
from yoddd.daemon.connections.search_pool import Job, PoolBusy, Rank, Task
from yoddd.daemon.connections.throttle import Reporter
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


class Line(Protocol):
    """What a session needs of its transport.

    Attributes:
        host: where the peer is; None for a UNIX socket or standard streams.
    """

    host: str | None

    @property
    def is_unread(self) -> bool:
        """Whether the peer leaves our output unread."""

    def send(self, data: bytes) -> None:
        """Write to the peer."""

    def listen(self, *, wanted: bool) -> None:
        """Read on, or stop reading."""

    def close(self, reason: str) -> None:
        """Close once everything is written."""

    def become_engine(self, name: str, rest: bytes) -> None:
        """Hand the connection to a controller."""


class SessionWorker:
    """The life of one session between its transport, the search pool and the matches."""

    log = Logger()

    def __init__(self, hub: Hub, line: Line, pace: RateLimiter | None = None) -> None:
        """Begin a session, which is served at its ``pace`` if it has one."""
        self._hub = hub
        self._line = line
        self._session = Session(hub.config, pace)
        self._job: Job | None = None
        self._stream: Stream | None = None
        self._resume: DelayedCall | None = None
        self._open: set[Callable[[], None]] = set()
        self._gone = False

    @property
    def in_line(self) -> bool:
        """Whether the peer has begun a line that it has not finished."""
        return self._session.in_line

    @property
    def is_admitted(self) -> bool:
        """Whether the peer has logged in, or need not."""
        return self._session.is_admitted

    @property
    def is_streaming(self) -> bool:
        """Whether a stream is open: a game or a match that is watched."""
        return self._stream is not None and self._session.phase is Phase.STREAMING

    @property
    def asked(self) -> tuple[int, int]:
        """How many requests came, and how many of them were errors."""
        return self._session.served, self._session.errors

    # -- ConnectionHandle ---------------------------------------------------------------------

    @property
    def host(self) -> str | None:
        """Where the peer is."""
        return self._line.host

    def disconnect(self, reason: str) -> None:
        """Close the connection."""
        self._line.close(reason)

    def on_disconnect(self, call: Callable[[], None]) -> None:
        """Have ``call`` called when the peer is gone."""
        if self._gone:
            call()
        else:
            self._open.add(call)

    # -- what the line brings ---------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """The peer sent bytes."""
        self._perform(self._session.receive(data))

    def finish(self) -> None:
        """The peer will send no more."""
        self._perform(self._session.finish())

    def lost(self) -> None:
        """The peer is gone."""
        self._perform(self._session.lost())
        self._hub.past.requests += self._session.served
        self._hub.past.errors += self._session.errors
        self._hub.pool.forget(self)
        self._gone = True
        for close in tuple(self._open):
            close()
        if self._resume is not None and self._resume.active():
            self._resume.cancel()

    def proceed(self) -> None:
        """The peer reads again: go on with what was held back."""
        self._perform(self._session.resume())

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._carry_out(effect)
        if self._session.phase is Phase.CLOSED:
            return
        self._line.listen(wanted=self._session.wants_input)
        # One batch a turn of the reactor, at the session's pace, and none while the peer leaves its
        # replies unread.
        if self._session.wants_resume and not self._line.is_unread and self._resume is None:
            wait = self._session.resume_after
            self._resume = self._hub.reactor.callLater(wait, self._go_on)

    def _go_on(self) -> None:
        self._resume = None
        if not self._line.is_unread:
            self._perform(self._session.resume())

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Send(data):
                self._line.send(data)
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
                self._line.close(reason)

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
        self._hub.reactor.callLater(
            0, lambda: self._perform(self._session.task_done(token, result))
        )

    def _attach(self, effect: Attach) -> None:
        """Let an engine in, once it is known to be who it says."""
        if self._hub.gate is None:
            self._line.become_engine(effect.name, effect.rest)
            return
        self._line.listen(wanted=False)
        checked = self._hub.gate(self, effect.name, effect.options.get("token"))
        checked.addCallback(self._let_in, effect)

    def _let_in(self, refusal: str | None, effect: Attach) -> None:
        if self._gone:
            return
        if refusal is not None:
            self._line.send(f"? {refusal}\n\n".encode())
            self._line.close(refusal)
            return
        self._line.listen(wanted=True)
        self._line.become_engine(effect.name, effect.rest)

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
            job = self._hub.pool.submit(self, work, rank, seconds)
        except PoolBusy as busy:
            if reporter is not None:
                reporter.stop()
            self._perform(self._session.task_failed(token, f"busy: {busy}"))
            return
        self._job = job
        limit = None if seconds is None else self._hub.reactor.callLater(seconds, job.stop)

        def close() -> None:
            if limit is not None and limit.active():
                limit.cancel()
            if reporter is not None:
                reporter.stop()

        def ended(result: object) -> object:
            self._open.discard(close)
            close()
            if self._job is job:
                self._job = None
            return result

        self._open.add(close)
        job.result.addBoth(ended)
        job.result.addCallbacks(
            self._task_done, self._task_failed, callbackArgs=(token,), errbackArgs=(token,)
        )

    def _start_analysis(self, effect: StartAnalysis) -> None:
        reporter = Reporter(
            self._hub.reactor,
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
        self._stream = self._hub.open_stream(
            effect.name,
            effect.args,
            say=lambda text: self._perform(self._session.stream_line(token, text)),
            end=lambda error: self._perform(self._session.stream_end(token, error)),
        )
