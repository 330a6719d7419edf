"""How fast one connection is served: a bucket of requests, and patience with errors.

Too fast a client is delayed and loses nothing; one that sends mostly nonsense is parted from.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs


@attrs.define
class Bucket:
    """A token bucket: so many at once, and so many a second in the long run.

    Attributes:
        capacity: how many tokens it holds when full, as it is at first.
        rate: how many come back in a second.
    """

    capacity: float
    rate: float
    _debt: float = 0.0
    _since: float = 0.0

    def take(self, now: float) -> None:
        """Take a token, whether there is one or not."""
        self._debt = self._at(now) + 1
        self._since = now

    def wait(self, now: float) -> float:
        """Seconds until there is a whole token; 0 if there is one."""
        return max(0.0, (self._at(now) + 1 - self.capacity) / self.rate)

    def _at(self, now: float) -> float:
        return max(0.0, self._debt - (now - self._since) * self.rate)


@attrs.frozen
class PaceLimits:
    """The numbers of a `Pace`.

    Attributes:
        burst: requests that may come at once.
        rate: requests a second in the long run.
        errors: how many errors end the connection.
        delay: seconds for which each holds up what follows.
        pardon: seconds in which one is forgiven.
    """

    burst: float
    rate: float
    errors: float
    delay: float
    pardon: float


class Pace:
    """The pace of one connection; ``now`` tells the time in seconds."""

    __slots__ = ("_delay", "_errors", "_held", "_now", "_requests")

    def __init__(self, limits: PaceLimits, now: Callable[[], float]) -> None:
        """Nothing has come yet."""
        self._now = now
        self._delay = limits.delay
        self._requests = Bucket(limits.burst, limits.rate)
        self._errors = Bucket(limits.errors, 1 / limits.pardon)
        self._held = float("-inf")

    def wait(self) -> float:
        """Seconds until the next request may be served; 0 for at once."""
        now = self._now()
        return max(self._held - now, self._requests.wait(now))

    def requested(self) -> None:
        """A request is served."""
        self._requests.take(self._now())

    def erred(self) -> bool:
        """A request made no sense; whether that is enough."""
        now = self._now()
        self._held = now + self._delay
        self._errors.take(now)
        return self._errors.wait(now) > 0
