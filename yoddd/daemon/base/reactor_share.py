"""The share of the daemon's time that the connections of one address may use together."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, TypeVar

from twisted.internet.defer import Deferred

_T = TypeVar("_T")

BURST: Final = 0.03
"""Seconds of the reactor's time that an address may use before it has to wait."""

TURN: Final = 0.005
"""Seconds, whether it computed or waited, after which a call makes way for other connections."""

_NEXT_TURN: Final = 1e-6


_ASKING: Final[ContextVar[ReactorShare | None]] = ContextVar("_ASKING", default=None)
"""The share of the address whose request is served, also in the coroutines that it begins."""


def current_share() -> ReactorShare | None:
    """The share of the address whose request is served; None if nothing is charged."""
    return _ASKING.get()


def run_charged(call: Callable[..., object], *args: object) -> None:
    """Call ``call`` and charge its time to the address whose request is served."""
    share = _ASKING.get()
    if share is None:
        call(*args)
    else:
        share.run(call, *args)


def charge_thread(
    start: Callable[[Callable[[], _T]], Deferred[_T]], work: Callable[[], _T]
) -> Deferred[_T]:
    """Start ``work`` in a thread, charged to the address whose request is served.

    The charge is the thread's time of the processor, so no address pays for the others in a queue.
    """
    share = _ASKING.get()
    if share is None:
        return start(work)
    seconds: list[float] = []

    def measured() -> _T:
        begun = time.thread_time()
        try:
            return work()
        finally:
            seconds.append(time.thread_time() - begun)

    def charge(result: object) -> object:
        share.charge(sum(seconds))
        return result

    done: Deferred[_T] = start(measured).addBoth(charge)
    return done


class ReactorShare:
    """Charges an address for the time that its bytes take, whatever they are.

    A limit on requests leaves out blank lines, frames and headers, and takes a request that costs
    20 ms for one that costs 20 µs. It is the time of the clock, not of the processor: others wait
    for both, and on a crowded machine the latter would let an address fill every turn.
    """

    __slots__ = ("_begun", "_debt", "_now", "_part", "_since")

    def __init__(self, part: float, now: Callable[[], float]) -> None:
        """Create it without debt.

        Args:
            part: of the time that passes, which it may use in the long run.
            now: a clock in seconds that never jumps.
        """
        self._part = part
        self._now = now
        # Seconds used and not yet paid back, and the time at which that was true.
        self._debt = 0.0
        self._since = now()
        # The time at which the measured call began; None outside of one.
        self._begun: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to pay back."""
        return self._at(self._now()) == 0

    def wait(self) -> float:
        """Return the seconds until the next bytes may be handled; 0 for now.

        Within a measured call that has taken `TURN`, others come first.
        """
        now = self._now()
        least = _NEXT_TURN if self._begun is not None and now - self._begun >= TURN else 0.0
        if self._debt <= BURST:
            return least
        return max(least, (self._at(now) - BURST) / self._part)

    def run(self, call: Callable[..., object], *args: object) -> None:
        """Call ``call`` and charge its time; a call within another one is charged once."""
        if self._begun is not None:
            call(*args)
            return
        self._begun = begun = self._now()
        before = _ASKING.set(self)
        try:
            call(*args)
        finally:
            _ASKING.reset(before)
            self._begun = None
            self.charge(self._now() - begun)

    def charge(self, seconds: float) -> None:
        """Charge the address for work that has just ended."""
        now = self._now()
        self._debt = self._at(now) + seconds
        self._since = now

    def _at(self, now: float) -> float:
        return max(0.0, self._debt - (now - self._since) * self._part)
