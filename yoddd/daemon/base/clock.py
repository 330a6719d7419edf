"""The clocks of the daemon and the type of the reactor."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from twisted.internet.posixbase import PosixReactorBase as Reactor

__all__ = ["Reactor", "monotonic", "wall"]


def monotonic() -> float:
    """Return seconds on a clock that never jumps; game clocks run on it."""
    return time.monotonic()


def wall(ahead: timedelta = timedelta()) -> str:
    """Return the time in UTC as records contain it: ISO 8601 with milliseconds and a final Z."""
    moment = datetime.now(UTC) + ahead
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
