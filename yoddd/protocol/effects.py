"""What a session asks its adapter to do; carried out in the order of the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import attrs

from yoddd.engine import StopFlag

Say = Callable[[str], None]
"""Takes one line of a streaming reply."""


class Guest(Protocol):
    """A connection as the daemon's services see it."""

    @property
    def host(self) -> str | None:
        """The address of the peer; None where it has none, as on a UNIX socket."""

    def dismiss(self, reason: str) -> None:
        """Close the connection."""

    def on_leave(self, call: Callable[[], None]) -> None:
        """Have ``call`` called when the connection is gone; at once if it is."""


Answer = Callable[[object], None]
"""Takes the result of a call: any value, or a ProtocolError to refuse it."""


@attrs.frozen
class Send:
    """Write ``data`` to the peer."""

    data: bytes


@attrs.frozen
class StartTask:
    """Run ``work`` outside the reactor and report back with `Session.task_done` or `task_failed`.

    ``work`` touches nothing that the session owns. It asks its argument now and then whether to
    end early, and returns its best result so far if so; after ``seconds`` the answer is yes.
    Work that is ``idle`` runs only while nobody else wants to run anything; it may be broken off
    and run again at any time.
    """

    token: int
    work: Callable[[StopFlag], object]
    seconds: float | None = None
    idle: bool = False


@attrs.frozen
class StartCall:
    """Call ``start`` with the peer and with what takes the result; pass that to `task_done`.

    It returns at once, and its result may come in the same moment or much later.
    """

    token: int
    start: Callable[[Guest, Answer], None]


@attrs.frozen
class StartAnalysis:
    """As `StartTask`, but ``work`` also says lines: pass them on with `Session.stream_line`.

    Only the latest line need be passed on, and at most one in ``interval`` seconds; the last one
    must be, before `Session.task_done`. `StopTask` and `StopStream` both stop it. Where it
    ``resumes`` the work may be broken off to let others have their turn: run again, it goes on
    where it was.
    """

    token: int
    work: Callable[[StopFlag, Say], object]
    interval: float
    seconds: float | None
    resumes: bool = False


@attrs.frozen
class StopTask:
    """Let the stop flag of a task say True; the session still waits for its result."""

    token: int


@attrs.frozen
class StartStream:
    """Begin a streaming job and report with `Session.stream_line` and `Session.stream_end`."""

    token: int
    name: str
    args: tuple[str, ...]


@attrs.frozen
class StopStream:
    """End a streaming job; its reply is closed already and whatever it still says is ignored."""

    token: int


@attrs.frozen
class Attach:
    """The peer is an engine: hand the connection to a controller.

    Attributes:
        name: what the engine calls itself.
        options: ``token`` and ``games`` as sent, where given.
        rest: bytes that came after the line; they are the controller's.
    """

    name: str
    options: Mapping[str, str]
    rest: bytes


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
    | StopStream
    | Attach
    | Close
)
