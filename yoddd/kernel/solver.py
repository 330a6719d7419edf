"""The kernel's exact solver."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, turn_of
from yoddd.rules import SWAP, Colour, PositionLike, Turn


@attrs.frozen
class Solution:
    """The result of the exact solver.

    Attributes:
        winner: the colour that wins by best play; None if the limits were reached first.
        line: best play of both sides to the end of the game, as far as it is known.
        nodes: half turns and positions visited.
        seconds: the time that took.
    """

    winner: Colour | None
    line: tuple[Turn, ...]
    nodes: int
    seconds: float


def solve(
    position: PositionLike,
    *,
    nodes: int = 0,
    seconds: float = 0,
    memory: int = 64 << 20,
    stop: Callable[[], bool] | None = None,
) -> Solution:
    """Find the winner by best play.

    Args:
        position: any position, between turns as all of them are.
        nodes: the limit of nodes; 0 for none.
        seconds: the limit of time; 0 for none.
        memory: bytes for the table of positions.
        stop: polled; true ends the search. Without it a signal to the process ends it.

    Raises:
        KernelMissing: there is no native kernel.
    """
    if position.resigned is not None:
        return Solution(position.resigned.opponent, (), 0, 0.0)
    board = board_of(position)
    if stop is None:
        winner, visited, spent, line = board.solve(nodes, seconds, memory)
    else:
        winner, visited, spent, line = native().solve_until(board, nodes, seconds, memory, stop)
    colour = None if winner < 0 else Colour(winner)
    turns = [turn_of(position.rules, moves) for moves in line]
    if colour is Colour.BLACK and position.rules.pie:
        _swap_where_allowed(position, turns)
    return Solution(colour, tuple(turns), visited, spent)


def _swap_where_allowed(position: PositionLike, line: list[Turn]) -> None:
    """Let White take over the colour that wins; the solver's line is about colours, not players."""
    after = position.copy()
    for at, turn in enumerate(line):
        if after.is_legal(SWAP):
            if turn != SWAP:
                line.insert(at, SWAP)
            return
        after.play(turn)
