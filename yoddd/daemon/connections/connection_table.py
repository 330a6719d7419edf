"""The open connections of a daemon, by number, and what is counted of all: totals, reply times."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Final, Protocol

KINDS: Final = ("tcp", "tls", "unix", "websocket")
"""The transports of connections."""

CUT_OFFS: Final = ("handshake", "slow line", "no login", "silence", "unread", "close", "room")
"""The reasons for which connections are cut off."""


class OpenConnection(Protocol):
    """The part of `PeerConnection` that the rest of the daemon uses."""

    number: int
    host: str | None
    is_unread: bool

    @property
    def kind(self) -> str:
        """The transport: ``tcp``, ``tls``, ``unix`` or ``websocket``."""

    @property
    def engine_name(self) -> str | None:
        """The name of the attached engine; None for a session."""

    @property
    def requests(self) -> tuple[int, int]:
        """The number of requests of the session so far, and of those that were errors."""

    def disconnect(self, reason: str) -> None:
        """Close the connection once its output is written."""


class ConnectionTable:
    """All connections of a process.

    Attributes:
        by_number: those that are open.
        cut_off: the number of connections that were cut off, by reason.
        is_closing: whether the daemon closes all of them because it stops.
    """

    def __init__(self) -> None:
        """Create an empty table."""
        self.by_number: dict[int, OpenConnection] = {}
        self.cut_off: Counter[str] = Counter()
        self.is_closing = False
        self._numbers = count(1)
        # Requests and errors of the sessions that are over.
        self._requests = 0
        self._errors = 0

    def add(self, connection: OpenConnection) -> int:
        """Add a connection and return its number."""
        number = next(self._numbers)
        self.by_number[number] = connection
        return number

    def remove(self, connection: OpenConnection) -> None:
        """Remove a connection that is closed."""
        self.by_number.pop(connection.number, None)

    def count_cut_off(self, reason: str) -> None:
        """Count a connection that was cut off."""
        self.cut_off[reason] += 1

    def count_session(self, requests: int, errors: int) -> None:
        """Add the totals of a session that is over."""
        self._requests += requests
        self._errors += errors

    @property
    def requests(self) -> tuple[int, int]:
        """The number of requests so far, and of those that were errors."""
        totals = [(self._requests, self._errors)]
        totals += [connection.requests for connection in self.by_number.values()]
        return sum(requests for requests, _ in totals), sum(errors for _, errors in totals)


# -- reply times ----------------------------------------------------------------------------

BOUNDS: Final = (0.001, 0.01, 0.05, 0.2, 1.0, 5.0, 30.0)
"""Seconds at which the buckets of the histogram end; a last one has no end."""


class ReplyTimes:
    """Counts replies by the time that they took, for the histogram of ``/metrics``.

    Attributes:
        counts: the replies in each bucket, by group.
        seconds: the sum of their times, by group.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Begin without replies; ``now`` gives a time that never jumps."""
        self.counts: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.seconds: dict[str, float] = defaultdict(float)
        self._now = now

    def begin(self, group: str) -> Callable[[], None]:
        """Begin the reply to a command of a group; the result is called at its end."""
        return partial(self._end, group, self._now())

    def _end(self, group: str, begun: float) -> None:
        seconds = self._now() - begun
        self.counts[group][bisect_left(BOUNDS, seconds)] += 1
        self.seconds[group] += seconds
