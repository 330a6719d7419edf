"""The rate limit of one connection: token buckets for its requests and for its errors.

A client that sends too fast is delayed and loses nothing; one that sends mostly errors is
disconnected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Final, Self

import attrs

NEVER: Final = -inf
"""The time of what has not happened, in seconds."""


@attrs.define
class TokenBucket:
    """A token bucket: a burst at once, and a steady rate in the long run.

    Attributes:
        capacity: the number of tokens in a full bucket; it is full at first.
        rate: how many tokens flow back in a second.
    """

    capacity: float
    rate: float
    # Tokens taken and not yet flowed back, and when, in seconds, that was true.
    _debt: float = 0.0
    _since: float = 0.0

    def take(self, now: float) -> None:
        """Take a token, even from an empty bucket."""
        self._debt = self._at(now) + 1
        self._since = now

    def wait(self, now: float) -> float:
        """Seconds until there is a whole token; 0 if there is one."""
        return max(0.0, (self._at(now) + 1 - self.capacity) / self.rate)

    def _at(self, now: float) -> float:
        return max(0.0, self._debt - (now - self._since) * self.rate)


@attrs.frozen
class RateLimits:
    """The numbers of a `RateLimiter`.

    Attributes:
        burst: requests that may be served at once.
        rate: requests a second in the long run.
        errors: how many errors end the connection.
        delay: seconds for which each error delays the next request.
        pardon: seconds after which one error no longer counts.
    """

    burst: float
    rate: float
    errors: float
    delay: float
    pardon: float


class RateLimiter:
    """Says when one connection may be served."""

    __slots__ = ("_delay", "_errors", "_held_until", "_now", "_requests", "_shared")

    def __init__(
        self,
        limits: RateLimits,
        now: Callable[[], float],
        shared: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Start with full buckets.

        Args:
            limits: the numbers.
            now: returns the time in seconds.
            shared: returns the seconds until a limit allows a line that the connection shares with
                others; 0 for now.
        """
        self._now = now
        self._shared = shared
        self._delay = limits.delay
        self._requests = TokenBucket(limits.burst, limits.rate)
        self._errors = TokenBucket(limits.errors, 1 / limits.pardon)
        # The time before which the last error lets no request be served.
        self._held_until = NEVER

    @classmethod
    @cache
    def without_limits(cls) -> Self:
        """The one that delays nothing, and allows any number of errors."""
        return cls(RateLimits(inf, 1, inf, 0, 1), lambda: 0.0)

    def wait(self) -> float:
        """Seconds until the next request may be served; 0 for at once."""
        now = self._now()
        return max(self._held_until - now, self._requests.wait(now), self._shared())

    def wait_to_read(self) -> float:
        """Seconds until the next line may be read ahead of its turn; 0 for at once."""
        return self._shared()

    def count_request(self) -> None:
        """Count a request that is served."""
        self._requests.take(self._now())

    def count_error(self) -> bool:
        """Count an error; return whether it was one too many."""
        now = self._now()
        self._held_until = now + self._delay
        self._errors.take(now)
        return self._errors.wait(now) > 0
