"""The games as sequences of small whole numbers: one stone, the end of a turn, pass, swap.

A turn of two stones is two actions in either order. Action ``colour * cells + cell`` places a
stone, ``2 * cells`` ends a turn after its first stone, the next one passes, and where there is a
pie rule one more swaps. A turn that can take no further stone ends by itself.
"""

from __future__ import annotations

import attrs

from yoddd.notation import format_stone
from yoddd.rules import PASS, SWAP, Colour, PositionLike, Rules, Stone, Turn


@attrs.frozen
class ActionSpace:
    """The actions of a game on its board."""

    rules: Rules
    _cells: int = attrs.field(init=False, eq=False, repr=False)

    @_cells.default
    def _count_cells(self) -> int:
        return self.rules.geometry.cells

    @property
    def end(self) -> int:
        """Ends a turn after its first stone."""
        return 2 * self._cells

    @property
    def pass_(self) -> int:
        """Passes the turn."""
        return self.end + 1

    @property
    def swap(self) -> int | None:
        """Swaps sides; None in games without the pie rule."""
        return self.end + 2 if self.rules.pie else None

    @property
    def size(self) -> int:
        """The number of actions, legal or not."""
        return self.end + 2 + self.rules.pie

    def drop(self, stone: Stone) -> int:
        """The action that places a stone."""
        return stone.colour * self._cells + stone.cell

    def stone(self, action: int) -> Stone:
        """The stone that an action places.

        Raises:
            ValueError: it places none.
        """
        if not 0 <= action < self.end:
            raise ValueError(f"action {action} places no stone")
        colour, cell = divmod(action, self._cells)
        return Stone(Colour(colour), cell)

    def name(self, action: int) -> str:
        """The action as text.

        Raises:
            ValueError: there is no such action.
        """
        words = {self.end: "end", self.pass_: "pass", self.swap: "swap"}
        return words.get(action) or format_stone(self.stone(action), self.rules)

    def of_turn(self, turn: Turn, position: PositionLike) -> tuple[int, ...]:
        """The actions that make up a turn on a position.

        Raises:
            ValueError: a resignation, which is no action.
        """
        if turn == PASS:
            return (self.pass_,)
        if turn == SWAP and self.swap is not None:
            return (self.swap,)
        if not turn.stones:
            raise ValueError(f"{turn.kind.value} is no action")
        drops = tuple(self.drop(stone) for stone in turn.stones)
        return (*drops, self.end) if len(drops) < self.most_stones(position) else drops

    def most_stones(self, position: PositionLike) -> int:
        """The greatest number of stones that the next turn may have."""
        return self.rules.stones_of_turn(position.number)[-1]
