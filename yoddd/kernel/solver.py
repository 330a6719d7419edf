"""The kernel's exact solver."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Literal

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, turn_of
from yoddd.kernel.sweep import make_sweep, sweep_cost
from yoddd.rules import SWAP, Colour, PositionLike, Turn

Method = Literal["auto", "sweep", "compact", "search"]
"""How to solve: by a sweep over all fillings, with distances or compact and without them, by
proof-number search, or by what suits."""

_AUTOMATIC: Final = -1

_HASTE: Final = 2
"""A sweep is begun if its expected time is so many times within the limit."""


@attrs.frozen
class Solution:
    """The result of the exact solver.

    Attributes:
        winner: the colour that wins by best play; None if the limits were reached first.
        line: best play of both sides to the end of the game, as far as it is known.
        nodes: half turns and positions visited by a search; by a sweep, all fillings of the empty
            cells.
        seconds: the time that took.
        distance: turns to the end of the game if the winner is as quick and the loser as slow as
            can be; None if it is not known, as after a search or a compact sweep.
        sweeps: positions that the search solved by a compact sweep each.
    """

    winner: Colour | None
    line: tuple[Turn, ...]
    nodes: int
    seconds: float
    distance: int | None = None
    sweeps: int = 0


@attrs.frozen
class SolverLimits:
    """The limits of a solver.

    Attributes:
        nodes: the limit of nodes; 0 for none.
        seconds: the limit of time; 0 for none.
        memory: bytes.
        threads: how many threads work on it.
    """

    nodes: int
    seconds: float
    memory: int
    threads: int

    def allow_sweep(self, position: PositionLike, *, distances: bool = True) -> bool:
        """Whether a sweep of a position is expected to keep within them."""
        empty = position.cells.count(None)
        cost = sweep_cost(position.rules, empty, distances=distances, threads=self.threads)
        if cost is None or cost.memory > self.memory:
            return False
        if self.nodes and cost.fillings > self.nodes:
            return False
        return not self.seconds or _HASTE * cost.seconds / self.threads <= self.seconds


def solve(  # noqa: PLR0913 — the limits are keywords
    position: PositionLike,
    *,
    nodes: int = 0,
    seconds: float = 0,
    memory: int = 64 << 20,
    stop: Callable[[], bool] | None = None,
    threads: int = 1,
    method: Method = "auto",
    leaf: int | None = None,
) -> Solution:
    """Find the winner by best play.

    A sweep (`yoddd.kernel.sweep`) is made if all limits allow it, else a compact one without
    distances, else a proof-number search with compact sweeps at its leaves.

    Args:
        position: any position, between turns as all of them are.
        nodes: the limit of nodes; 0 for none.
        seconds: the limit of time; 0 for none.
        memory: bytes for the values of a sweep, or for all that a search keeps.
        stop: polled; true ends the search. Without it a signal to the process ends it.
        threads: how many threads work on it.
        method: ``sweep``, ``compact`` or ``search`` for only one of them, ``auto`` for what the
            limits allow.
        leaf: a search solves positions with so few empty cells by compact sweeps, as far as memory,
            time and nodes allow; 0 for none, None for as many as they do.

    Raises:
        KernelMissing: there is no native kernel.
        ValueError: a sweep was asked for, and the limits do not allow it.
    """
    if position.resigned is not None:
        return Solution(position.resigned.opponent, (), 0, 0.0, 0)
    limits = SolverLimits(nodes, seconds, memory, threads)
    if not position.is_over and method != "search":
        for kind in ("sweep", "compact"):
            distances = kind == "sweep"
            if method in {"auto", kind} and limits.allow_sweep(position, distances=distances):
                return _solve_by_sweep(position, limits, stop, distances=distances)
        if method != "auto":
            raise ValueError("the limits do not allow a sweep")
    return _solve_by_search(position, limits, _AUTOMATIC if leaf is None else leaf, stop)


def leaf_cells(position: PositionLike, limits: SolverLimits) -> int:
    """The number of empty cells from which on a search solves positions by compact sweeps."""
    cells: int = native().leaf_cells(board_of(position), *attrs.astuple(limits))
    return cells


def _solve_by_search(
    position: PositionLike, limits: SolverLimits, leaf: int, stop: Callable[[], bool] | None
) -> Solution:
    board = board_of(position)
    winner, visited, sweeps, spent, line = native().solve(board, *attrs.astuple(limits), leaf, stop)
    colour = None if winner < 0 else Colour(winner)
    turns = [turn_of(position.rules, moves) for moves in line]
    return Solution(colour, by_participants(position, colour, turns), visited, spent, sweeps=sweeps)


def _solve_by_sweep(
    position: PositionLike,
    limits: SolverLimits,
    stop: Callable[[], bool] | None,
    *,
    distances: bool,
) -> Solution:
    begun = time.perf_counter()
    nodes = 3 ** position.cells.count(None)
    sweep = make_sweep(
        position, distances=distances, threads=limits.threads, seconds=limits.seconds, stop=stop
    )
    if sweep is None:
        return Solution(None, (), nodes, time.perf_counter() - begun)
    line = sweep.line(position)
    winner = position.player if line[0].wins else position.player.opponent
    turns = by_participants(position, winner, [value.turn for value in line])
    return Solution(winner, turns, nodes, time.perf_counter() - begun, line[0].distance)


def by_participants(
    position: PositionLike, winner: Colour | None, line: list[Turn]
) -> tuple[Turn, ...]:
    """A line as participants play it who may swap; found was best play of the colours."""
    if winner is Colour.BLACK and position.rules.pie:
        _swap_where_allowed(position, line)
    return tuple(line)


def _swap_where_allowed(position: PositionLike, line: list[Turn]) -> None:
    """Let White take over the colour that wins; the solver's line is about colours, not players."""
    after = position.copy()
    for at, turn in enumerate(line):
        if after.is_legal(SWAP):
            if turn != SWAP:
                line.insert(at, SWAP)
            return
        after.play(turn)
