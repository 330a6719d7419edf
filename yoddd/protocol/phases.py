"""The phases of a session and the events that lead from one to the next.

`phase_after` is the only transition function; a session changes its phase in no other way.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Phase(enum.Enum):
    """The phases of a session.

    READY serves requests. BUSY waits for the result of a task and queues requests. STREAMING
    writes the lines of a streaming reply, which any line ends. CLOSED ignores everything.
    """

    READY = "ready"
    BUSY = "busy"
    STREAMING = "streaming"
    CLOSED = "closed"


class PhaseEvent(enum.Enum):
    """The events that change the phase; the documentation shows their values."""

    TASK = "a long request"
    RESULT = "its result or failure"
    STREAM = "a streaming request"
    STREAM_END = "the end of the job, or any line"
    END = "`quit`, `attach`, an overlong line, the end of input, or a lost connection"


TRANSITIONS: Final[Mapping[tuple[Phase, PhaseEvent], Phase]] = {
    (Phase.READY, PhaseEvent.TASK): Phase.BUSY,
    (Phase.READY, PhaseEvent.STREAM): Phase.STREAMING,
    (Phase.READY, PhaseEvent.END): Phase.CLOSED,
    (Phase.BUSY, PhaseEvent.RESULT): Phase.READY,
    (Phase.BUSY, PhaseEvent.END): Phase.CLOSED,
    (Phase.STREAMING, PhaseEvent.STREAM_END): Phase.READY,
    (Phase.STREAMING, PhaseEvent.END): Phase.CLOSED,
    (Phase.CLOSED, PhaseEvent.END): Phase.CLOSED,
}
"""Every transition; the table in docs/lab/life-of-a-request.md is tested against it."""


def phase_after(phase: Phase, event: PhaseEvent) -> Phase:
    """Return the phase that ``event`` leads to.

    Raises:
        KeyError: `TRANSITIONS` has none for ``event`` in this phase.
    """
    return TRANSITIONS[phase, event]
