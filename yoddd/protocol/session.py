"""One client of the daemon: bytes in, effects out; no I/O, no clock, no threads.

One call does about a batch of work at most, so that no peer can delay the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self

import attrs

from yoddd import gone
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import ABOUT, OURS, Command, refuse_syntax
from yoddd.protocol.command_table import command_table
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import (
    Attach,
    Effect,
    RepeatLine,
    ReportFault,
    StartAnalysis,
    StartCall,
    StartStream,
    StartTask,
    StopStream,
    StopTask,
)
from yoddd.protocol.errors import (
    Code,
    Errors,
    LineTooLong,
    PeerError,
    ProtocolError,
    one_line,
)
from yoddd.protocol.grammar import Request, Signal, format_reply, parse_line
from yoddd.protocol.line_machine import LineMachine
from yoddd.protocol.origin import Identity
from yoddd.protocol.phases import Phase, PhaseEvent, phase_after
from yoddd.protocol.rate_limit import RateLimiter
from yoddd.protocol.replies import (
    AnalysisReply,
    CommandReply,
    DeferredReply,
    Handover,
    SlowReply,
    StreamReply,
    TaskReply,
)
from yoddd.rules import RulesError


@attrs.define
class RunningTask:
    """The task or call whose result a busy session waits for.

    Attributes:
        token: the token of its effect.
        finish: makes the reply's text, or the stream that is the reply, from the result.
        request_id: the id of the request, echoed in the reply; None if it had none.
        is_streaming: whether the reply is a streaming one, which began with the task.
        cancelled: the last line of the reply once any line of the client has cancelled the task;
            None if no line does, and only an interrupt stops it.
        is_cancelled: whether a line has.
        is_stopping: whether `StopTask` was emitted; it never is twice.
        ended: called with the result; ends the time of the reply.
    """

    token: int
    finish: Callable[[Any], str | StreamReply]
    request_id: str | None
    is_streaming: bool = False
    cancelled: str | None = None
    is_cancelled: bool = False
    is_stopping: bool = False
    ended: Callable[[], None] = lambda: None


@attrs.frozen
class Pondering:
    """A search in the opponent's time, which a ready session does not wait for.

    It fills the tree for the next turn, so it ends when the game or the parameter changes.

    Attributes:
        token: the token of its `StartTask`.
        subject: the position, its history and the parameter ``ponder`` when it began.
    """

    token: int
    subject: tuple[object, ...]

    @classmethod
    def begin(cls, token: int, client: ClientState) -> Self:
        """Ponder on the client's position."""
        return cls(token, _subject(client))

    def is_about(self, client: ClientState) -> bool:
        """Whether the client's position and parameter are still those pondered on."""
        return self.subject == _subject(client)


def _subject(client: ClientState) -> tuple[object, ...]:
    position = client.position
    return (position, position.number, position.history, client.parameters.ponder)


_HTTP: Final = "HTTP/"
_VERBS: Final = frozenset(
    ("connect", "delete", "get", "head", "options", "patch", "post", "pri", "put", "trace")
)
_COUNTED_ERRORS: Final = (Code.UNKNOWN_COMMAND, Code.SYNTAX)
"""The errors that a sound client does not make; a refused turn may be honest."""


