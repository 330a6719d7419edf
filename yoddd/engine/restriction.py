"""Turns that a search does not consider, as KataGo's ``avoid`` and ``allow``."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from yoddd.kernel.position import moves_of
from yoddd.rules import Colour, Rules, Turn


@attrs.frozen
class Bar:
    """One player's half turns that are avoided, or the only ones that are allowed.

    Attributes:
        player: whose they are.
        moves: the half turns, as the kernel numbers them.
        depth: in so many turns from the position on, those of both players.
        allows: whether all others are avoided instead.
    """

    player: Colour
    moves: frozenset[int]
    depth: int
    allows: bool = False


@attrs.frozen
class Restriction:
    """The half turns that a search leaves out.

    Attributes:
        depths: as `yoddd.kernel.TreeSettings.barred`.
    """

    depths: tuple[int, ...]

    @classmethod
    def of(cls, rules: Rules, bars: Iterable[Bar]) -> Restriction:
        """Return what several bars forbid together."""
        stones = 2 * rules.geometry.cells
        depths = [0] * (2 * (stones + 2))
        for bar in bars:
            first = bar.player * (stones + 2)
            for move in range(stones + 2):
                number = move if move < stones else move + 1  # after the stones is a turn's end
                if (number in bar.moves) is not bar.allows:
                    depths[first + move] = max(depths[first + move], bar.depth)
        return cls(tuple(depths))

    @property
    def is_shallow(self) -> bool:
        """Whether only the next turn is restricted."""
        return max(self.depths) <= 1

    def permits(self, rules: Rules, player: Colour, turn: Turn) -> bool:
        """Whether a turn may be the next one."""
        stones = 2 * rules.geometry.cells
        first = player * (stones + 2)
        moves = (move if move < stones else move - 1 for move in moves_of(rules, turn))
        return not any(self.depths[first + move] for move in moves)
