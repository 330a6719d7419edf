"""Positions on the native board, with the interface of the reference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Self

from yoddd.board import Shape
from yoddd.kernel.backend import backend, native
from yoddd.rules import (
    PASS,
    SWAP,
    Colour,
    GameOver,
    Group,
    IllegalTurn,
    Position,
    PositionLike,
    Rules,
    Stone,
    Turn,
    TurnKind,
)
from yoddd.rules.position_like import is_on_board

if TYPE_CHECKING:
    from yoddd.kernel import _native

_PLAYERS: Final = tuple(Colour)
_COLOURS: Final = (*_PLAYERS, None)  # index -1 is an empty cell
_BLOCK: Final = 256
_MAX_STONES: Final = 2


@functools.cache
def _stones_of(cells: int) -> tuple[Stone, ...]:
    """The stone that each native move places, on a board of ``cells`` cells."""
    return tuple(Stone(colour, cell) for colour in Colour for cell in range(cells))


def make_board(rules: Rules) -> _native.Board:
    """An empty native board for ``rules``.

    Raises:
        KernelMissing: there is no native kernel.
        ValueError: it cannot play the game; the text names the fact.
    """
    board: _native.Board = native().Board(
        list(Shape).index(rules.geometry.shape),
        rules.geometry.size,
        rules.facts.numbers,
    )
    return board


def board_of(position: PositionLike) -> _native.Board:
    """A native board with the content of ``position``, without its history."""
    if isinstance(position, NativePosition):
        return position.board.copy()
    board = make_board(position.rules)
    _fill(board, position.cells, position.player, position.passes, position.number)
    return board


def _fill(
    board: _native.Board,
    cells: Sequence[Colour | None],
    player: Colour,
    passes: int,
    number: int,
) -> None:
    content = [-1 if colour is None else int(colour) for colour in cells]
    board.set_up(content, player, passes, number)


def turn_of(rules: Rules, moves: Sequence[int]) -> Turn:
    """The turn that native moves make up."""
    cells = rules.geometry.cells
    end = 2 * cells
    if moves[0] == end + 1:
        return PASS
    if moves[0] == end + 2:
        return SWAP
    stones = [divmod(move, cells) for move in moves if move < end]
    return Turn.drop(*(Stone(Colour(colour), cell) for colour, cell in stones), rules=rules)


def moves_of(rules: Rules, turn: Turn) -> list[int]:
    """The native moves that make up a turn, without the end after a single stone."""
    cells = rules.geometry.cells
    if turn.kind is TurnKind.PASS:
        return [2 * cells + 1]
    if turn.kind is TurnKind.SWAP:
        return [2 * cells + 2]
    return [stone.colour * cells + stone.cell for stone in turn.stones]


class NativePosition(PositionLike):
    """A position on the native board; `PositionLike` documents what it does.

    The kernel computes groups, legality, counts, perft and outcomes, plays and takes back. The
    reasons of refusals come from the reference.

    Attributes:
        board: the native board, to be read only.
    """

    __slots__ = ("board",)

    def __init__(self, rules: Rules) -> None:
        """An empty board with Black to play turn 1.

        Raises:
            KernelMissing: there is no native kernel.
        """
        super().__init__(rules)
        self.board = make_board(rules)

    def _fill(
        self, cells: Sequence[Colour | None], player: Colour, passes: int, number: int
    ) -> None:
        _fill(self.board, cells, player, passes, number)

    def _copy_to(self, twin: Self) -> None:
        twin.board = self.board.copy()

    def __reduce__(self) -> tuple[Callable[..., NativePosition], tuple[object, ...]]:
        """Pickle the start and the turns, which another process plays again."""
        start = self.copy()
        while start.history:
            start.undo()
        content = (start.cells, start.player, start.passes, start.number)
        return _replayed, (self.rules, content, self.history)

    @property
    def player(self) -> Colour:
        """The colour to move."""
        return _PLAYERS[self.board.player]

    @property
    def passes(self) -> int:
        """Passes in succession up to now, 0 to 2."""
        return self.board.passes

    @property
    def number(self) -> int:
        """The number of the turn about to be played, from 1."""
        return self.board.number

    @property
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell, by index."""
        return tuple(_COLOURS[content] for content in self.board.cells)

    # -- groups and outcome -----------------------------------------------------------------

    def _find_groups(self) -> tuple[Group, ...]:
        found = [
            Group(colour, tuple(cells)) for colour in Colour for cells in self.board.groups(colour)
        ]
        return tuple(sorted(found, key=lambda group: group.cells[0]))

    def count(self) -> tuple[int, int]:
        """The number of Black's and of White's groups."""
        return self.board.count

    @property
    def is_full(self) -> bool:
        """Whether no cell is empty."""
        return self.board.is_full

    def _has_ended(self) -> bool:
        return self.board.is_over

    def _score(self) -> tuple[Colour, int]:
        winner, score = self.board.score()
        return Colour(winner), score

    # -- legality ---------------------------------------------------------------------------

    def problem(self, turn: Turn) -> IllegalTurn | None:
        """The error that playing ``turn`` now would raise; None if it may be played."""
        if self.is_legal(turn):
            return None
        if self.is_over:
            return GameOver()
        reference = Position.set_up(self.rules, self.cells, self.player, self.passes, self.number)
        return reference.problem(turn) or IllegalTurn("the kernel refuses it")

    def is_legal(self, turn: Turn) -> bool:
        """Whether ``turn`` may be played now."""
        if self.resigned is not None:
            return False
        if turn.kind is TurnKind.RESIGN:
            return not self.is_over
        if turn.kind is TurnKind.DROP and not 1 <= len(turn.stones) <= _MAX_STONES:
            return False
        # As a native move, a cell beyond the last one would be a stone of the other colour.
        if not all(is_on_board(self.rules, stone) for stone in turn.stones):
            return False
        return self.board.is_legal(moves_of(self.rules, turn))

    def _list_turns(self, first: int) -> Iterator[Turn]:
        cursor = self.board.drops()
        passing = [turn for turn in (PASS, SWAP) if self.is_legal(turn)]
        while block := cursor.take(_BLOCK):
            yield from (turn_of(self.rules, moves) for moves in block[first:])
            first = max(0, first - len(block))
        yield from passing[first:]

    def _count_turns(self) -> int:
        return self.board.count_turns()

    def legal_stones(self) -> list[Stone]:
        """The stones that some legal turn has, in canonical order."""
        return [] if self.is_over else self._stones(self.board.legal_moves())

    def legal_seconds(self, first: Stone) -> list[Stone]:
        """The stones that make a legal turn together with ``first``, in canonical order."""
        sizes = self.rules.stones_of_turn(self.number)
        if _MAX_STONES not in sizes or not self.completable(first):
            return []
        self.board.play(self._move(first))
        moves = self.board.legal_moves()
        self.board.undo()
        return self._stones(moves)

    def _stones(self, moves: Sequence[int]) -> list[Stone]:
        stones = _stones_of(self.rules.geometry.cells)
        return [stones[move] for move in moves if move < len(stones)]

    def _move(self, stone: Stone) -> int:
        return stone.colour * self.rules.geometry.cells + stone.cell

    def completable(self, stone: Stone) -> bool:
        """Whether some legal turn places ``stone``, alone or with a second one."""
        if self.is_over or not is_on_board(self.rules, stone):
            return False
        return self.board.completable(self._move(stone))

    # -- play -------------------------------------------------------------------------------

    def _advance(self, turn: Turn) -> None:
        if turn.kind is TurnKind.RESIGN:
            self.board.play(2 * self.rules.geometry.cells)  # the turn ends, and nothing else
        else:
            self.board.play_turn(moves_of(self.rules, turn))

    def _take_back(self, turn: Turn) -> None:
        del turn  # the board has its past
        self.board.undo_turn()

    def _perft(self, depth: int) -> int:
        return int(depth == 0) if self.resigned is not None else self.board.perft(depth)


def _replayed(
    rules: Rules, content: tuple[Sequence[Colour | None], Colour, int, int], turns: Sequence[Turn]
) -> NativePosition:
    position = NativePosition.set_up(rules, *content)
    for turn in turns:
        position.play(turn)
    return position


def best_position() -> type[PositionLike]:
    """The fastest implementation of `PositionLike` that is installed."""
    return NativePosition if backend().is_native else Position
