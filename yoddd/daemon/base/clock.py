"""Time as this floor sees it, and the reactor's type."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from twisted.internet.posixbase import PosixReactorBase as Reactor

__all__ = ["Reactor", "monotonic", "wall"]


def monotonic() -> float:
    """Seconds on a clock that never jumps; what the referee's clocks run on."""
    return time.monotonic()


def wall() -> str:
    """Now in UTC as ISO 8601 to the millisecond, ending in Z; what records carry."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
