"""A light board, moved by half turns: first stone, then second stone or end of turn.

Groups carry labels, and a drop that joins groups relabels all but the largest of them. The rules
are those of `yoddd.rules`, against which the tests compare every step.
"""

from __future__ import annotations

from collections.abc import Iterator

from yoddd.kernel.position import turn_of
from yoddd.rules import Colour, Group, PositionLike, Rules, Turn

_EMPTY = -1
_FULL_PASSES = 2


class HalfTurns:
    """A game in progress, one drop at a time.

    A move is an int: ``colour * cells + cell`` for a drop, or one of `end`, `pass_` and `swap`.

    Attributes:
        end: the move that ends a turn after its first stone.
        pass_: the move that passes.
        swap: Yoin's swap.
        player: the colour to move.
        first: the first stone of the turn in progress, as a move; None between turns.
    """

    __slots__ = (
        "_empty",
        "_label",
        "_members",
        "_next",
        "_number",
        "_passes",
        "_where",
        "cells",
        "end",
        "first",
        "pass_",
        "player",
        "rules",
        "swap",
        "total",
    )

    def __init__(self, position: PositionLike) -> None:
        """Start from a position between turns."""
        self.rules: Rules = position.rules
        self.cells = position.rules.geometry.cells
        self.end, self.pass_, self.swap = (2 * self.cells + n for n in range(3))
        self.player = position.player
        self.first: int | None = None
        self._number = position.number
        self._passes = position.passes
        groups = position.groups()
        self.total = len(groups)
        # Labels are unique over both colours and never used twice.
        self._label = [_EMPTY] * self.cells
        self._members: dict[int, tuple[Colour, list[int]]] = {}
        for label, group in enumerate(groups):
            self._members[label] = group.colour, list(group.cells)
            for cell in group.cells:
                self._label[cell] = label
        self._next = len(groups)
        self._empty = [c for c, content in enumerate(position.cells) if content is None]
        self._where = {cell: index for index, cell in enumerate(self._empty)}

    def copy(self) -> HalfTurns:
        """An independent copy."""
        twin = object.__new__(HalfTurns)
        for name in HalfTurns.__slots__:
            setattr(twin, name, getattr(self, name))
        twin._label = self._label.copy()
        twin._members = {key: (c, cells.copy()) for key, (c, cells) in self._members.items()}
        twin._empty = self._empty.copy()
        twin._where = self._where.copy()
        return twin

    # -- asking -----------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        if self.first is not None:
            return False
        if self.rules.has_pass:
            full = self.rules.end_on_full and not self._empty
            return full or self._passes == _FULL_PASSES
        return not self._empty

    def winner(self) -> Colour:
        """The winner of the finished game."""
        groups = [Group(colour, tuple(cells)) for colour, cells in self._members.values()]
        return self.rules.score(groups)[0]

    def moves(self) -> list[int]:
        """Every half turn that some legal turn continues with."""
        if self.is_over:
            return []
        if self.first is not None:
            return self._continuations()
        moves = [move for move in self._drops() if self._completable(move)]
        if self._may_pass(any_drop=bool(moves)):
            moves.append(self.pass_)
        if self.rules.pie and self._number == 2 and self.player is Colour.WHITE:
            moves.append(self.swap)
        return moves

    def _drops(self) -> Iterator[int]:
        colours = [self.player] if self.rules.only_own else list(Colour)
        for colour in colours:
            yield from (colour * self.cells + cell for cell in self._empty)

    def _may_pass(self, *, any_drop: bool) -> bool:
        allowed = self.rules.has_pass and self.total % 2 == 1
        return allowed and not (self.rules.own_colour and any_drop)

    def _continuations(self) -> list[int]:
        """The half turns that may follow the first stone, which is on the board already."""
        if not self.rules.game.odd_total:
            return list(self._drops()) if self._may_drop_two else [self.end]
        moves = [self.end] if self.total % 2 else []
        if self._may_drop_two:
            moves += [move for move in self._drops() if (self.total + 1 - self.joins(move)) % 2]
        return moves

    @property
    def _may_drop_two(self) -> bool:
        return self.rules.two_stones and self._number > 1

    def joins(self, move: int) -> int:
        """The number of groups of its colour that a drop would join."""
        return len(self._joined(*divmod(move, self.cells)))

    def _joined(self, colour: int, cell: int) -> set[int]:
        labels = {self._label[near] for near in self.rules.geometry.neighbours[cell]}
        labels.discard(_EMPTY)
        return {label for label in labels if self._members[label][0] == colour}

    def _completable(self, first: int) -> bool:
        if self._is_whole(first):
            return True
        return self._may_drop_two and any(
            self._completes(first, second) for second in self._drops()
        )

    def _is_whole(self, first: int) -> bool:
        """Whether a turn may end with this stone, its first."""
        if not self.rules.game.odd_total:
            return 1 in self.rules.stones_of_turn(self._number)
        return (self.total + 1 - self.joins(first)) % 2 == 1

    def _completes(self, first: int, second: int) -> bool:
        """Whether two drops together may be a turn; neither is on the board yet."""
        (colour, cell), (other_colour, other_cell) = (
            divmod(move, self.cells) for move in (first, second)
        )
        if cell == other_cell:
            return False
        if not self.rules.game.odd_total:
            return True
        merged, joined = self._joined(colour, cell), self._joined(other_colour, other_cell)
        count = len(joined)
        if colour == other_colour:
            # The groups that the first stone joins are one group for the second.
            meets = other_cell in self.rules.geometry.neighbours[cell]
            if meets or not merged.isdisjoint(joined):
                count = len(joined - merged) + 1
        return (self.total + 2 - len(merged) - count) % 2 == 1

    # -- moving -----------------------------------------------------------------------------

    def apply(self, move: int) -> None:
        """Play a move out of `moves`; nothing is checked."""
        if move == self.swap:
            self._number += 1
        elif move == self.pass_:
            self._passes += 1
            self._end_turn()
        elif move == self.end:
            self._end_turn()
        else:
            self._drop(*divmod(move, self.cells))
            self._passes = 0
            if self.first is not None:
                self._end_turn()
            elif self.rules.two_stones:
                self.first = move
            else:
                self._end_turn()

    def _end_turn(self) -> None:
        self.first = None
        self.player = self.player.opponent
        self._number += 1

    def _drop(self, colour: int, cell: int) -> None:
        joined = self._joined(colour, cell)
        self.total += 1 - len(joined)
        if joined:
            label = max(joined, key=lambda one: len(self._members[one][1]))
        else:
            label = self._next
            self._next += 1
            self._members[label] = Colour(colour), []
        cells = self._members[label][1]
        for other in joined - {label}:
            for moved in self._members.pop(other)[1]:
                self._label[moved] = label
                cells.append(moved)
        cells.append(cell)
        self._label[cell] = label
        index, last = self._where.pop(cell), self._empty.pop()
        if last != cell:
            self._empty[index] = last
            self._where[last] = index

    def turn(self, moves: list[int]) -> Turn:
        """The turn that a list of half turns makes up."""
        return turn_of(self.rules, moves)