class Session(LineMachine):
    """The state machine of one connection.

    Attributes:
        phase: decides what the next line and the next callback mean; only `phase_after` changes it.
        errors: how many requests were unknown commands or syntax errors.
        useful: how many requests were carried out, without those about the program, such as `name`.
    """

    __slots__ = (
        "_client",
        "_commands",
        "_interval",
        "_last_line",
        "_pondering",
        "_queue",
        "_task",
        "_time_reply",
        "phase",
    )

    def __init__(
        self,
        config: SessionConfig,
        rate_limiter: RateLimiter | None = None,
        identity: Identity | None = None,
    ) -> None:
        """Start with a new game; see `LineMachine`."""
        super().__init__(config, rate_limiter, identity)
        # Set once.
        self._commands = command_table(config.services)
        self._time_reply = config.services.time_reply or (lambda _group: lambda: None)
        # The game and the settings, which the handlers of commands change.
        self._client = ClientState(config, identity=self._identity)
        # Lines read ahead while a task ran; None for one without a request. They are served, or
        # end a stream, before any line still in `_lines`.
        self._queue: list[Request | LineTooLong | None] = []
        self.phase = Phase.READY
        # The task whose result is awaited; not None exactly while the phase is BUSY.
        self._task: RunningTask | None = None
        # The search in the opponent's time. It begins with the reply to a `genmove`, ends with the
        # first request that changes its subject or is not replied to at once, and never affects
        # the phase: its result is ignored.
        self._pondering: Pondering | None = None
        # Of the open stream the seconds after which its last line is written again once its job has
        # ended, None if the stream then ends too; and that line.
        self._interval: float | None = None
        self._last_line = ""

    # -- what the adapter asks ----------------------------------------------------------------

    @property
    def wants_input(self) -> bool:
        """Whether to read on; if not, the adapter pauses reading."""
        if self.is_closed or self._at_end:
            return False
        return len(self._queue) < self._limits.queue and not self._lines.ready

    @property
    def wants_resume(self) -> bool:
        """Whether lines are left over that `resume` would serve or read ahead."""
        return self._has_line if self._task is None else self._reads_ahead

    @property
    def resume_after(self) -> float:
        """Seconds until `resume` may handle a line; 0 for now."""
        is_busy = self._task is not None
        return self._rate_limiter.wait_to_read() if is_busy else super().resume_after

    # -- events -------------------------------------------------------------------------------

    def finish(self) -> list[Effect]:
        """Take the end of the peer's input: answer what is pending, then close.

        A line without its LF is dropped, for it may be half of another one.
        """
        self._at_end = True
        if self._task is not None and self._task.cancelled is not None:
            self._cancel_task(self._task)
        return self._advance()

    def lost(self) -> list[Effect]:
        """Take the loss of the connection: stop what runs for it, send nothing any more."""
        effects: list[Effect] = []
        if self._task is not None:
            effects = [StopTask(self._task.token)]
        elif self.phase is Phase.STREAMING:
            effects = [StopStream(self._token)]
        self._shut()
        return effects

    def task_done(self, token: int, result: object) -> list[Effect]:
        """Take the ``result`` of a task or call."""
        if self._is_stream(token):
            error = self._text(result) if isinstance(result, ProtocolError) else None
            if error is None and self._interval is not None and self._last_line:
                self._out.add(RepeatLine(token, self._last_line, self._interval))
                return self._out.take()
            return self.stream_end(token, error)
        task = self._take_task(token)
        if task is None:
            return []
        if isinstance(result, ProtocolError):
            self._complete(task, self._text(result), ok=False)
            if result.fatal:
                self._end(result.text)
                return self._out.take()
        else:
            self._finish(task, result)
        self._ponder()
        return self._advance()

    def task_failed(self, token: int, message: str) -> list[Effect]:
        """Take the failure of a task; ``message`` begins with a code, such as ``busy``.

        The requests after it are left to `resume`. So an adapter may report at once that it
        cannot start a task: thousands of such requests do not become thousands of nested calls.
        """
        if self._is_stream(token):
            return self.stream_end(token, one_line(message))
        task = self._take_task(token)
        if task is None:
            return []
        self._complete(task, one_line(message), ok=False)
        return self._rest_or_end()

    def stream_line(self, token: int, text: str) -> list[Effect]:
        """Take a line of a streaming job."""
        task = self._task
        writes = task is not None and task.token == token and task.is_streaming
        if not (writes or self._is_stream(token)):
            return []
        self._last_line = text
        self._write_lines(text)
        return self._out.take()

    def stream_end(self, token: int, error: str | None = None) -> list[Effect]:
        """Take the end of a streaming job; ``error`` says what went wrong late.

        Requests that are left over wait for `resume`, as with `task_failed`.
        """
        if not self._is_stream(token):
            return []
        if error is not None:
            self._write_lines(f"error {error}")
        self._close_stream()
        return self._rest_or_end()

    # -- lines --------------------------------------------------------------------------------

    @property
    def _has_line(self) -> bool:
        return bool(self._queue) or self._lines.ready

    def _advance(self) -> list[Effect]:
        """Serve a batch of lines, read ahead while busy, and close at the end of input."""
        budget = self._serve_batch()
        if self._task is not None:
            self._read_ahead(self._task, budget)
        elif self._at_end and not self._has_line:
            self._end("end of input")
        return self._out.take()

    def _rest_or_end(self) -> list[Effect]:
        """Leave waiting lines to `resume`; if there are none, close at the end of input."""
        return self._out.take() if self._has_line else self._advance()

    def _serve_batch(self) -> int:
        """Serve lines as far as a batch goes; return what is left of its cost."""
        budget = self._limits.batch_cost
        # A closed session has no line.
        while self._task is None and self._has_line and self._may_serve(budget):
            item = self._queue.pop(0) if self._queue else self._next_line()
            if self.phase is Phase.STREAMING:
                self._stop_stream()
            if isinstance(item, Request):
                budget -= self._serve(item)
                continue
            budget -= 1
            if isinstance(item, LineTooLong):
                self._refuse(item, None)
        return budget

    def _next_line(self) -> Request | Signal | LineTooLong | None:
        try:
            line = self._lines.pop()
        except LineTooLong as error:
            return error
        return parse_line(line) if line is not None else None

    @property
    def _reads_ahead(self) -> bool:
        return len(self._queue) < self._limits.queue and self._lines.ready

    def _read_ahead(self, task: RunningTask, budget: int) -> None:
        """Queue the lines behind a running task, and obey an interrupt at once.

        Blank lines matter only to a stream that may run before them, so the queue holds one for
        many.
        """
        while budget > 0 and self._reads_ahead and self.resume_after == 0:
            budget -= 1
            item = self._next_line()
            if isinstance(item, Signal):
                self._stop_task(task)
                continue
            if task.cancelled is not None:
                self._cancel_task(task)
            if item is not None or (self._queue and self._queue[-1] is not None):
                self._queue.append(item)

    # -- requests -----------------------------------------------------------------------------

    def _serve(self, request: Request) -> int:
        self._rate_limiter.count_request()
        command = self._commands.get(request.command)
        ended = self._time_reply("" if command is None else command.group)
        try:
            reply = self._run(command, request)
        except ProtocolError as error:
            self._refuse(error, request.id)
        except Exception as error:  # noqa: BLE001 — a fault of ours ends no session
            self._refuse(self._report(error), request.id)
        else:
            self.useful += command is not None and command.group != ABOUT
            self._begin(reply, request.id)
        if self._task is None:
            ended()
        else:
            self._task.ended = ended
        self.served += 1
        self._client.is_new = False
        return command.cost if command is not None else 1

    def _run(self, command: Command | None, request: Request) -> CommandReply:
        if request.command in _VERBS:
            _check_not_http(request)
        self._gate.check(request.command.removeprefix(OURS))
        if command is None:
            raise _unknown(request)
        try:
            return command.run(self._client, request.args)
        except RulesError as error:
            refuse_syntax(str(error))

    def _begin(self, reply: CommandReply, request_id: str | None) -> None:
        if self._pondering is not None and not (
            isinstance(reply, str) and self._pondering.is_about(self._client)
        ):
            self._stop_pondering(self._pondering)
        if isinstance(reply, str):
            self._reply(reply, request_id)
        else:
            self._begin_slow(reply, request_id)

    def _begin_slow(self, reply: SlowReply, request_id: str | None) -> None:
        match reply:
            case TaskReply():
                self._start_task(reply, request_id)
            case DeferredReply(start, finish):
                task = self._await(finish, request_id)
                self._out.add(StartCall(task.token, start))
            case AnalysisReply():
                self._start_analysis(reply, request_id)
            case StreamReply(name, args, origin):
                self._open_reply(request_id)
                self._out.add(StartStream(self._open_stream(), name, args, origin))
            case Handover(name, options):
                self._out.add(Attach(name, options, self._lines.take_rest()))
                self._shut()
            case _:
                self._reply("", request_id)
                self._end("quit")

    def _start_task(self, reply: TaskReply, request_id: str | None) -> None:
        task, work = self._await(reply.finish, request_id), reply.work
        seconds = _shorter(reply.seconds, self._limits.work)
        self._out.add(
            StartTask(task.token, lambda stop: _guarded(work, stop), seconds, resumes=reply.resumes)
        )

    def _start_analysis(self, reply: AnalysisReply, request_id: str | None) -> None:
        self._open_reply(request_id)
        limit = self._limits.analysis if reply.finish is None else self._limits.work
        seconds = _shorter(reply.seconds, limit)
        if reply.finish is None:
            token = self._open_stream()
            self._interval = reply.interval if reply.repeats and seconds is None else None
        else:
            task = self._await(reply.finish, request_id)
            task.is_streaming, task.cancelled = True, reply.cancelled
            token = task.token
        work = reply.work
        self._out.add(
            StartAnalysis(
                token,
                lambda stop, say: _guarded(work, stop, say),
                reply.interval,
                seconds,
                reply.resumes,
                reply.finish is None,
            )
        )

    # -- tasks --------------------------------------------------------------------------------

    def _await(
        self, finish: Callable[[Any], str | StreamReply], request_id: str | None
    ) -> RunningTask:
        self.phase = phase_after(self.phase, PhaseEvent.TASK)
        self._task = RunningTask(self._next_token(), finish, request_id)
        return self._task

    def _take_task(self, token: int) -> RunningTask | None:
        """End the wait for the task with ``token``; None if there is no such wait."""
        task = self._task
        if task is None or task.token != token:
            return None
        self.phase = phase_after(self.phase, PhaseEvent.RESULT)
        self._task = None
        task.ended()
        return task

    def _stop_task(self, task: RunningTask) -> None:
        if not task.is_stopping:
            task.is_stopping = True
            self._out.add(StopTask(task.token))

    def _cancel_task(self, task: RunningTask) -> None:
        task.is_cancelled = True
        self._stop_task(task)

    def _finish(self, task: RunningTask, result: object) -> None:
        """Write the reply of a task that has this result."""
        if task.is_cancelled and task.cancelled is not None:
            self._complete(task, task.cancelled)
            return
        try:
            reply = task.finish(result)
        except ProtocolError as error:
            self._complete(task, self._text(error), ok=False)
        except Exception as error:  # noqa: BLE001 — a fault of ours ends no session
            self._complete(task, self._text(self._report(error)), ok=False)
        else:
            if isinstance(reply, StreamReply):
                self._begin(reply, task.request_id)
            else:
                self._complete(task, reply)

    def _complete(self, task: RunningTask, text: str, *, ok: bool = True) -> None:
        """Write the reply, or the rest of the reply, of a task that has ended."""
        if task.is_streaming:
            self._client.info = ""  # the lines of the stream have said it
            self._write_lines(text if ok else f"error {text}")
            self._out.write(b"\n")
        else:
            self._reply(text, task.request_id, ok=ok)

    def _ponder(self) -> None:
        """Begin the search that the command just completed asked for, unless a request waits."""
        work, self._client.pondering = self._client.pondering, None
        if work is not None and not self._has_line:
            self._pondering = Pondering.begin(self._next_token(), self._client)
            self._out.add(StartTask(self._pondering.token, work, self._limits.analysis, idle=True))

    def _stop_pondering(self, pondering: Pondering) -> None:
        self._out.add(StopTask(pondering.token))
        self._pondering = None

    # -- streams ------------------------------------------------------------------------------

    def _is_stream(self, token: int) -> bool:
        return self.phase is Phase.STREAMING and token == self._token

    def _open_stream(self) -> int:
        """Begin to stream; return the token of the job that writes the lines."""
        self.phase = phase_after(self.phase, PhaseEvent.STREAM)
        self._interval, self._last_line = None, ""
        return self._next_token()

    def _close_stream(self) -> None:
        self.phase = phase_after(self.phase, PhaseEvent.STREAM_END)
        self._out.write(b"\n")

    def _stop_stream(self) -> None:
        self._close_stream()
        self._out.add(StopStream(self._token))

    # -- output -------------------------------------------------------------------------------

    def _reply(self, text: str, request_id: str | None, *, ok: bool = True) -> None:
        reply = format_reply(text, ok=ok, request_id=request_id)
        if self._client.info:
            reply = f"# info {self._client.info}\n".encode() + reply
            self._client.info = ""
        self._write(reply)

    def _report(self, error: Exception) -> ProtocolError:
        """Have a fault of the program logged; returns what the peer is told."""
        self._out.add(ReportFault(error))
        return PeerError(Code.INTERNAL)

    def _refuse(self, error: ProtocolError, request_id: str | None) -> None:
        if error.code in _COUNTED_ERRORS and self._count_error():
            error = PeerError(error.code, "too many errors", fatal=True)
        self._reply(self._text(error), request_id, ok=False)
        if error.fatal:
            self._end(error.text)

    def _text(self, error: ProtocolError) -> str:
        """The text of an error as the client has asked for it."""
        has_subcodes = self._client.parameters.errors == Errors.SUBCODES
        return error.coded_text if has_subcodes else error.text

    def _open_reply(self, request_id: str | None) -> None:
        """Write the first line of a streaming reply."""
        self._out.write(f"={request_id or ''} \n".encode())

    def _write_lines(self, text: str) -> None:
        """Write lines of a streaming reply, without the empty ones, which would end it."""
        lines = (line.rstrip() for line in text.split("\n"))
        self._out.write("".join(f"{line}\n" for line in lines if line).encode())

    # -- the end ------------------------------------------------------------------------------

    def _end(self, reason: str) -> None:
        if self.phase is Phase.STREAMING:
            self._stop_stream()
        super()._end(reason)

    def _shut(self) -> None:
        super()._shut()
        self.phase = phase_after(self.phase, PhaseEvent.END)
        self._task = None
        self._queue.clear()
        self._config.services.shelf.drop(self._client)


def _shorter(one: float | None, other: float | None) -> float | None:
    """The shorter of two times; None stands for no limit."""
    return one if other is None else other if one is None else min(one, other)


def _guarded(work: Callable[..., object], *args: object) -> object:
    """Run a task; a refusal becomes its result."""
    try:
        return work(*args)
    except ProtocolError as error:
        return error


def _check_not_http(request: Request) -> None:
    """Refuse an HTTP request line, so that no browser or scanner gets a line of its own served."""
    if request.args and request.args[-1].startswith(_HTTP):
        raise PeerError(Code.UNKNOWN_COMMAND, "this port does not speak HTTP", fatal=True)


def _unknown(request: Request) -> PeerError:
    if not request.command:
        return PeerError(Code.SYNTAX, "no command after the id")
    name = request.command.removeprefix(OURS)
    detail = gone.removal(name, gone.COMMANDS) if name in gone.COMMANDS else request.command
    return PeerError(Code.UNKNOWN_COMMAND, detail)
