"""The values of all positions of a small board, from a sweep that stays in memory."""

from __future__ import annotations

from collections.abc import Callable

from yoddd.kernel.position import NativePosition
from yoddd.kernel.sweep import Sweep, make_sweep, sweep_cost
from yoddd.kernel.table import COMPLETE_CELLS, Value, check_board, table_options
from yoddd.rules import PositionLike, Rules, Turn


def swept_seconds(rules: Rules) -> float:
    """The expected time of `sweep_table` on one thread; infinite for larger boards."""
    cells = rules.geometry.cells
    cost = sweep_cost(rules, cells) if cells <= COMPLETE_CELLS else None
    return float("inf") if cost is None else cost.seconds


def sweep_table(rules: Rules, stop: Callable[[], bool] | None = None) -> SweptTable | None:
    """Solve a board of at most 19 cells; None if ``stop`` ended that.

    Raises:
        KernelMissing: there is no native kernel.
        MemoryError: the system refuses the memory.
        TableError: the rules treat the colours differently.
    """
    check_board(rules)
    sweep = make_sweep(NativePosition(rules), stop=stop or (lambda: False))
    return None if sweep is None else SweptTable(rules, sweep)


class SweptTable:
    """A table in memory, with the same values as one in a file.

    The sweep keeps the positions of few stones, and solves others again when they are asked for,
    in milliseconds.
    """

    has_distances = True

    def __init__(self, rules: Rules, sweep: Sweep) -> None:
        """Wrap a sweep of the empty board."""
        self.rules = rules
        self._sweep = sweep

    def holds(self, rules: Rules) -> bool:
        """Whether the values are those of ``rules``."""
        same = rules.game is self.rules.game and rules.geometry is self.rules.geometry
        return same and table_options(rules) == table_options(self.rules)

    def reaches(self, position: PositionLike) -> bool:
        """True: all positions are known."""
        return self.holds(position.rules)

    def value(self, position: PositionLike) -> Value:
        """The value of a position for the player on turn."""
        outcome = position.outcome()
        if outcome is not None:
            return Value(outcome.winner is position.player, 0)
        return self.turns(position)[0][1]

    def turns(self, position: PositionLike) -> list[tuple[Turn, Value]]:
        """Every legal turn with its value for the player on turn, the best first."""
        if position.rules.pie and position.number == 1:
            found = list(self._before_swap(position.copy()))
            return sorted(found, key=lambda turn: turn[1].rank, reverse=True)
        return [(one.turn, Value(one.wins, one.distance)) for one in self._sweep.turns(position)]

    def _before_swap(self, position: PositionLike) -> list[tuple[Turn, Value]]:
        """Turns that White may answer by taking over the colour that wins."""
        found = []
        for turn in list(position.legal_turns()):
            position.play(turn)
            found.append((turn, self.value(position).before()))
            position.undo()
        return found
