"""One client of the daemon: bytes in, effects out; no I/O, no clock, no threads.

The adapter carries the effects out in their order and calls back. It reads on while `wants_input`,
and calls `resume` from a later turn of its reactor while `wants_resume`: a call never does more
than about a batch of work, so that no peer can hold up the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from yoddd.protocol.command import Analysis, Client, Handover, Later, Leave, Stream, Task
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
from yoddd.protocol.entrance import Entrance
from yoddd.protocol.errors import Code, LineTooLong, PeerError, ProtocolError, one_line
from yoddd.protocol.grammar import LineSplitter, Request, Signal, format_reply, parse_line
from yoddd.protocol.life import TRANSITIONS, Event, Phase
from yoddd.protocol.pace import Pace
from yoddd.protocol.parameters import Parameters
from yoddd.protocol.table import build_table

__all__ = ["Phase", "Session"]

_HTTP: Final = "HTTP/"
_VERBS: Final = frozenset(
    ("connect", "delete", "get", "head", "options", "patch", "post", "pri", "put", "trace")
)
_NONSENSE: Final = (Code.UNKNOWN_COMMAND, Code.SYNTAX)
"""What a peer can only say by mistake or with bad intent; a refused turn may be honest."""


class Session:
    """The state machine of one connection."""

    def __init__(self, config: SessionConfig, pace: Pace | None = None) -> None:
        """Start with a new game; nothing is sent before the first request.

        A ``pace`` holds requests back; without one they are served as they come.
        """
        self._config = config
        self._pace = pace
        self._entrance = None if config.login is None else Entrance(config.login)
        self._errors = 0
        self._commands = build_table(config)
        self._client = Client(
            config,
            self._commands,
            Parameters.of(config),
        )
        self._lines = LineSplitter(config.line_limit)
        self._queue: deque[Request | LineTooLong | None] = deque()
        self._phase = Phase.READY
        self._token = 0
        self._finish_task: Callable[[Any], str] = str
        self._answering: str | None = None
        self._stop_sent = False
        self._is_speaking = False
        self._is_pondering = False
        self._ponders_on: tuple[object, ...] = ()
        self._at_end = False
        self._effects: list[Effect] = []
        self._output = bytearray()

    # -- what the adapter asks ----------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        """Where the session is in its life."""
        return self._phase

    @property
    def wants_input(self) -> bool:
        """Whether more bytes are welcome; while not, the adapter pauses reading."""
        if self._phase is Phase.CLOSED or self._at_end:
            return False
        return len(self._queue) < self._config.queue_limit and not self._lines.ready

    @property
    def wants_resume(self) -> bool:
        """Whether requests are left over that `resume` would go on with."""
        return self._phase in (Phase.READY, Phase.STREAMING) and self._has_line

    @property
    def resume_after(self) -> float:
        """Seconds until `resume` would find something that may be served; 0 for now."""
        return 0.0 if self._pace is None else max(0.0, self._pace.wait())

    @property
    def served(self) -> int:
        """How many requests have been served or refused."""
        return self._client.served

    @property
    def errors(self) -> int:
        """How many of them were unknown commands or syntax errors."""
        return self._errors

    @property
    def is_admitted(self) -> bool:
        """Whether the peer has logged in, or need not."""
        return self._entrance is None or self._client.logged_in

    @property
    def in_line(self) -> bool:
        """Whether the peer has begun a line that it has not finished."""
        return self.wants_input and self._lines.pending > 0

    # -- events -------------------------------------------------------------------------------

    def receive(self, data: bytes) -> list[Effect]:
        """The peer sent ``data``."""
        if self._phase is Phase.CLOSED:
            return []
        self._lines.push(data)
        return self._advance()

    def resume(self) -> list[Effect]:
        """Go on with what a batch left over."""
        return self._advance()

    def finish(self) -> list[Effect]:
        """The peer will send no more: answer what is pending, then close.

        A line without its LF is dropped, for it may be half of another one.
        """
        self._at_end = True
        if self._phase is Phase.BUSY and self._is_speaking:
            self._interrupt()
        return self._advance()

    def lost(self) -> list[Effect]:
        """The peer is gone: stop whatever runs for it. Nothing can be sent any more."""
        effects: list[Effect] = []
        if self._phase is Phase.BUSY:
            effects = [StopTask(self._token)]
        elif self._phase is Phase.STREAMING:
            effects = [StopStream(self._token)]
        self._shut()
        return effects

    def task_done(self, token: int, result: object) -> list[Effect]:
        """A task ended with ``result``."""
        if self._awaits(token, Phase.STREAMING):
            return self.stream_end(
                token, result.text if isinstance(result, ProtocolError) else None
            )
        if not self._awaits(token, Phase.BUSY):
            return []
        self._move(Event.RESULT)
        try:
            if isinstance(result, ProtocolError):
                raise result
            text = self._finish_task(result)
        except ProtocolError as error:
            self._answer(error.text, ok=False)
        else:
            self._answer(text)
        self._ponder()
        return self._advance()

    def task_failed(self, token: int, message: str) -> list[Effect]:
        """A task could not be run or broke; ``message`` begins with a code, such as ``busy``.

        The requests behind it wait for `resume`. So an adapter may report at once that it cannot
        start a task: thousands of such requests do not become thousands of nested calls.
        """
        if self._awaits(token, Phase.STREAMING):
            return self.stream_end(token, one_line(message))
        if not self._awaits(token, Phase.BUSY):
            return []
        self._move(Event.RESULT)
        self._answer(one_line(message), ok=False)
        return self._rest_or_end()

    def stream_line(self, token: int, text: str) -> list[Effect]:
        """A streaming job has something to say."""
        speaks = self._awaits(token, Phase.BUSY) and self._is_speaking
        if not (speaks or self._awaits(token, Phase.STREAMING)):
            return []
        self._say(text)
        return self._take_effects()

    def stream_end(self, token: int, error: str | None = None) -> list[Effect]:
        """A streaming job ended by itself; ``error`` says what went wrong late.

        Requests that are left over wait for `resume`, as with `task_failed`.
        """
        if not self._awaits(token, Phase.STREAMING):
            return []
        if error is not None:
            self._say(f"error {error}")
        self._close_stream()
        return self._rest_or_end()

    def _ponder(self) -> None:
        """Let the engine think on; what it says is of no interest."""
        work, self._client.pondering = self._client.pondering, None
        self._is_pondering = work is not None and not self._has_line
        if work is not None and self._is_pondering:
            self._token += 1
            self._ponders_on = self._whereabouts()
            self._emit(StartTask(self._token, work, idle=True))

    def _stop_pondering(self) -> None:
        if self._is_pondering:
            self._is_pondering = False
            self._emit(StopTask(self._token))

    def _whereabouts(self) -> tuple[object, ...]:
        """What pondering is about: another value, and it is of no use any more."""
        position, parameters = self._client.position, self._client.parameters
        return (position, position.number, position.history, parameters.ponder)

    def _awaits(self, token: int, phase: Phase) -> bool:
        return self._phase is phase and token == self._token

    def _move(self, event: Event) -> None:
        self._phase = TRANSITIONS[self._phase, event]

    # -- the machine --------------------------------------------------------------------------

    @property
    def _has_line(self) -> bool:
        return bool(self._queue) or self._lines.ready

    def _advance(self) -> list[Effect]:
        """Work off a batch of what is there, look ahead while busy, and note the end."""
        budget = self._config.batch_cost
        while (
            budget > 0
            and self._phase in (Phase.READY, Phase.STREAMING)
            and len(self._output) < self._config.batch_output
            and self._has_line
            and self.resume_after == 0
        ):
            budget -= self._step()
        if self._phase is Phase.BUSY:
            self._look_ahead()
        elif self._at_end and self._phase is not Phase.CLOSED and not self._has_line:
            self._end("end of input")
        return self._take_effects()

    def _rest_or_end(self) -> list[Effect]:
        """Leave what is there to `resume`; with nothing there, note the end."""
        return self._take_effects() if self._has_line else self._advance()

    def _step(self) -> int:
        """Handle one line; return what it cost."""
        item = self._queue.popleft() if self._queue else self._next_line()
        if self._phase is Phase.STREAMING:
            self._close_stream()
            self._emit(StopStream(self._token))
        if isinstance(item, Request):
            return self._serve(item)
        if isinstance(item, LineTooLong):
            self._refuse(item, None)
        return 1

    def _next_line(self) -> Request | Signal | LineTooLong | None:
        try:
            line = self._lines.pop()
        except LineTooLong as error:
            return error
        return parse_line(line) if line is not None else None

    def _look_ahead(self) -> None:
        """Queue what comes behind a running task, and heed an interrupt at once.

        Any line hastens the end of an analysis that answers with a turn.
        Blank lines count only for the stream that may run before them, so one stands for many.
        """
        while len(self._queue) < self._config.queue_limit and self._lines.ready:
            item = self._next_line()
            if isinstance(item, Signal) or self._is_speaking:
                self._interrupt()
            if isinstance(item, Signal):
                continue
            if item is not None or (self._queue and self._queue[-1] is not None):
                self._queue.append(item)

    def _interrupt(self) -> None:
        if not self._stop_sent:
            self._stop_sent = True
            self._emit(StopTask(self._token))

    # -- requests -----------------------------------------------------------------------------

    def _serve(self, request: Request) -> int:
        command = self._commands.get(request.command)
        if self._pace is not None:
            self._pace.requested()
        try:
            _check_not_http(request)
            if self._entrance is not None and not self._client.logged_in:
                self._entrance.check(request.command)
            if command is None:
                raise _unknown(request)
            outcome = command.run(self._client, request.args)
        except ProtocolError as error:
            self._refuse(error, request.id)
        else:
            if isinstance(outcome, str):
                if self._is_pondering and self._whereabouts() != self._ponders_on:
                    self._stop_pondering()
                self._reply(outcome, request.id)
            else:
                self._stop_pondering()
                self._begin(outcome, request.id)
        self._client.served += 1
        return command.cost if command is not None else 1

    def _begin(
        self, outcome: Task | Later | Analysis | Stream | Handover | Leave, request_id: str | None
    ) -> None:
        match outcome:
            case Task():
                self._start_task(outcome, request_id)
            case Later(start, finish):
                self._await(finish, request_id, speaking=False)
                self._emit(StartCall(self._token, start))
            case Analysis():
                self._start_analysis(outcome, request_id)
            case Stream(name, args):
                self._token += 1
                self._move(Event.STREAM)
                self._output += f"={request_id or ''} \n".encode()
                self._emit(StartStream(self._token, name, args))
            case Handover(name, options):
                self._emit(Attach(name, options, self._lines.take_rest()))
                self._shut()
            case _:
                self._reply("", request_id)
                self._end("quit")

    def _start_task(self, task: Task, request_id: str | None) -> None:
        self._await(task.finish, request_id, speaking=False)
        work = task.work
        self._emit(StartTask(self._token, lambda stop: _guarded(work, stop), task.seconds))

    def _start_analysis(self, analysis: Analysis, request_id: str | None) -> None:
        self._output += f"={request_id or ''} \n".encode()
        if analysis.finish is None:
            self._token += 1
            self._move(Event.STREAM)
        else:
            self._await(analysis.finish, request_id, speaking=True)
        work = analysis.work
        self._emit(
            StartAnalysis(
                self._token,
                lambda stop, say: _guarded(work, stop, say),
                analysis.interval,
                analysis.seconds,
                analysis.resumes,
            )
        )

    def _await(
        self, finish: Callable[[Any], str], request_id: str | None, *, speaking: bool
    ) -> None:
        self._token += 1
        self._move(Event.TASK)
        self._finish_task, self._answering = finish, request_id
        self._stop_sent, self._is_speaking = False, speaking

    # -- output -------------------------------------------------------------------------------

    def _reply(self, text: str, request_id: str | None, *, ok: bool = True) -> None:
        reply = format_reply(text, ok=ok, request_id=request_id)
        self._output += reply
        if self._entrance is not None:
            self._entrance.replied(len(reply))

    def _answer(self, text: str, *, ok: bool = True) -> None:
        """Close the reply of the task that has just ended."""
        if self._is_speaking:
            self._is_speaking = False
            self._say(text if ok else f"error {text}")
            self._output += b"\n"
        else:
            self._reply(text, self._answering, ok=ok)

    def _refuse(self, error: ProtocolError, request_id: str | None) -> None:
        if error.code in _NONSENSE and self._has_erred_enough():
            error = PeerError(error.code, "too many errors", fatal=True)
        self._reply(error.text, request_id, ok=False)
        if error.fatal:
            self._end(error.text)

    def _has_erred_enough(self) -> bool:
        self._errors += 1
        return self._pace is not None and self._pace.erred()

    def _say(self, text: str) -> None:
        lines = (line.rstrip() for line in text.split("\n"))
        self._output += "".join(f"{line}\n" for line in lines if line).encode()

    def _close_stream(self) -> None:
        self._move(Event.STREAM_END)
        self._output += b"\n"

    def _end(self, reason: str) -> None:
        if self._phase is Phase.STREAMING:
            self._close_stream()
            self._emit(StopStream(self._token))
        self._emit(Close(reason))
        self._shut()

    def _shut(self) -> None:
        self._move(Event.END)
        self._queue.clear()
        self._lines.take_rest()
        self._config.shelf.drop(self._client)

    def _emit(self, effect: Effect) -> None:
        self._flush()
        self._effects.append(effect)

    def _flush(self) -> None:
        if self._output:
            self._effects.append(Send(bytes(self._output)))
            self._output.clear()

    def _take_effects(self) -> list[Effect]:
        self._flush()
        effects, self._effects = self._effects, []
        return effects


def _guarded(work: Callable[..., object], *args: object) -> object:
    """Run a job; what it refuses is a result like any other."""
    try:
        return work(*args)
    except ProtocolError as error:
        return error


def _check_not_http(request: Request) -> None:
    """A browser that is led here, or a scanner, must not get a single line of its own through."""
    if request.args and request.args[-1].startswith(_HTTP) and request.command in _VERBS:
        raise PeerError(Code.UNKNOWN_COMMAND, "this port does not speak HTTP", fatal=True)


def _unknown(request: Request) -> PeerError:
    if not request.command:
        return PeerError(Code.SYNTAX, "no command after the id")
    return PeerError(Code.UNKNOWN_COMMAND, request.command)
