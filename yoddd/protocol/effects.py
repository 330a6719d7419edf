"""The effects that a session asks its adapter for, carried out in the order of the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import attrs

from yoddd.engine import StopFlag
from yoddd.protocol.origin import TRUSTED, Origin

Say = Callable[[str], None]
"""Takes one line of a streaming reply."""

ResultCallback = Callable[[object], None]
"""Takes the result of a call: any value, or a ProtocolError to refuse."""


class ConnectionHandle(Protocol):
    """A connection as the services of the daemon see it."""

    @property
    def host(self) -> str | None:
        """The address of the peer; None if it has none, as on a UNIX socket."""

    def disconnect(self, reason: str) -> None:
        """Close the connection; ``reason`` is for the log."""

    def on_disconnect(
        self, call: Callable[[], None], is_needed: Callable[[], bool] = lambda: False
    ) -> None:
        """Have ``call`` called when the connection is lost; at once if it is.

        While it ``is_needed`` it is not closed to make room for others.
        """


@attrs.frozen
class Send:
    """Write ``data`` to the peer."""

    data: bytes


@attrs.frozen
class StartTask:
    """Run ``work`` outside the reactor and report back with `Session.task_done` or `task_failed`.

    ``work`` touches no state of the session. It polls its argument, the stop flag, and once that
    says True returns its best result so far. Set the flag after ``seconds``. ``idle`` work runs
    only while no other work is waiting; it may be preempted, and run again, at any time.
    """

    token: int
    work: Callable[[StopFlag], object]
    seconds: float | None = None
    idle: bool = False
    resumes: bool = False


@attrs.frozen
class StartCall:
    """Call ``start`` with the connection and a callback for the result; pass that to `task_done`.

    ``start`` returns at once; its result may come in the same moment or much later.
    """

    token: int
    start: Callable[[ConnectionHandle, ResultCallback], None]


@attrs.frozen
class StartAnalysis:
    """Start a task whose ``work`` also writes lines: pass them on with `Session.stream_line`.

    Throttle them to the latest line in ``interval`` seconds; None for no lines at all. A session
    gets the last one always, before `Session.task_done`. `StopTask` and `StopStream` both set the
    stop flag. Work that ``resumes`` may be preempted: run again, it continues where it was. No one
    waits for the end of work that ``is_endless``.
    """

    token: int
    work: Callable[[StopFlag, Say], object]
    interval: float | None
    seconds: float | None
    resumes: bool = False
    is_endless: bool = True


@attrs.frozen
class StopTask:
    """Set the stop flag of a task; the session still waits for its result."""

    token: int


@attrs.frozen
class StartStream:
    """Begin a streaming job and report with `Session.stream_line` and `Session.stream_end`.

    ``origin`` is the client that asks for it.
    """

    token: int
    name: str
    args: Any
    origin: Origin = TRUSTED


@attrs.frozen
class RepeatLine:
    """Pass the last line of a stream on again after each ``interval`` seconds, until `StopStream`.

    `Session.stream_line` takes it. The job that wrote it has ended.
    """

    token: int
    text: str
    interval: float


@attrs.frozen
class StopStream:
    """End a streaming job; its reply is complete, and later lines of it are ignored."""

    token: int


@attrs.frozen
class Attach:
    """Hand the connection to a controller: the peer is an engine.

    Attributes:
        name: the name that the engine gave.
        options: those that are known to ``attach``, as sent, where given.
        rest: the bytes received after the line; they are the controller's.
    """

    name: str
    options: Mapping[str, str]
    rest: bytes


@attrs.frozen
class ReportFault:
    """Log ``error``: a fault of the program, which the peer has been told as an internal error."""

    error: Exception


@attrs.frozen
class Close:
    """Close the connection once everything is written; nothing follows.

    ``reason`` is for the log.
    """

    reason: str


Effect = (
    Send
    | StartTask
    | StartCall
    | StartAnalysis
    | StopTask
    | StartStream
    | RepeatLine
    | StopStream
    | Attach
    | ReportFault
    | Close
)


class EffectBuffer:
    """The effects of one call, in order; what is written between two others becomes one `Send`.

    Attributes:
        output: the bytes written since the last other effect.
    """

    __slots__ = ("_effects", "output")

    def __init__(self) -> None:
        """Start empty."""
        self.output = bytearray()
        # Effects that are complete.
        self._effects: list[Effect] = []

    def write(self, data: bytes) -> None:
        """Send ``data`` after everything so far."""
        self.output += data

    def add(self, effect: Effect) -> None:
        """Append an effect that is no `Send`."""
        self._flush()
        self._effects.append(effect)

    def take(self) -> list[Effect]:
        """Return the effects and empty the buffer."""
        self._flush()
        effects, self._effects = self._effects, []
        return effects

    def _flush(self) -> None:
        if self.output:
            self._effects.append(Send(bytes(self.output)))
            self.output.clear()
