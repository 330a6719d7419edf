"""The longest forced win of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yoddd.kernel.table import Table
from yoddd.kernel.table_file import BLOCK, SETS
from yoddd.kernel.table_index import TableIndex
from yoddd.rules import Colour, Position

_SPREAD: Final = [bytes(255 * (byte >> bit & 1) for bit in range(8)) for byte in range(256)]
"""For each byte of bits a byte of 255 for each bit that is set, the least significant first."""


def longest_win(table: Table) -> tuple[int, Position] | None:
    """The greatest distance of a won position, with no pass pending, and one such position.

    Black is on turn in it. None where the length of a game is fixed, or the table has no
    distances.

    Raises:
        TableError: a section is damaged.
    """
    if not table.has_distances:
        return None
    longest, first = 0, 0
    for at, distances in _won(table):
        best = max(distances)
        if best > longest:
            longest, first = best, at + distances.index(best)
    # Values of fillings that cannot stand repeat those before them: the first place is a position.
    return longest, _position(table, first)


def _won(table: Table) -> Iterator[tuple[int, bytes]]:
    """The place of each block, and its distances, 0 for lost positions."""
    bits = b""
    share = BLOCK // 8
    won = table.file.blocks("won")
    for number, turns in enumerate(table.file.blocks("turns")):
        offset = number % 8 * share
        if offset == 0:
            bits = next(won)
        mask = b"".join(_SPREAD[byte] for byte in bits[offset : offset + share])[: len(turns)]
        both = int.from_bytes(turns) & int.from_bytes(mask)
        yield number * BLOCK, both.to_bytes(len(turns))


def _position(table: Table, place: int) -> Position:
    """The position at a place, with colours exchanged: values are those of White on turn."""
    contents = TableIndex(table.file.header, table.file.words(SETS)).contents(place)
    cells = tuple(None if content == 0 else Colour(2 - content) for content in contents)
    return Position.set_up(table.rules, cells, Colour.BLACK, 0, 2)
