"""Positions on the native board, with the interface of the reference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from yoddd.kernel.backend import backend, native
from yoddd.rules import (
    PASS,
    SWAP,
    CannotUndo,
    Colour,
    GameOver,
    Group,
    IllegalTurn,
    LegalTurn,
    Outcome,
    Position,
    PositionLike,
    Rules,
    Stone,
    Turn,
    TurnKind,
)
from yoddd.rules.shared import check_content, check_counters, is_on_board, seat_of

if TYPE_CHECKING:
    from yoddd.kernel import _native

_COLOURS: Final = (Colour.BLACK, Colour.WHITE, None)  # index -1 is an empty cell
_BLOCK: Final = 256
_MAX_STONES: Final = 2


@functools.cache
def _stones_of(cells: int) -> tuple[Stone, ...]:
    """The stone that each native move drops, on a board of ``cells`` cells."""
    return tuple(Stone(colour, cell) for colour in Colour for cell in range(cells))


def make_board(rules: Rules) -> _native.Board:
    """An empty native board for ``rules``.

    Raises:
        KernelMissing: there is no native kernel.
    """
    board: _native.Board = native().Board(
        str(rules.geometry.shape),
        rules.geometry.size,
        rules.game.name,
        rules.end_on_full,
        rules.own_colour,
        rules.pie,
        rules.min_group,
        rules.one_group,
        rules.tie,
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


class NativePosition:
    """A `PositionLike` on the native board.

    The kernel computes groups, legality, counts, perft and outcomes, plays and takes back. The
    reasons of refusals come from the reference.

    Attributes:
        rules: the game, the board and the options.
        resigned: the colour that gave up, if one did.
        board: the native board, to be read only.
    """

    __slots__ = ("_groups", "_state", "_turns", "board", "resigned", "rules")

    def __init__(self, rules: Rules) -> None:
        """An empty board with Black to play turn 1.

        Raises:
            KernelMissing: there is no native kernel.
        """
        self.rules = rules
        self.board = make_board(rules)
        self.resigned: Colour | None = None
        self._turns: list[Turn] = []
        self._groups: tuple[Group, ...] | None = None
        # Stands for the present state of play in judged turns. Made by the first judgement, and
        # dropped by each change.
        self._state: object | None = None

    @classmethod
    def set_up(
        cls,
        rules: Rules,
        cells: Sequence[Colour | None],
        player: Colour,
        passes: int,
        number: int,
    ) -> NativePosition:
        """A position given by its content; it has no turns to take back.

        Raises:
            IllegalPosition: as for the reference.
            KernelMissing: there is no native kernel.
        """
        check_counters(rules, len(cells), passes, number)
        position = cls(rules)
        _fill(position.board, cells, player, passes, number)
        check_content(position)
        return position

    def copy(self) -> NativePosition:
        """An independent position with the same history."""
        twin = object.__new__(NativePosition)
        twin.rules, twin.resigned = self.rules, self.resigned
        twin.board = self.board.copy()
        twin._turns = self._turns.copy()
        twin._groups, twin._state = self._groups, self._state
        return twin

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
        return Colour(self.board.player)

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

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns played since the position was made, oldest first."""
        return tuple(self._turns)

    def seat_of(self, colour: Colour) -> Colour:
        """The seat of the player who has ``colour`` now: the colour they had before a swap."""
        return seat_of(colour, self.history)

    # -- groups and outcome -----------------------------------------------------------------

    def groups(self) -> tuple[Group, ...]:
        """All groups of both colours, in the order of their lowest cell."""
        if self._groups is None:
            found = [
                Group(colour, tuple(cells))
                for colour in Colour
                for cells in self.board.groups(colour)
            ]
            self._groups = tuple(sorted(found, key=lambda group: group.cells[0]))
        return self._groups

    def count(self) -> tuple[int, int]:
        """The number of Black's and of White's groups."""
        return self.board.count

    @property
    def is_full(self) -> bool:
        """Whether no cell is empty."""
        return self.board.is_full

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.resigned is not None or self.board.is_over

    def outcome(self) -> Outcome | None:
        """The winner, why and by how much; None until the game ends."""
        if self.resigned is not None:
            return Outcome(self.resigned.opponent, "resign", 0)
        if not self.board.is_over:
            return None
        winner, score = self.board.score()
        return Outcome(Colour(winner), "groups", score)

    # -- legality ---------------------------------------------------------------------------

    def illegality(self, turn: Turn) -> str | None:
        """Why ``turn`` may not be played now; None if it may."""
        return None if self.is_legal(turn) else self._problem(turn).reason

    def _problem(self, turn: Turn) -> IllegalTurn:
        """The error of a turn that is illegal, as the kernel has found."""
        if self.is_over:
            return GameOver()
        reference = Position.set_up(self.rules, self.cells, self.player, self.passes, self.number)
        return reference.problem(turn) or IllegalTurn("the kernel refuses it")

    def is_legal(self, turn: Turn) -> bool:
        """Whether ``turn`` may be played now; computed by the kernel alone."""
        if self.resigned is not None:
            return False
        if turn.kind is TurnKind.RESIGN:
            return not self.is_over
        if turn.kind is TurnKind.DROP and not 1 <= len(turn.stones) <= _MAX_STONES:
            return False
        # As a native move, a cell beyond the last one would be a stone of the other colour.
        if not all(is_on_board(self.rules, stone) for stone in turn.stones):
            return False
        return self.board.is_legal(self._moves(turn))

    def _moves(self, turn: Turn) -> list[int]:
        return moves_of(self.rules, turn)

    def legal_turns(self) -> Iterator[Turn]:
        """Every legal turn once: drops in canonical order, then pass, then swap; never resign."""
        if self.is_over:
            return
        cursor = self.board.drops()
        passing = [turn for turn in (PASS, SWAP) if self.is_legal(turn)]
        while block := cursor.take(_BLOCK):
            yield from (turn_of(self.rules, moves) for moves in block)
        yield from passing

    def count_turns(self) -> int:
        """The number of legal turns."""
        return 0 if self.is_over else self.board.count_turns()

    def legal_stones(self) -> list[Stone]:
        """The stones that some legal turn drops, in canonical order."""
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
        """Whether some legal turn drops ``stone``, alone or with a second one."""
        if self.is_over or not is_on_board(self.rules, stone):
            return False
        return self.board.completable(self._move(stone))

    # -- play -------------------------------------------------------------------------------

    def judge(self, turn: Turn) -> LegalTurn:
        """Judge ``turn``, to be played before anything else is: here, or on a copy made since.

        Raises:
            IllegalTurn: the rules forbid it.
        """
        if not self.is_legal(turn):
            raise self._problem(turn)
        self._state = self._state or object()
        return LegalTurn(turn, self._state)

    def play(self, turn: Turn | LegalTurn) -> None:
        """Play ``turn`` for the colour to move; it is judged first unless it was before.

        Raises:
            IllegalTurn: the rules forbid it; the position is unchanged.
            ValueError: it was judged for another position.
        """
        if isinstance(turn, LegalTurn):
            turn = turn.turn_in(self._state)
        elif not self.is_legal(turn):
            raise self._problem(turn)
        self._state = None
        if turn.kind is TurnKind.RESIGN:
            self.resigned = self.player
            self.board.play(2 * self.rules.geometry.cells)  # the turn ends, and nothing else
        else:
            self.board.play_turn(self._moves(turn))
        self._turns.append(turn)
        self._groups = None

    def undo(self) -> Turn:
        """Take back the last turn and return it.

        Raises:
            CannotUndo: no turn was played since the position was made.
        """
        if not self._turns:
            raise CannotUndo("no turn to take back")
        self._state = None
        self.board.undo_turn()
        self.resigned = None
        self._groups = None
        return self._turns.pop()

    def perft(self, depth: int) -> int:
        """The number of legal sequences of ``depth`` turns; a finished game has no children.

        Raises:
            ValueError: ``depth`` is negative.
        """
        if depth < 0:
            raise ValueError(f"perft {depth}: expected a depth of 0 or more")
        if self.resigned is not None:
            return int(depth == 0)
        return self.board.perft(depth)


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
