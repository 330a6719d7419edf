"""Complete tables of small boards: the sweep that makes them, and the values of positions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

import attrs

from yoddd.kernel import table_index
from yoddd.kernel.backend import backend, native
from yoddd.kernel.position import best_position, make_board
from yoddd.kernel.table_file import CLASSES, Content, Header, TableError, TableFile, encode
from yoddd.rules import Colour, PositionLike, Rules, Turn, make_rules
from yoddd.rules.shared import SWAP_TURN

MAX_CELLS: Final = 19
"""Boards of more cells have no table."""

_SUFFIX: Final = ".table"
_EXCHANGE: Final = bytes.maketrans(b"\x01\x02", b"\x02\x01")


@attrs.frozen
class Value:
    """The value of a position or a turn.

    Attributes:
        won: whether the player who is asked about wins.
        turns: to the end, if the winner plays for a short game and the loser for a long one; None
            if the table has no distances.
    """

    won: bool
    turns: int | None

    def before(self) -> Value:
        """The value of the turn that leads here, for the opponent who plays it."""
        return Value(not self.won, None if self.turns is None else self.turns + 1)

    @property
    def rank(self) -> tuple[bool, int]:
        """A key by which the better of two values is the larger one."""
        turns = self.turns or 0
        return self.won, -turns if self.won else turns


class _Index(Protocol):
    def place(self, contents: bytes) -> int:
        """The place of a filling."""


class _NativeIndex(_Index, Protocol):
    """The native index."""

    head: list[int]
    tail: list[int]
    classes: list[int]
    places: int


class _Sweep(Protocol):
    """A native table whose sweep has finished."""

    layers: list[tuple[int, int]]
    planes: int
    has_distances: bool

    def won(self, plane: int) -> bytes:
        """A bit for each place."""

    def turns(self, plane: int) -> bytes:
        """A byte for each place."""


def table_options(rules: Rules) -> dict[str, str]:
    """The options that a table depends on: swapping changes no value of the turns after it."""
    return {name: text for name, text in rules.options().items() if name != "pie"}


def file_name(rules: Rules) -> str:
    """The name of a table's file, with those options that matter and differ from their default."""
    chosen = rules.chosen_options()
    options = [f"{name}={chosen[name]}" for name in table_options(rules) if name in chosen]
    return "-".join([rules.game.name, rules.geometry.name, *options]) + _SUFFIX


def check_board(rules: Rules) -> None:
    """Refuse boards that are too large, and ties that go to a colour.

    Tables hold the values of Black only: those of White are found with the colours exchanged.

    Raises:
        TableError: the board has more than 19 cells, or the rules treat the colours differently.
    """
    where = rules.geometry
    if rules.tie != "stones":
        raise TableError(f"tie={rules.tie} has no table: there the colours differ")
    if where.cells > MAX_CELLS:
        raise TableError(f"{where.name} has {where.cells} cells: tables end at {MAX_CELLS}")


def memory_of(rules: Rules) -> int:
    """The bytes that building the table takes.

    Raises:
        TableError: the board has more than 19 cells.
        KernelMissing: there is no native kernel.
    """
    check_board(rules)
    memory: int = native().Table(make_board(rules)).memory
    return memory


def build(
    rules: Rules,
    program: str,
    *,
    threads: int = 1,
    distances: bool = True,
    progress: Callable[[float], bool] = lambda _share: True,
) -> Iterator[bytes]:
    """Solve the game; the parts of the table's file, in order.

    Args:
        rules: the game, the board and the options.
        program: name and version, for the header.
        threads: for the sweep and for compressing.
        distances: whether to include them, in games that have any.
        progress: called with the share of the sweep that is done; false ends it.

    Raises:
        TableError: the board has more than 19 cells, or ``progress`` ended the sweep.
        KernelMissing: there is no native kernel.
    """
    check_board(rules)
    board = make_board(rules)
    index, table = native().TableIndex(board), native().Table(board)
    if not table.sweep(threads, progress):
        raise TableError("stopped")
    where = rules.geometry
    header = Header(
        program=program,
        game=rules.game.name,
        board=where.name,
        options=table_options(rules),
        head=tuple(index.head),
        tail=tuple(index.tail),
        symmetries=where.symmetries,
        layers=tuple(table.layers),
    )
    with ThreadPoolExecutor(threads) as pool:
        yield from encode(header, _contents(index, table, rules, distances=distances), pool.map)


def _contents(
    index: _NativeIndex, table: _Sweep, rules: Rules, *, distances: bool
) -> Iterator[Content]:
    codes = index.classes
    raw = b"".join(code.to_bytes(4, "little") for code in codes)
    yield Content(CLASSES, 32, len(codes), lambda: raw)
    planes = list(enumerate(_suffixes(rules)[: table.planes]))
    for plane, suffix in planes:
        yield Content(f"won{suffix}", 1, index.places, functools.partial(table.won, plane))
    if distances and table.has_distances:
        for plane, suffix in planes:
            yield Content(f"turns{suffix}", 8, index.places, functools.partial(table.turns, plane))


