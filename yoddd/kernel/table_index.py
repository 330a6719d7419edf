"""The places of positions in a table, from its header and the section of sets alone."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from operator import mul

from yoddd.kernel.table_file import Header


class TableIndex:
    """Computes places in plain Python; the native index is faster and gives the same ones."""

    def __init__(self, header: Header, sets: Sequence[int]) -> None:
        """Prepare the images.

        Args:
            header: of the table.
            sets: the occupied cells of the positions held, by their number and then ascending; the
                first cell is the highest bit.
        """
        # By symmetry and cell, the bit of its image in a set.
        self._images = [
            [1 << (len(symmetry) - 1 - image) for image in symmetry]
            for symmetry in header.symmetries
        ]
        self._sets: dict[int, list[int]] = {
            size: list(found) for size, found in itertools.groupby(sets, int.bit_count)
        }
        self._first: dict[int, int] = {}
        first = 0
        for size, found in self._sets.items():
            self._first[size] = first
            first += len(found) << size

    def place(self, contents: bytes) -> int:
        """The place of a position.

        Args:
            contents: for each cell 0 if it is empty, 1 for black, 2 for white.
        """
        occupied = [content > 0 for content in contents]
        black = [content == 1 for content in contents]
        sets: list[int] = [sum(map(mul, occupied, image)) for image in self._images]
        least = min(sets)
        blacks: int = sum(map(mul, black, self._images[sets.index(least)]))
        size = least.bit_count()
        rank = bisect_left(self._sets[size], least)
        return self._first[size] + (rank << size) + _index(least, blacks)

    def contents(self, place: int) -> bytes:
        """The position at a place."""
        size = max(size for size, first in self._first.items() if first <= place)
        rank, index = divmod(place - self._first[size], 1 << size)
        found = self._sets[size][rank]
        contents = bytearray(len(self._images[0]))
        for bit in reversed(range(len(contents))):
            if found >> bit & 1:
                contents[len(contents) - 1 - bit] = 1 if index & 1 else 2
                index >>= 1
        return bytes(contents)


def _index(occupied: int, blacks: int) -> int:
    """The number whose bit j says whether the j-th cell, from the highest bit on, is black."""
    index = at = 0
    while occupied:
        bit = 1 << (occupied.bit_length() - 1)
        index |= bool(blacks & bit) << at
        at += 1
        occupied ^= bit
    return index
