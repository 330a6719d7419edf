"""The replies of commands: a text, or how the reply comes about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from yoddd.engine import StopFlag
from yoddd.protocol.effects import ConnectionHandle, ResultCallback, Say
from yoddd.protocol.origin import TRUSTED, Origin


@attrs.frozen
class TaskReply:
    """A reply made from the result of a task, that is, of work that runs outside the session.

    The session serves no other request in between, so ``finish`` finds the state that the handler
    saw.

    Attributes:
        work: returns the result, or the best so far once its stop flag says True.
        finish: makes the reply's text, or the stream that is the reply, from the result; may raise
            ProtocolError.
        seconds: after which the work is told to stop; None for never.
        resumes: whether the work, preempted and run again, continues where it was.
    """

    work: Callable[[StopFlag], object]
    finish: Callable[[Any], str | StreamReply]
    seconds: float | None = None
    resumes: bool = False


@attrs.frozen
class DeferredReply:
    """A reply made from the result of a call into the daemon, which may return much later.

    Attributes:
        start: begins the call; its callback takes the result, or a ProtocolError to refuse.
        finish: makes the reply's text from the result.
    """

    start: Callable[[ConnectionHandle, ResultCallback], None]
    finish: Callable[[Any], str] = str


@attrs.frozen
class AnalysisReply:
    """A streaming reply whose lines a task writes while it runs.

    Attributes:
        work: passes its lines to its second argument.
        finish: makes the last line from the result, for which lines of the client wait. None if the
            result is not wanted; any line then ends the stream at once.
        cancelled: the last line if a line of the client comes first, which then ends the work. None
            if lines wait.
        interval: the least number of seconds between two lines.
        seconds: after which the work is told to stop; None for never.
        resumes: whether the work, preempted and run again, continues where it was.
        repeats: whether the last line is written again after each interval once the work has
            ended, where nothing limits its time.
    """

    work: Callable[[StopFlag, Say], object]
    finish: Callable[[Any], str] | None
    interval: float
    seconds: float | None
    resumes: bool = False
    cancelled: str | None = None
    repeats: bool = False


@attrs.frozen
class StreamReply:
    """A streaming reply whose lines the daemon's job called ``name`` writes for ``origin``.

    ``args`` are the arguments of the command, or what was read of them.
    """

    name: str
    args: Any
    origin: Origin = TRUSTED


@attrs.frozen
class Handover:
    """No reply: the connection becomes that of an engine."""

    name: str
    options: Mapping[str, str]


@attrs.frozen
class Quit:
    """An empty reply, after which the connection closes."""


SlowReply = TaskReply | DeferredReply | AnalysisReply | StreamReply | Handover | Quit
"""Every reply that is more than a text."""

CommandReply = str | SlowReply
"""The text of a reply, or how the reply comes about."""
