"""A tree of the kernel's player without proofs: what a search of given settings finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import attrs

from tests.support.games import never
from yoddd.kernel import TreeSettings
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, moves_of, turn_of
from yoddd.rules import Colour, PositionLike, Turn

NO_LIMIT = 2**64 - 1

_Found = TypeVar("_Found")


def by_every_instruction_set(find: Callable[[], _Found]) -> list[_Found]:
    """The findings with each set of instructions that the processor has."""
    kernel, found = native(), []
    usual = kernel.instruction_set()
    try:
        for name in kernel.instruction_sets():
            kernel.use_instruction_set(name)
            found.append(find())
    finally:
        kernel.use_instruction_set(usual)
    return found


@attrs.frozen
class Half:
    """A turn that was considered: its half turns, visits, value, margin and the margin's spread."""

    moves: tuple[int, ...]
    visits: int
    value: float
    margin: float
    spread: float


@attrs.frozen
class Found:
    """The findings of a search."""

    turn: Turn
    playouts: int
    visits: int
    winrate: float
    margin: float
    spread: float
    winner: Colour | None
    turns: tuple[Half, ...]
    ownership: tuple[float, ...]
    lent: tuple[tuple[int, float], ...]


class Tree:
    """A tree that follows its game."""

    def __init__(self, settings: TreeSettings | None = None, seed: int = 1) -> None:
        self.settings = (settings or TreeSettings()).to_native()
        self._seed = seed
        self.player = native().Player()

    def begin(
        self,
        position: PositionLike,
        *,
        playouts: int = NO_LIMIT,
        visits: int = NO_LIMIT,
        seconds: float = 1e9,
        resume: bool = False,
    ) -> None:
        """Begin a search in threads of its own."""
        limits = native().PlayLimits()
        limits.playouts, limits.visits, limits.seconds = playouts, visits, seconds
        limits.resume, limits.proves = resume, False
        turns = [moves_of(position.rules, turn) for turn in position.history]
        board = board_of(position)
        self.player.begin(board, turns, self.settings, self._seed, limits, never)
        self._position = position.copy()

    def run(self, position: PositionLike, **limits: float) -> Found:
        """Search until a limit or a proof."""
        self.begin(position, **limits)  # type: ignore[arg-type]
        while self.player.step(never):
            pass
        self.player.finish()
        return self.found()

    def found(self) -> Found:
        """The findings up to now; the turn is that of the last search that has ended."""
        considered, visits, winrate, margin, spread, owned, lent, winner = self.player.report()
        moves, _, _, _, playouts = self.player.result()
        turns = (Half(tuple(one[0][0]), *one[1:5]) for one in considered)
        return Found(
            turn_of(self._position.rules, moves),
            playouts,
            visits,
            winrate,
            margin,
            spread,
            None if winner < 0 else Colour(winner),
            tuple(turns),
            tuple(owned),
            tuple(lent),
        )
