"""The values of all positions that can follow from an endgame, by one sweep of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, turn_of
from yoddd.rules import SWAP, PositionLike, Rules, Turn

if TYPE_CHECKING:
    from yoddd.kernel import _native

MOST_CELLS: Final = 21
"""The most empty cells of a sweep; memory ends it earlier on most machines."""

FILLING_SECONDS: Final = 12e-9
"""The time of one filling on one thread of a machine that is in use otherwise."""

_BYTES: Final = (2, 4)
"""Bytes for a filling, by whether a turn may have two stones."""


@attrs.frozen
class TurnValue:
    """The value of a turn by best play of both sides after it.

    Attributes:
        turn: the turn.
        wins: whether the participant who plays it wins.
        distance: turns of both sides to the end of the game, this one included; the side that
            wins makes it as short as it can and the other one as long.
    """

    turn: Turn
    wins: bool
    distance: int

    @property
    def rank(self) -> int:
        """Its place among the values of one position: the greatest is the best turn's."""
        return -self.distance if self.wins else self.distance - _WORST


_WORST: Final = 1000


@attrs.frozen
class SweepCost:
    """The cost of a sweep.

    Attributes:
        fillings: the number of fillings of the empty cells.
        memory: bytes, all of which are kept.
        seconds: the expected time on one thread.
    """

    fillings: int
    memory: int
    seconds: float


def sweep_cost(rules: Rules, empty: int) -> SweepCost | None:
    """The cost of a sweep with so many empty cells; None if there are too many for any."""
    if empty > MOST_CELLS:
        return None
    fillings = 3**empty
    width = _BYTES[rules.two_stones]
    return SweepCost(fillings, width * fillings, fillings * FILLING_SECONDS * width / 4)


class Sweep:
    """The values of all positions that can follow from one; made by `make_sweep`."""

    def __init__(self, rules: Rules, sweep: _native.Sweep) -> None:
        """Wrap a native sweep that has run."""
        self._rules = rules
        self._sweep = sweep

    def covers(self, position: PositionLike) -> bool:
        """Whether a position has the stones that stood when the sweep was made."""
        return (
            position.rules == self._rules
            and position.resigned is None
            and self._sweep.covers(board_of(position))
        )

    def turns(self, position: PositionLike) -> tuple[TurnValue, ...]:
        """The value of every legal turn of a position that is covered, best first.

        Turns of the same value are in canonical order. Before Yoin's second turn, which may be a
        swap, the values are those of colours.
        """
        if position.is_over:
            return ()
        values = self._values(self._sweep.turns(board_of(position)))
        values.sort(key=lambda value: -value.rank)
        if position.is_legal(SWAP):
            # White is on turn again, as the other participant.
            best = values[0]
            values.append(TurnValue(SWAP, not best.wins, best.distance + 1))
            values.sort(key=lambda value: -value.rank)
        return tuple(values)

    def line(self, position: PositionLike) -> tuple[TurnValue, ...]:
        """Best play of both sides by colours to the end of the game: no participant swaps."""
        return tuple(self._values(self._sweep.line(board_of(position))))

    def _values(self, found: list[tuple[list[int], bool, int]]) -> list[TurnValue]:
        return [
            TurnValue(turn_of(self._rules, moves), wins, distance)
            for moves, wins, distance in found
        ]


def make_sweep(
    position: PositionLike,
    *,
    threads: int = 1,
    seconds: float = 0,
    stop: Callable[[], bool] | None = None,
) -> Sweep | None:
    """Sweep over all fillings of a position's empty cells; `sweep_cost` tells the cost beforehand.

    Args:
        position: a position with at most `MOST_CELLS` empty cells.
        threads: how many threads work on it.
        seconds: the limit of time; 0 for none.
        stop: polled; true ends the sweep. Without it a signal to the process ends it.

    Returns:
        The values; None if the sweep was ended before.

    Raises:
        KernelMissing: there is no native kernel.
        MemoryError: the system refuses the memory.
        ValueError: too many cells are empty.
    """
    sweep = native().Sweep(board_of(position))
    done = sweep.run(threads, seconds, stop)
    return Sweep(position.rules, sweep) if done else None
