"""The values of all positions of a small board, from a sweep that stays in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import attrs

from yoddd.kernel.position import NativePosition
from yoddd.kernel.sweep import Sweep, TurnValue, make_sweep, sweep_cost
from yoddd.rules import PositionLike, Rules

MOST_CELLS: Final = 19
"""The cells of the largest board that is swept within a second."""


def base_rules(rules: Rules) -> Rules:
    """Return the simplest rules that have the same values.

    Swapping changes no value of the turns after it, and all groups that are too large for the board
    are alike.
    """
    largest = rules.geometry.cells + 1
    return attrs.evolve(rules, pie=False, min_group=min(rules.min_group, largest))


def swept_seconds(rules: Rules) -> float:
    """The expected time of `sweep_board` on one thread; infinite for larger boards."""
    cells = rules.geometry.cells
    cost = sweep_cost(rules, cells) if cells <= MOST_CELLS else None
    return float("inf") if cost is None else cost.seconds


def sweep_board(rules: Rules, stop: Callable[[], bool] | None = None) -> SweptBoard | None:
    """Solve a board of at most 19 cells; None if ``stop`` ended that, or ties go to a colour.

    A sweep holds the values of Black only: those of White are found with the colours exchanged.

    Raises:
        KernelMissing: there is no native kernel.
        MemoryError: the system refuses the memory.
    """
    if rules.tie != "stones":
        return None
    sweep = make_sweep(NativePosition(rules), stop=stop or (lambda: False))
    return None if sweep is None else SweptBoard(rules, sweep)


class SweptBoard:
    """The values of all positions of a board.

    The sweep keeps the positions of few stones, and solves others again when they are asked for,
    in milliseconds.
    """

    def __init__(self, rules: Rules, sweep: Sweep) -> None:
        """Wrap a sweep of the empty board."""
        self._rules = base_rules(rules)
        self._sweep = sweep

    def reaches(self, position: PositionLike) -> bool:
        """Whether the position has the rules of these values, which cover all its positions."""
        return base_rules(position.rules) == self._rules

    def turns(self, position: PositionLike) -> list[TurnValue]:
        """Every legal turn with its value for the player to move, the best first."""
        if position.rules.pie and position.number == 1:
            found = list(self._before_swap(position.copy()))
            return sorted(found, key=lambda value: value.rank, reverse=True)
        return list(self._sweep.turns(position))

    def _before_swap(self, position: PositionLike) -> Iterator[TurnValue]:
        """Turns that White may answer by taking over the colour that wins."""
        for turn in list(position.legal_turns()):
            position.play(turn)
            best = self.turns(position)[0]
            distance = None if best.distance is None else best.distance + 1
            yield TurnValue(turn, not best.wins, distance)
            position.undo()
