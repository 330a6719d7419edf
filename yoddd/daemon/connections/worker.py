"""Runs what is spoken on a connection: carries out its effects, and resumes it in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from twisted.internet.base import DelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.admission.places import block_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_share import Waiting
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.search_pool import Job, JobKind, PoolBusy, Work
from yoddd.daemon.connections.services import Services
from yoddd.kernel.backend import KernelMissing
from yoddd.protocol.effects import (
    Close,
    Effect,
    ReportFault,
    Send,
    StartAnalysis,
    StartCall,
    StartTask,
    StopTask,
)
from yoddd.protocol.errors import Code, PeerError, ProtocolError
from yoddd.protocol.line_machine import LineMachine

MIN_INTERVAL: Final = 0.02
"""The shortest interval in seconds, whatever the client requests."""


class Throttle:
    """Passes on the latest line once per interval, and drops those that it replaces."""

    def __init__(self, reactor: Reactor, interval: float, send: Callable[[str], None]) -> None:
        """Start; ``interval`` is in seconds."""
        self._reactor = reactor
        self._interval = max(MIN_INTERVAL, interval)
        self._send = send
        # The line to send next; set in the thread of the search, cleared when it is sent.
        self._latest: str | None = None
        self._timer: DelayedCall = reactor.callLater(self._interval, self._on_interval)

    def put(self, line: str) -> None:
        """Replace the line to send; called in the thread of the search."""
        self._latest = line

    def stop(self) -> None:
        """Send the last line at once and stop."""
        self.cancel()
        self._flush()

    def cancel(self) -> None:
        """Stop without sending the last line."""
        if self._timer.active():
            self._timer.cancel()

    def _on_interval(self) -> None:
        self._flush()
        self._timer = self._reactor.callLater(self._interval, self._on_interval)

    def _flush(self) -> None:
        latest, self._latest = self._latest, None
        if latest is not None:
            self._send(latest)


class WorkerTransport(Protocol):
    """The connection of a worker.

    Attributes:
        host: the client's host; None for a UNIX socket or standard streams.
    """

    host: str | None

    @property
    def is_unread(self) -> bool:
        """Whether the client does not read its output."""

    def used(self) -> None:
        """Note that the client has sent a request that is of use to it."""

    def send(self, data: bytes) -> None:
        """Write to the client."""

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading."""

    def close(self, reason: str) -> None:
        """End the session, once everything is written."""

    def disconnect(self, reason: str) -> None:
        """Close the connection, once everything is written."""

    def become_engine(self, attachment: Attachment, rest: bytes) -> None:
        """Use the connection for an attached engine; ``rest`` are bytes after its request."""


