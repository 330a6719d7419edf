"""Perfect play at the end of a game: one sweep of the kernel, kept until the game is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from yoddd.engine.searcher import Budget, StopFlag
from yoddd.kernel import Sweep, TurnValue, make_sweep, sweep_cost
from yoddd.rules import PositionLike

MEMORY: Final = 256 << 20
"""Bytes of a sweep if the budget names none."""

SHARE: Final = 0.75
"""The part of the time for a sweep that is begun."""

PACES: Final = (0.25, 4.0)
"""The least and the most expected time of a sweep, as multiples of `SweepCost.seconds`."""

FILLINGS_PER_PLAYOUT: Final = 20
"""The size of a sweep for each playout of the budget, so that a weak engine stays weak."""

_MEASURED: Final = 3**11
"""The size from which on the time of a sweep says something about the next one's."""


@attrs.frozen
class Reach:
    """The limits of a sweep.

    Attributes:
        fillings: the most fillings; None for no limit.
        seconds: the most time; None for no limit.
        memory: bytes.
        threads: how many threads work on it.
    """

    fillings: int | None
    seconds: float | None
    memory: int
    threads: int


def reach(budget: Budget, playouts: int, seconds: float) -> Reach:
    """The limits of a sweep within a budget.

    Args:
        budget: that of the turn.
        playouts: those that it allows from a new tree.
        seconds: what is left of its time; infinite if it has no limit.
    """
    timed = budget.seconds is not None
    counted = not timed or budget.playouts is not None or budget.visits is not None
    return Reach(
        FILLINGS_PER_PLAYOUT * playouts if counted else None,
        SHARE * seconds if timed else None,
        budget.memory or MEMORY,
        budget.threads,
    )


class Endgame:
    """The values of the turns of an endgame, from a sweep that is kept for later turns.

    Attributes:
        pace: the time that the last large sweep took, as a multiple of what was expected.
        bytes_kept: the bytes of the sweep that is kept.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start without a sweep; ``clock`` returns seconds."""
        self._clock = clock
        self._sweep: Sweep | None = None
        self.pace = 1.0
        self.bytes_kept = 0

    def bytes_for(self, position: PositionLike, limit: int) -> int:
        """The bytes of a sweep for a position: those of the one that is kept, or of a new one.

        0 if a new one would take more than ``limit``.
        """
        if self._sweep is not None and self._sweep.covers(position):
            return self.bytes_kept
        cost = sweep_cost(position.rules, position.cells.count(None))
        return 0 if cost is None or cost.memory > limit else cost.memory

    def drop(self) -> None:
        """Drop the sweep."""
        self._sweep = None
        self.bytes_kept = 0

    def look(self, position: PositionLike, limits: Reach, stop: StopFlag) -> tuple[TurnValue, ...]:
        """The value of every legal turn, best first; none if the limits allow no sweep.

        A position that follows from one with a sweep needs no other one.
        """
        if position.rules.pie and position.number == 1:
            return ()  # White may take over the colour that wins
        if self._sweep is None or not self._sweep.covers(position):
            self.drop()
            self._sweep = self._make(position, limits, stop)
        return () if self._sweep is None else self._sweep.turns(position)

    def line(self, position: PositionLike, first: TurnValue) -> tuple[TurnValue, ...]:
        """Best play after a turn that `look` has found, that turn first."""
        assert self._sweep is not None  # noqa: S101 — the caller has the turn from it
        after = position.copy()
        after.play(first.turn)
        return first, *self._sweep.line(after)

    def _make(self, position: PositionLike, limits: Reach, stop: StopFlag) -> Sweep | None:
        cost = sweep_cost(position.rules, position.cells.count(None))
        if cost is None or cost.memory > limits.memory:
            return None
        if limits.fillings is not None and cost.fillings > limits.fillings:
            return None
        expected = self.pace * cost.seconds / limits.threads
        if limits.seconds is not None and expected > limits.seconds:
            return None
        self.bytes_kept = cost.memory
        begun = self._clock()
        sweep = make_sweep(position, threads=limits.threads, seconds=limits.seconds or 0, stop=stop)
        if cost.fillings >= _MEASURED:
            taken = (self._clock() - begun) * limits.threads / cost.seconds
            pace = taken if sweep is not None else 2 * self.pace
            self.pace = min(max(pace, PACES[0]), PACES[1])
        if sweep is None:
            self.bytes_kept = 0
        return sweep
