"""Tables of small boards: the sweep that makes them, and the values of positions."""

from __future__ import annotations

import functools
from collections.abc import Callable, ItemsView, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import best_position, make_board
from yoddd.kernel.table_file import SETS, Content, Header, TableError, TableFile, encode
from yoddd.kernel.table_index import TableIndex
from yoddd.rules import Colour, PositionLike, Rules, Turn, make_rules
from yoddd.rules.shared import SWAP_TURN

MAX_CELLS: Final = 25
"""Boards of more cells have no table."""

COMPLETE_CELLS: Final = 19
"""Tables of boards of so many cells hold all positions, and distances."""

HELD_STONES: Final = 8
"""The most stones of a position in tables of larger boards. Behind them a sweep solves the rest."""

if TYPE_CHECKING:
    from yoddd.kernel import _native

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


def table_options(rules: Rules) -> dict[str, str]:
    """The options that a table depends on.

    Swapping changes no value of the turns after it, and all groups that are too large for the board
    are alike.
    """
    options = {name: text for name, text in rules.options().items() if name != "pie"}
    if "min_group" in options:
        options["min_group"] = str(min(rules.min_group, rules.geometry.cells + 1))
    return options


def file_name(rules: Rules) -> str:
    """The name of a table's file, with those options that matter and differ from their default."""
    usual = _default_options(rules.game.name, rules.geometry.name)
    options = [f"{name}={text}" for name, text in sorted(table_options(rules).items() - usual)]
    return "-".join([rules.game.name, rules.geometry.name, *options]) + _SUFFIX


@functools.cache
def _default_options(game: str, board: str) -> ItemsView[str, str]:
    return table_options(make_rules(game, board)).items()


def check_board(rules: Rules) -> None:
    """Refuse boards that are too large, and ties that go to a colour.

    Tables hold the values of Black only: those of White are found with the colours exchanged.

    Raises:
        TableError: the board has more than 25 cells, or the rules treat the colours differently.
    """
    where = rules.geometry
    if rules.tie != "stones":
        raise TableError(f"tie={rules.tie} has no table: there the colours differ")
    if where.cells > MAX_CELLS:
        raise TableError(f"{where.name} has {where.cells} cells: tables end at {MAX_CELLS}")


def stones_held(rules: Rules, most: int = HELD_STONES) -> int:
    """The most stones of the positions that a table holds.

    Args:
        rules: the game, the board and the options.
        most: limits those of boards of more than 19 cells.
    """
    cells = rules.geometry.cells
    return cells if cells <= COMPLETE_CELLS else min(most, HELD_STONES)


def memory_of(rules: Rules, threads: int = 1, stones: int = HELD_STONES) -> int:
    """The bytes that building the table takes; for the arguments see `build`.

    Raises:
        TableError: the board has more than 25 cells.
        KernelMissing: there is no native kernel.
    """
    check_board(rules)
    memory: int = _make_sweep(rules, threads, stones, distances=True).memory
    return memory


def _make_sweep(rules: Rules, threads: int, stones: int, *, distances: bool) -> _native.Table:
    """A native table that has not been swept; only complete ones have distances."""
    distances = distances and rules.has_pass and rules.geometry.cells <= COMPLETE_CELLS
    board, held = make_board(rules), stones_held(rules, stones)
    table: _native.Table = native().Table(board, held, distances, threads)
    return table


def build(
    rules: Rules,
    program: str,
    *,
    threads: int = 1,
    distances: bool = True,
    stones: int = HELD_STONES,
    progress: Callable[[float], bool] = lambda _share: True,
) -> Iterator[bytes]:
    """Solve the game; the parts of the table's file, in order.

    Args:
        rules: the game, the board and the options.
        program: name and version, for the header.
        threads: for the sweep and for compressing.
        distances: whether to include them, in games that have any, on boards of at most 19 cells.
        stones: the most stones of a position that is held, at most 8, on boards of more cells.
        progress: called with the share of the sweep that is done; false ends it.

    Raises:
        TableError: the board has more than 25 cells, or ``progress`` ended the sweep.
        KernelMissing: there is no native kernel.
    """
    check_board(rules)
    table = _make_sweep(rules, threads, stones, distances=distances)
    if not (table.sweep(lambda: not progress(table.done)) and progress(1)):
        raise TableError("stopped")
    where = rules.geometry
    header = Header(
        program=program,
        game=rules.game.name,
        board=where.name,
        options=table_options(rules),
        stones=stones_held(rules, stones),
        symmetries=where.symmetries,
        layers=tuple(table.layers),
    )
    distances = distances and rules.has_pass and where.cells <= COMPLETE_CELLS
    with ThreadPoolExecutor(threads) as pool:
        yield from encode(header, _contents(table, distances=distances), pool.map)


