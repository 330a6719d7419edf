"""The winners of all positions that can follow from an endgame, by one sweep over bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, make_board, turn_of
from yoddd.kernel.sweep import SweepCost
from yoddd.rules import SWAP, PositionLike, Rules, Turn

if TYPE_CHECKING:
    from yoddd.kernel import _native

COMPACT_FILLING_SECONDS: Final = 1e-9
"""The time of one filling on one thread of a machine that is in use otherwise."""


@attrs.frozen
class TurnOutcome:
    """The outcome of a turn by best play of both sides after it.

    Attributes:
        turn: the turn.
        wins: whether the participant who plays it wins.
    """

    turn: Turn
    wins: bool


def compact_cost(rules: Rules, empty: int, *, kept: bool = True) -> SweepCost | None:
    """The cost of a compact sweep with so many empty cells; None if there are too many for any.

    Args:
        rules: the game and its options.
        empty: the number of empty cells.
        kept: whether its values can be looked up afterwards. Else it tells the winner only, and
            takes less memory.

    Raises:
        KernelMissing: there is no native kernel.
    """
    if empty > native().MOST_SWEPT:
        return None
    memory = native().CompactSweep.memory(make_board(rules), empty, kept)
    return SweepCost(3**empty, memory, 3**empty * COMPACT_FILLING_SECONDS)


class CompactSweep:
    """The winners of all positions that can follow from one; made by `make_compact_sweep`."""

    def __init__(self, position: PositionLike, sweep: _native.CompactSweep) -> None:
        """Wrap a native sweep of a position that has run."""
        self._rules = position.rules
        self._sweep = sweep
        self.wins: Final = sweep.wins or position.is_legal(SWAP)
        """Whether the participant on turn of the position itself wins."""

    def covers(self, position: PositionLike) -> bool:
        """Whether the values of a position are known.

        It has the stones that stood when the sweep was made; in games whose turns always have as
        many stones, the player on turn is the one that follows. A sweep that is not kept covers
        nothing.
        """
        return (
            position.rules == self._rules
            and position.resigned is None
            and self._sweep.covers(board_of(position))
        )

    def turns(self, position: PositionLike) -> tuple[TurnOutcome, ...]:
        """The outcome of every legal turn of a position that is covered, those that win first.

        Turns of the same outcome are in canonical order. Before Yoin's second turn, which may be a
        swap, the outcomes are those of colours.
        """
        if position.is_over:
            return ()
        found = [
            TurnOutcome(turn_of(self._rules, moves), wins)
            for moves, wins in self._sweep.turns(board_of(position))
        ]
        if position.is_legal(SWAP):
            # White is on turn again, as the other participant.
            found.append(TurnOutcome(SWAP, not any(outcome.wins for outcome in found)))
        return tuple(sorted(found, key=lambda outcome: not outcome.wins))

    def line(self, position: PositionLike) -> tuple[TurnOutcome, ...]:
        """Play by colours to the end of the game in which the winner keeps the win."""
        line: list[TurnOutcome] = []
        after = position.copy()
        while not after.is_over:
            outcomes = self.turns(after)
            line.append(next(outcome for outcome in outcomes if outcome.turn != SWAP))
            after.play(line[-1].turn)
        return tuple(line)


def make_compact_sweep(
    position: PositionLike,
    *,
    kept: bool = True,
    threads: int = 1,
    seconds: float = 0,
    stop: Callable[[], bool] | None = None,
) -> CompactSweep | None:
    """Sweep over all fillings of a position's empty cells; `compact_cost` tells the cost before.

    Args:
        position: a position with at most 24 empty cells.
        kept: whether its values can be looked up afterwards.
        threads: how many threads work on it.
        seconds: the limit of time; 0 for none.
        stop: polled; true ends the sweep. Without it a signal to the process ends it.

    Returns:
        The winners; None if the sweep was ended before.

    Raises:
        KernelMissing: there is no native kernel.
        MemoryError: the system refuses the memory.
        ValueError: too many cells are empty.
    """
    sweep = native().CompactSweep(board_of(position), kept)
    done = sweep.run(threads, seconds, stop)
    return CompactSweep(position, sweep) if done else None