def _suffixes(rules: Rules) -> tuple[str, str]:
    """The endings of the names of both planes' sections."""
    return "", "_after_pass" if rules.has_pass else "_white"


class Table:
    """The values of all positions of one game on one board.

    Attributes:
        file: the sections that it reads.
        rules: the game, the board and the options; those that no value depends on as by default.
        has_distances: whether it holds distances, in a game whose length is not fixed.
    """

    def __init__(self, data: bytes | memoryview) -> None:
        """Open a table.

        Args:
            data: the whole file, also mapped into memory.

        Raises:
            TableError: it is no table, or one of a game or board that does not exist.
        """
        self.file = TableFile(data)
        header = self.file.header
        try:
            self.rules = make_rules(header.game, header.board, dict(header.options))
        except ValueError as error:
            raise TableError(f"a table of something else: {error}") from None
        self._index = self._make_index()
        # The stones of Odd have no owners, so that exchanging the colours changes nothing there.
        self._is_odd = header.game == "odd"
        self._suffixes = _suffixes(self.rules)
        if not self.file.has("won"):
            raise TableError("a table without values")
        self.has_distances = self.file.has("turns")

    def _make_index(self) -> _Index:
        if backend().is_native:
            index: _Index = native().TableIndex(make_board(self.rules))
            return index
        return table_index.TableIndex(self.file.header, self.file.words(CLASSES))

    def holds(self, rules: Rules) -> bool:
        """Whether the values are those of ``rules``."""
        header = self.file.header
        same = (rules.game.name, rules.geometry.name) == (header.game, header.board)
        return same and table_options(rules) == header.options

    def value(self, position: PositionLike) -> Value:
        """The value of a position for the player on turn.

        With ``pie=on`` that is the participant on turn: a swap hands the colours over.

        Raises:
            TableError: the position is one of another game, or a section is damaged.
        """
        self._check(position)
        return self._value(position)

    def turns(self, position: PositionLike) -> list[tuple[Turn, Value]]:
        """Every legal turn with its value for the player on turn, the best first.

        Raises:
            TableError: the position is one of another game, or a section is damaged.
        """
        self._check(position)
        after = best_position().set_up(
            position.rules, position.cells, position.player, position.passes, position.number
        )
        found = list(self._children(after))
        return sorted(found, key=lambda turn: turn[1].rank, reverse=True)

    def _check(self, position: PositionLike) -> None:
        if not (position.rules is self.rules or self.holds(position.rules)):
            raise TableError(f"{position.rules} is not in this table of {self.rules}")

    def _children(self, position: PositionLike) -> Iterator[tuple[Turn, Value]]:
        filling, opponent = _filling(position), position.player.opponent
        # The stones after which the game goes on by its usual rules: a look-up is enough.
        most = 0 if self._differs(position, 1) else filling.count(0) - 1
        for turn in list(position.legal_turns()):
            if 0 < len(turn.stones) <= most:
                after = bytearray(filling)
                for stone in turn.stones:
                    after[stone.cell] = stone.colour + 1
                yield turn, self._look_up(bytes(after), opponent, 0).before()
            else:
                position.play(turn)
                yield turn, self._value(position).before()
                position.undo()

    def _value(self, position: PositionLike) -> Value:
        outcome = position.outcome()
        if outcome is not None:
            return Value(outcome.winner is position.player, 0)
        if self._differs(position):
            return max((value for _, value in self.turns(position)), key=lambda value: value.rank)
        return self._look_up(_filling(position), position.player, position.passes)

    @staticmethod
    def _differs(position: PositionLike, later: int = 0) -> bool:
        """Whether this turn, or one some turns later, has rules that no section covers."""
        rules, number = position.rules, position.number + later
        if rules.pie:
            return number <= SWAP_TURN
        return rules.has_pass and number == 1

    def _look_up(self, contents: bytes, player: Colour, passes: int) -> Value:
        """The value of a filling from turn 2 on (in Product from turn 1)."""
        white = player is Colour.WHITE
        if white and not self._is_odd:
            contents = contents.translate(_EXCHANGE)
        place = self._index.place(contents)
        suffix = self._suffixes[passes or (white and self._is_odd)]
        won = self.file.bit(f"won{suffix}", place)
        if self.rules.has_pass:
            return Value(
                won, self.file.byte(f"turns{suffix}", place) if self.has_distances else None
            )
        left = contents.count(0)
        return Value(won, -(-left // 2) if self.rules.two_stones else left)


def _filling(position: PositionLike) -> bytes:
    """For each cell 0 if it is empty, 1 for a black stone, 2 for a white one."""
    return bytes(0 if colour is None else colour + 1 for colour in position.cells)
