"""The values of all positions that can follow from an endgame, by one sweep of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import NativePosition, board_of, make_board, turn_of
from yoddd.rules import Facts, PositionLike, Rules, Turn

if TYPE_CHECKING:
    from yoddd.kernel import _native

_WORST: Final = 1000


@attrs.frozen
class TurnValue:
    """The value of a turn by best play of both sides after it.

    Attributes:
        turn: the turn.
        wins: whether the participant who plays it wins.
        distance: turns of both sides to the end of the game, this one included; the side that
            wins makes it as short as it can and the other one as long. None if it is not known.
    """

    turn: Turn
    wins: bool
    distance: int | None = None

    @property
    def rank(self) -> int:
        """The rank among the values of one position; the best turn has the greatest."""
        distance = self.distance or 0
        return -distance if self.wins else distance - _WORST


@attrs.frozen
class SweepCost:
    """The cost of a sweep.

    Attributes:
        fillings: the number of fillings of the empty cells.
        memory: bytes while it runs.
        seconds: the expected time on one thread.
    """

    fillings: int
    memory: int
    seconds: float

    @property
    def kept(self) -> int:
        """Bytes for the rest of the game."""
        return self.memory // 8


def sweep_cost(
    rules: Rules, empty: int, *, distances: bool = True, threads: int = 1
) -> SweepCost | None:
    """The cost of a sweep with so many empty cells; None if there are too many, or no such game.

    A board without stones takes less: only one of its symmetric images is looked at.

    Args:
        rules: the game and its options.
        empty: the number of empty cells.
        distances: whether the number of turns to the end is found out, in games with passes.
        threads: how many threads work on it.

    Raises:
        KernelMissing: there is no native kernel.
    """
    cost = native().sweep_cost(make_board(rules), empty, distances, threads)
    return None if cost is None else SweepCost(*cost)


class Sweep:
    """The values of all positions that can follow from one; made by `make_sweep`.

    Those of positions with few stones more are kept. Others are found by another sweep when they
    are first asked for, which takes a small part of the first one's time.
    """

    def __init__(self, position: PositionLike, sweep: _native.Sweep) -> None:
        """Wrap a native sweep of a position."""
        self._rules = position.rules
        self._sweep = sweep
        self.wins: Final = sweep.wins
        """Whether the participant to move of the position itself wins."""

    def covers(self, position: PositionLike) -> bool:
        """Whether a position follows from that of the sweep.

        It has the stones that stood when the sweep was made; in games whose turns always have as
        many stones, the player to move is the one that follows.
        """
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
        return () if position.is_over else read(self._rules, self._sweep.turns(board_of(position)))

    def line(self, position: PositionLike) -> tuple[TurnValue, ...]:
        """Best play of both sides by colours to the end of the game: no participant swaps."""
        return () if position.is_over else read(self._rules, self._sweep.line(board_of(position)))


def read(rules: Rules, values: _native.Values) -> tuple[TurnValue, ...]:
    """Values as the kernel gives them."""
    return tuple(
        TurnValue(turn_of(rules, moves), wins, distance or None) for moves, wins, distance in values
    )


def make_sweep(
    position: PositionLike,
    *,
    distances: bool = True,
    threads: int = 1,
    seconds: float = 0,
    stop: Callable[[], bool] | None = None,
) -> Sweep | None:
    """Sweep over all fillings of a position's empty cells; `sweep_cost` tells the cost beforehand.

    Args:
        position: a position with at most 25 empty cells.
        distances: whether the number of turns to the end is found out. Without passes it
            is known anyway; with them that takes eight times the memory.
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
    sweep = native().Sweep.make(board_of(position), distances, threads, seconds, stop)
    return None if sweep is None else Sweep(position, sweep)


MOST_CELLS: Final = 19
"""The cells of the largest board that is swept within a second."""


def base_facts(rules: Rules) -> Facts:
    """Return the simplest facts that have the same values on a board.

    Swapping changes no value of the turns after it, and all groups that are too large for the board
    are alike.
    """
    facts, beyond = rules.facts, rules.geometry.cells + 1
    k = min(facts.k, beyond) if facts.value == "large" else facts.k
    return attrs.evolve(facts, pie=False, k=k)


def swept_seconds(rules: Rules) -> float:
    """The expected time of `sweep_board` on one thread; infinite for larger boards."""
    cells = rules.geometry.cells
    cost = sweep_cost(rules, cells) if cells <= MOST_CELLS else None
    return float("inf") if cost is None else cost.seconds


def sweep_board(rules: Rules, stop: Callable[[], bool] | None = None) -> SweptBoard | None:
    """Solve a board of at most 19 cells; None if ``stop`` ended that.

    Raises:
        KernelMissing: there is no native kernel.
        MemoryError: the system refuses the memory.
    """
    sweep = make_sweep(NativePosition(rules), stop=stop or (lambda: False))
    return None if sweep is None else SweptBoard(rules, sweep)


class SweptBoard:
    """The values of all positions of a board.

    The sweep keeps the positions of few stones, and solves others again when they are asked for,
    in milliseconds.
    """

    def __init__(self, rules: Rules, sweep: Sweep) -> None:
        """Wrap a sweep of the empty board."""
        self._rules = rules
        self._facts = base_facts(rules)
        self._sweep = sweep

    def reaches(self, position: PositionLike) -> bool:
        """Whether the position has the rules of these values, which cover all its positions."""
        rules = position.rules
        return rules.geometry is self._rules.geometry and base_facts(rules) == self._facts

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