class Worker:
    """Runs one state machine until its connection is lost.

    Attributes:
        ends_with_line: whether the last line of a search is passed on when it ends.
        machine: the state machine.
    """

    __slots__ = (
        "_is_hung_up",
        "_is_lost",
        "_jobs",
        "_next_batch",
        "_on_lost",
        "_services",
        "_share",
        "_transport",
        "_useful",
        "machine",
    )

    log = Logger()
    ends_with_line = True

    def __init__(
        self, services: Services, transport: WorkerTransport, machine: LineMachine
    ) -> None:
        self._services = services
        self._transport = transport
        self.machine = machine
        # What the address uses of the time of the reactor; None if it is exempt.
        self._share = services.admission.share_of(transport.host)
        # The call that serves the next batch of requests; set while some wait, because of the rate
        # limit or because a batch is bounded, else None.
        self._next_batch: DelayedCall | Waiting | None = None
        # The searches in the pool, by token.
        self._jobs: dict[int, Job] = {}
        # Whether the client has closed its sending side and the searches end at once; set once.
        self._is_hung_up = False
        # Called when the connection is lost: the callbacks of `on_disconnect`, and the clean-up of
        # what runs; each with what says whether the connection is needed for it.
        self._on_lost: dict[Callable[[], None], Callable[[], bool]] = {}
        # How many requests of the machine were of use when it was last looked at.
        self._useful = 0
        # Whether the connection is lost; set once.
        self._is_lost = False

    @property
    def is_streaming(self) -> bool:
        """Whether the client watches a game or a match."""
        return False

    @property
    def is_needed(self) -> bool:
        """Whether the client would lose a game, a search or a log-in by the end of it."""
        searches = any(job.kind is not JobKind.IDLE for job in self._jobs.values())
        return searches or self.machine.user is not None or any(n() for n in self._on_lost.values())

    @property
    def requests(self) -> tuple[int, int]:
        """The number of requests, and of those that were errors."""
        return self.machine.served, self.machine.errors

    @property
    def _search_client(self) -> object:
        """Return who shares search time: the account or the address; None if it shares none."""
        shared = self._services.admission.client_of(self.host)
        return None if shared is None else self.machine.user or shared

    # -- ConnectionHandle -------------------------------------------------------------------------

    @property
    def host(self) -> str | None:
        """The client's host; None for a UNIX socket or standard streams."""
        return self._transport.host

    def disconnect(self, reason: str) -> None:
        """Close the connection."""
        self._transport.disconnect(reason)

    def on_disconnect(
        self, call: Callable[[], None], is_needed: Callable[[], bool] = lambda: False
    ) -> None:
        """Call ``call`` when the connection is lost, which is kept while it ``is_needed``."""
        if self._is_lost:
            call()
        else:
            self._on_lost[call] = is_needed

    # -- events of the connection ---------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take bytes from the client."""
        self._perform(self.machine.receive(data))

    def finish(self) -> None:
        """Take the end of the input."""
        self._perform(self.machine.finish())

    def hang_up(self) -> None:
        """Take the end of the input from a network."""
        self.finish()

    def lost(self) -> None:
        """End it: the connection is lost."""
        for job in self._jobs.values():
            self._services.pool.drop(job.owner)
        self._perform(self.machine.lost())
        self._services.connections.count_session(*self.requests)
        self._is_lost = True
        for close in tuple(self._on_lost):
            close()
        self._jobs.clear()
        # The machine is part of cycles, which a collection removes late: no tree may be in them.
        self._on_lost.clear()
        if self._next_batch is not None and self._next_batch.active():
            self._next_batch.cancel()

    def proceed(self) -> None:
        """Continue with the requests that were held back: the client reads again."""
        self._perform(self.machine.resume())

    # -- effects ----------------------------------------------------------------------------------

    def _carry_out(self, effect: Effect) -> None:
        """Carry one effect out that is no `Send`."""
        match effect:
            case StartTask(token, work, seconds, idle, resumes):
                kind = JobKind.SLICED if resumes else JobKind.ONCE
                self._start_job(token, work, JobKind.IDLE if idle else kind, seconds)
            case StartAnalysis():
                self._start_analysis(effect)
            case StartCall():
                self._start_call(effect)
            case StopTask(token):
                self._stop_job(token)
            case ReportFault(error):
                self._log_fault(error)
            case Close(reason):
                self._transport.close(reason)

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._transport.send(effect.data)
            else:
                self._carry_out(effect)
        if self.machine.useful != self._useful:
            self._useful = self.machine.useful
            self._transport.used()
        if self.machine.is_closed:
            return
        self._transport.read(wanted=self.machine.wants_input)
        # One batch per turn of the reactor, delayed by the rate limit, and none while the client
        # leaves its replies unread.
        if self.machine.wants_resume and not self._transport.is_unread and self._next_batch is None:
            self._next_batch = self._later(self.machine.resume_after)

    def _later(self, wait: float) -> DelayedCall | Waiting:
        """Run the next batch in ``wait`` seconds, or in turn with the others of the address."""
        share = self._share
        if share is not None and wait <= share.wait():
            return share.later(self._services.reactor, self._run_batch)
        return self._services.reactor.callLater(wait, self._run_batch)

    def _run_batch(self) -> None:
        self._next_batch = None
        if self._share is None:
            self._resume()
        else:
            self._share.run(self._resume)

    def _resume(self) -> None:
        if not self._transport.is_unread:
            self._perform(self.machine.resume())

    # -- searches and calls -----------------------------------------------------------------------

    def _owner(self) -> object:
        """Return the owner of the next job, of whose jobs one runs at a time."""
        return self

    def _stop_job(self, token: int) -> None:
        if token in self._jobs:
            self._jobs[token].stop()

    def _start_job(
        self,
        token: int,
        work: Work,
        kind: JobKind,
        seconds: float | None,
        throttle: Throttle | None = None,
    ) -> None:
        reactor = self._services.reactor
        client, address = self._search_client or self, self._services.admission.client_of(self.host)
        network = address and block_of(address)
        try:
            job = self._services.pool.submit(self._owner(), work, kind, seconds, client, network)
        except PoolBusy as busy:
            if throttle is not None:
                throttle.cancel()
            self._perform(self.machine.task_failed(token, f"busy: {busy}"))
            return
        self._jobs[token] = job
        limit = None if seconds is None else reactor.callLater(seconds, job.stop)

        def close() -> None:
            if limit is not None and limit.active():
                limit.cancel()
            if throttle is not None and self.ends_with_line:
                throttle.stop()
            elif throttle is not None:
                throttle.cancel()

        def ended(result: object) -> object:
            self._on_lost.pop(close, None)
            close()
            self._jobs.pop(token, None)
            return result

        self._on_lost[close] = lambda: False
        if self._is_hung_up:
            job.stop()
        job.result.addBoth(ended)
        job.result.addCallbacks(
            lambda result: self._perform(self.machine.task_done(token, result)),
            lambda failure: self._job_failed(failure, token),
        )

    def _start_analysis(self, effect: StartAnalysis) -> None:
        token, work = effect.token, effect.work  # the throttle may not keep the work, nor its tree
        throttle = None
        if effect.interval is not None:
            throttle = Throttle(
                self._services.reactor,
                effect.interval,
                lambda text: self._perform(self.machine.stream_line(token, text)),
            )
        say = (lambda _line: None) if throttle is None else throttle.put
        endless = JobKind.RESUMABLE if effect.is_endless else JobKind.SLICED
        kind = endless if effect.resumes else JobKind.ONCE
        self._start_job(token, lambda stop: work(stop, say), kind, effect.seconds, throttle)

    def _job_failed(self, failure: Failure, token: int) -> None:
        text = "engine failed"
        if failure.check(PoolBusy):
            text = f"busy: {failure.getErrorMessage()}"
        elif failure.check(KernelMissing):
            text += f": {failure.getErrorMessage()}"
        else:
            self.log.failure("a search failed", failure)
        self._perform(self.machine.task_failed(token, text))

    def _start_call(self, effect: StartCall) -> None:
        token, start = effect.token, effect.start

        def answer(result: object) -> None:
            # In a later turn of the reactor: many answers at once must not nest in each other.
            self._services.reactor.callLater(
                0, lambda: self._perform(self.machine.task_done(token, result))
            )

        try:
            start(self, answer)
        except Exception as error:  # noqa: BLE001 — a fault of ours ends no session
            answer(self._refusal(error))

    def _refusal(self, error: Exception) -> ProtocolError:
        """Return what the client is told; logs an error that is no refusal."""
        if isinstance(error, ProtocolError):
            return error
        self._log_fault(error)
        return PeerError(Code.INTERNAL)

    def _log_fault(self, error: Exception) -> None:
        self.log.failure("a request failed", Failure(error))
