"""Perfect play at the end of a game: sweeps of the kernel, kept until the game is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import attrs

from yoddd.engine.searcher import Budget, StopFlag
from yoddd.kernel import Sweep, SweepCost, make_sweep, sweep_cost
from yoddd.rules import PositionLike, Turn

MEMORY: Final = 512 << 20
"""Bytes of a sweep if the budget names none."""

SHARE: Final = 0.85
"""The part of the time for a sweep that is begun."""

PACES: Final = (0.25, 4.0)
"""The least and the most expected time of a sweep, as multiples of `SweepCost.seconds`."""

_SETTLED: Final = 1.5
"""The sweeps of later positions, at the least, for which there has to be time."""

FILLINGS_PER_PLAYOUT: Final = 20
"""The size of a sweep for each playout of the budget, so that a weak engine stays weak."""

FILLINGS: Final = 3**19
"""The size of a sweep where the budget has no limit: half a second for the winner."""

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
    fillings = None if timed else FILLINGS
    if budget.playouts is not None or budget.visits is not None:
        fillings = FILLINGS_PER_PLAYOUT * playouts
    return Reach(
        fillings,
        SHARE * seconds if timed else None,
        budget.memory or MEMORY,
        budget.threads,
    )


@attrs.frozen
class Proven:
    """A turn whose value is proven.

    Attributes:
        turn: the turn.
        wins: whether the participant who plays it wins.
        distance: turns to the end of the game by best play, this one included; None if it is not
            known.
    """

    turn: Turn
    wins: bool
    distance: int | None = None


class _Kept:
    """The latest sweep with distances, or without them, and what it takes to make another one."""

    def __init__(self, *, distances: bool, clock: Callable[[], float]) -> None:
        self._distances = distances
        self._clock = clock
        self._sweep: Sweep | None = None
        # The time that the last large sweep took, as a multiple of what was expected.
        self.pace = 1.0
        self.bytes = 0

    def find(self, position: PositionLike) -> Sweep | None:
        """The sweep, if it knows the values of a position."""
        found = self._sweep is not None and self._sweep.covers(position)
        return self._sweep if found else None

    def bytes_for(self, position: PositionLike, limit: int) -> int:
        """The bytes of the sweep that knows a position, or of a new one; 0 beyond the limit."""
        if self.find(position) is not None:
            return self.bytes
        cost = self._cost(position, 1)
        return 0 if cost is None or cost.memory > limit else cost.memory

    def drop(self) -> None:
        self._sweep = None
        self.bytes = 0

    def make(self, position: PositionLike, limits: Reach, stop: StopFlag) -> Sweep | None:
        """Make one if that is expected to keep within the limits."""
        cost = self._cost(position, limits.threads)
        if cost is None or not self._fits(cost, limits):
            return None
        self.drop()
        begun = self._clock()
        self._sweep = make_sweep(
            position,
            distances=self._distances,
            threads=limits.threads,
            seconds=limits.seconds or 0,
            stop=stop,
        )
        if self._sweep is not None:
            self.bytes = cost.kept
        if cost.fillings >= _MEASURED:
            taken = (self._clock() - begun) * limits.threads / cost.seconds
            pace = taken if self._sweep is not None else 2 * self.pace
            self.pace = min(max(pace, PACES[0]), PACES[1])
        return self._sweep

    def _cost(self, position: PositionLike, threads: int) -> SweepCost | None:
        empty = position.cells.count(None)
        return sweep_cost(position.rules, empty, distances=self._distances, threads=threads)

    def _fits(self, cost: SweepCost, limits: Reach) -> bool:
        expected = self.pace * cost.seconds / limits.threads
        return (
            cost.memory <= limits.memory
            and (limits.fillings is None or cost.fillings <= limits.fillings)
            and (limits.seconds is None or expected <= limits.seconds)
        )


class Endgame:
    """The values of the turns of an endgame, from sweeps that are kept for later turns.

    A full sweep knows how long a win takes. Before the limits allow one, a compact one at least
    finds a turn that wins, if there is one.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start without sweeps; ``clock`` returns seconds."""
        self._full = _Kept(distances=True, clock=clock)
        self._compact = _Kept(distances=False, clock=clock)

    @property
    def paces(self) -> tuple[float, float]:
        """The times of the last full and compact sweep, as multiples of what was expected."""
        return self._full.pace, self._compact.pace

    @property
    def bytes_kept(self) -> int:
        """The bytes of the sweeps that are kept."""
        return self._full.bytes + self._compact.bytes

    def bytes_for(self, position: PositionLike, limit: int) -> int:
        """The bytes of the sweeps for a position, kept or new; 0 if all would pass ``limit``."""
        later = self._later(position, 1)
        settling = 0 if later is None or later.memory > limit else later.memory
        swept = max(kind.bytes_for(position, limit) for kind in (self._full, self._compact))
        return max(swept, settling)

    def drop(self) -> None:
        """Drop the sweeps."""
        self._full.drop()
        self._compact.drop()

    def look(self, position: PositionLike, limits: Reach, stop: StopFlag) -> tuple[Proven, ...]:
        """The values of legal turns, best first; none if the limits allow no sweep.

        A position that follows from one with a sweep needs no other one. Where only a compact one
        is known, there are values of all turns if one of them wins, and else none: such a sweep
        does not say which turn loses last.
        """
        if position.rules.pie and position.number == 1:
            return ()  # White may take over the colour that wins
        full = self._full.find(position) or self._full.make(position, limits, stop)
        if full is not None:
            self._compact.drop()
            return tuple(Proven(one.turn, one.wins, one.distance) for one in full.turns(position))
        compact = self._compact.find(position)
        if compact is None and not stop():
            compact = self._compact.make(position, limits, stop)
        found = () if compact is None else compact.turns(position)
        return tuple(Proven(one.turn, one.wins) for one in found if found[0].wins)

    def settles(self, position: PositionLike, limits: Reach) -> bool:
        """Whether the limits allow `settle` to look at a few turns."""
        later = self._later(position, limits.threads)
        return (
            later is not None
            and limits.seconds is not None
            and limits.fillings is None
            and later.memory <= limits.memory
            and _SETTLED * self._compact.pace * later.seconds / limits.threads <= limits.seconds
        )

    def settle(
        self,
        position: PositionLike,
        turns: Iterable[Turn],
        limits: Callable[[], Reach],
        stop: StopFlag,
    ) -> tuple[Turn | None, frozenset[Turn]]:
        """The first of some turns that is proven to win, and those before it that lose.

        After a turn fewer cells are empty, so that several compact sweeps take less time than one
        of the position itself. The turns that are the most likely to win come first.

        Args:
            position: the position.
            turns: legal turns.
            limits: those of the next sweep.
            stop: polled; true ends it.
        """
        lost: set[Turn] = set()
        for turn in turns:
            after = position.copy()
            after.play(turn)
            outcome = after.outcome()
            if outcome is not None:
                wins = outcome.winner is position.player
            else:
                sweep = None if stop() else self._compact.make(after, limits(), stop)
                if sweep is None:
                    break
                wins = not sweep.wins
            if wins:
                return turn, frozenset(lost)
            lost.add(turn)
        return None, frozenset(lost)

    def _later(self, position: PositionLike, threads: int) -> SweepCost | None:
        """The cost of a compact sweep after the longest turn."""
        rules = position.rules
        empty = position.cells.count(None) - rules.stones_of_turn(position.number)[-1]
        return sweep_cost(rules, max(empty, 0), distances=False, threads=threads)

    def line(self, position: PositionLike, first: Proven) -> tuple[Turn, ...]:
        """Best play after a turn that `look` has found, that turn first."""
        after = position.copy()
        after.play(first.turn)
        sweep = self._full.find(after) or self._compact.find(after)
        rest = () if sweep is None else sweep.line(after)
        return first.turn, *(one.turn for one in rest)