def _contents(table: _native.Table, *, distances: bool) -> Iterator[Content]:
    sets = table.sets
    places = sum(1 << code.bit_count() for code in sets)
    raw = b"".join(code.to_bytes(4, "little") for code in sets)
    yield Content(SETS, 32, len(sets), lambda: raw)
    for plane, suffix in enumerate(_SUFFIXES[: table.planes]):
        yield Content(f"won{suffix}", 1, places, functools.partial(table.won, plane))
    if distances:
        yield Content("turns", 8, places, lambda: table.turns(0))


_SUFFIXES: Final = ("", "_black")
"""The endings of the sections' names, with White on turn and, in Odd, with Black."""


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
        self._index = TableIndex(header, self.file.words(SETS))
        # The stones of Odd have no owners, so that exchanging the colours changes nothing there.
        self._is_odd = header.game == "odd"
        if not self.file.has("won"):
            raise TableError("a table without values")
        self.has_distances = self.file.has("turns")

    def holds(self, rules: Rules) -> bool:
        """Whether the values are those of ``rules``."""
        header = self.file.header
        same = (rules.game.name, rules.geometry.name) == (header.game, header.board)
        return same and table_options(rules) == header.options

    def reaches(self, position: PositionLike) -> bool:
        """Whether a position and all that its turns lead to are held."""
        cells, most = position.rules.geometry.cells, self.file.header.stones
        stones = cells - position.cells.count(None)
        return most == cells or stones + 1 + position.rules.two_stones <= most

    def value(self, position: PositionLike) -> Value:
        """The value of a position for the player to move.

        With ``pie=on`` that is the participant to move: a swap hands the colours over.

        Raises:
            TableError: the position is one of another game or has too many stones, or a section is
            damaged.
        """
        self._check(position)
        return self._value(position)

    def turns(self, position: PositionLike) -> list[tuple[Turn, Value]]:
        """Every legal turn with its value for the player to move, the best first.

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
                yield turn, self._look_up(bytes(after), opponent).before()
            else:
                position.play(turn)
                yield turn, self._value(position).before()
                position.undo()

    def _value(self, position: PositionLike) -> Value:
        outcome = position.outcome()
        if outcome is not None:
            return Value(outcome.winner is position.player, 0)
        filling = _filling(position)
        if self._differs(position) or position.passes or not any(filling):
            return max((value for _, value in self.turns(position)), key=lambda value: value.rank)
        return self._look_up(filling, position.player)

    @staticmethod
    def _differs(position: PositionLike, later: int = 0) -> bool:
        """Whether this turn, or one some turns later, has rules that no section covers."""
        rules, number = position.rules, position.number + later
        return number <= SWAP_TURN if rules.pie else rules.two_stones and number == 1

    def _look_up(self, contents: bytes, player: Colour) -> Value:
        """The value of a filling from turn 2 on, with no pass pending."""
        if player is Colour.BLACK and not self._is_odd:
            contents = contents.translate(_EXCHANGE)
        most = self.file.header.stones
        stones = len(contents) - contents.count(0)
        if stones > most:
            raise TableError(f"{stones} stones: this table of {self.rules} ends at {most}")
        suffix = _SUFFIXES[self._is_odd and player is Colour.BLACK]
        place = self._index.place(contents)
        won = self.file.bit(f"won{suffix}", place)
        if self.rules.has_pass:
            return Value(won, self.file.byte("turns", place) if self.has_distances else None)
        left = contents.count(0)
        return Value(won, -(-left // 2) if self.rules.two_stones else left)


def _filling(position: PositionLike) -> bytes:
    """For each cell 0 if it is empty, 1 for a black stone, 2 for a white one."""
    return bytes(0 if colour is None else colour + 1 for colour in position.cells)
