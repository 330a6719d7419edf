"""The life of a session: four phases and what leads from one to the next. Nothing else moves it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Phase(enum.Enum):
    """Where a session is in its life."""

    READY = "ready"
    BUSY = "busy"
    STREAMING = "streaming"
    CLOSED = "closed"


class Event(enum.Enum):
    """What moves it."""

    TASK = "a long request"
    RESULT = "its result or failure"
    STREAM = "a streaming request"
    STREAM_END = "the end of the job, or any line"
    END = "`quit`, `attach`, an overlong line, the end of input, or a lost connection"


TRANSITIONS: Final[Mapping[tuple[Phase, Event], Phase]] = {
    (Phase.READY, Event.TASK): Phase.BUSY,
    (Phase.READY, Event.STREAM): Phase.STREAMING,
    (Phase.READY, Event.END): Phase.CLOSED,
    (Phase.BUSY, Event.RESULT): Phase.READY,
    (Phase.BUSY, Event.END): Phase.CLOSED,
    (Phase.STREAMING, Event.STREAM_END): Phase.READY,
    (Phase.STREAMING, Event.END): Phase.CLOSED,
    (Phase.CLOSED, Event.END): Phase.CLOSED,
}
"""Every move there is; the table in docs/reference/protocol.md is tested against it."""
