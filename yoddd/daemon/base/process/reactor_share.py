"""The share of the daemon's time that the connections of one address may use together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

import attrs
from twisted.internet.interfaces import IDelayedCall, IReactorTime

BURST: Final = 0.03
"""Seconds of the reactor's time that an address may use before it has to wait."""

TURN: Final = 0.005
"""Seconds, whether it computed or waited, after which a call makes way for other connections."""

TURN_OF_ALL: Final = 0.01
"""Seconds of charged work after which the reactor first looks after its sockets and timers."""

LIGHT: Final = 0.01
"""Seconds up to which an address does not wait for that, because it hardly uses the daemon."""

LIGHT_PART: Final = 0.1
"""The part of its share with which it pays those back."""

SLICE: Final = TURN / 2
"""Seconds for which the calls of one address that wait are made in a turn of the reactor."""

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


def charge_later() -> Callable[[float], None] | None:
    """A function that charges work in a thread to the address whose request is served now.

    The charge is the thread's time of the processor, so no address pays for the others in a queue.
    """
    share = _ASKING.get()
    return None if share is None else share.charge


class ReactorTurn:
    """Bounds the charged work that all addresses have done in one turn of the reactor.

    Each address may only use its share, but a hundred that do so at the same moment would keep
    those waiting that are not charged, and those that ask for little.

    Attributes:
        is_over: whether as much is done as may be; until the next turn.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        """Create it for the turns of a reactor."""
        self.is_over = False
        self._reactor = reactor
        # Seconds of work since a turn was over.
        self._spent = 0.0

    def spend(self, seconds: float) -> None:
        """Count work that has just been done."""
        self._spent += seconds
        if self._spent >= TURN_OF_ALL and not self.is_over:
            self.is_over = True
            self._reactor.callLater(0, self._begin)

    def _begin(self) -> None:
        self.is_over = False
        self._spent = 0.0


class Waiting:
    """A call that waits until an address may use more time."""

    __slots__ = ("_forget", "call")

    def __init__(self, call: Callable[[], object], forget: Callable[[Waiting], None]) -> None:
        """Create it; ``forget`` takes it out of its queue."""
        self.call: Callable[[], object] | None = call
        self._forget = forget

    def active(self) -> bool:
        """Whether it still waits."""
        return self.call is not None

    def cancel(self) -> None:
        """Never make the call; does nothing once it is made."""
        if self.call is not None:
            self.call = None
            self._forget(self)


@attrs.define(eq=False)
class ReactorShare:
    """Charges an address for the time that its bytes take, whatever they are.

    A limit on requests leaves out blank lines, frames and headers, and takes a request that costs
    20 ms for one that costs 20 µs. It is the time of the clock, not of the processor: others wait
    for both, and on a crowded machine the latter would let an address fill every turn.
    """

    # Returns the part of the time that passes which it may use in the long run.
    _part: Callable[[], float]
    # A clock in seconds that never jumps.
    _now: Callable[[], float]
    # Bounds the work of all addresses together; None for no bound.
    _turn: ReactorTurn | None = None
    # Seconds used and not yet paid back, those not yet paid back by `LIGHT_PART`, and the time at
    # which that was true.
    _debt: float = 0.0
    _used: float = 0.0
    _since: float = attrs.Factory(lambda self: self._now(), takes_self=True)
    # The time at which the measured call began; None outside of one.
    _begun: float | None = None
    # The calls that wait until more time may be used, and the timer that makes the first of them;
    # set while there are any.
    _queue: deque[Waiting] = attrs.Factory(deque)
    _timer: IDelayedCall | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to pay back, and no call waits."""
        return not self._queue and self._at(self._now()) == 0

    def wait(self) -> float:
        """Return the seconds until the next bytes may be handled; 0 for now.

        Within a measured call that has taken `TURN`, others come first, and so they do where all
        addresses together have used up a turn of the reactor.
        """
        now = self._now()
        least = _NEXT_TURN if self._begun is not None and now - self._begun >= TURN else 0.0
        if self._turn is not None and self._turn.is_over and self._used_at(now) > LIGHT:
            least = _NEXT_TURN
        if self._debt <= BURST:
            return least
        return max(least, (self._at(now) - BURST) / self._part())

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
            seconds = self._now() - begun
            self.charge(seconds)
            if self._turn is not None:
                self._turn.spend(seconds)

    def later(self, reactor: IReactorTime, call: Callable[[], object]) -> Waiting:
        """Make a call when there is time for it again; the calls of an address are made in turn.

        With a timer each, the many connections of an address would all wake at the moment at which
        one of them may go on.
        """
        waiting = Waiting(call, self._forget)
        self._queue.append(waiting)
        if self._timer is None:
            self._set_timer(reactor)
        return waiting

    def _set_timer(self, reactor: IReactorTime) -> None:
        self._timer = reactor.callLater(self.wait(), self._serve, reactor)

    def _serve(self, reactor: IReactorTime) -> None:
        self._timer = None
        end = self._now() + SLICE
        try:
            for _ in range(len(self._queue)):
                if not self._queue or self.wait() > 0 or self._now() >= end:
                    break
                waiting = self._queue.popleft()
                call, waiting.call = waiting.call, None
                if call is not None:
                    call()
        finally:
            if self._queue and self._timer is None:
                self._set_timer(reactor)

    def _forget(self, waiting: Waiting) -> None:
        if waiting in self._queue:
            self._queue.remove(waiting)
        if not self._queue and self._timer is not None and self._timer.active():
            self._timer.cancel()
            self._timer = None

    def charge(self, seconds: float) -> None:
        """Charge the address for work that has just ended."""
        now = self._now()
        self._debt = self._at(now) + seconds
        self._used = self._used_at(now) + seconds
        self._since = now

    def _at(self, now: float) -> float:
        return max(0.0, self._debt - (now - self._since) * self._part())

    def _used_at(self, now: float) -> float:
        return max(0.0, self._used - (now - self._since) * self._part() * LIGHT_PART)
