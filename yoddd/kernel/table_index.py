"""The places of positions in a table, from its header and the section of sets alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from yoddd.kernel.table_file import Header

_OCCUPIED: Final = bytes.maketrans(b"\0\1\2", b"011")
_BLACK: Final = bytes.maketrans(b"\0\1\2", b"010")


class TableIndex:
    """The places of positions, those of all images of a position the same."""

    def __init__(self, header: Header, sets: Sequence[int]) -> None:
        """Prepare the images.

        Args:
            header: of the table.
            sets: the occupied cells of the positions held, by their number and then ascending; the
                first cell is the highest bit.
        """
        self._cells = len(header.symmetries[0])
        self._images = [_images(symmetry) for symmetry in header.symmetries]
        self._sets: dict[int, list[int]] = {
            size: list(found) for size, found in groupby(sets, int.bit_count)
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
        occupied = int(contents.translate(_OCCUPIED), 2)
        a, b, c, d = occupied & 255, occupied >> 8 & 255, occupied >> 16 & 255, occupied >> 24
        sets = [w[a] | x[b] | y[c] | z[d] for w, x, y, z in self._images]
        least = min(sets)
        w, x, y, z = self._images[sets.index(least)]
        black = int(contents.translate(_BLACK), 2)
        blacks = w[black & 255] | x[black >> 8 & 255] | y[black >> 16 & 255] | z[black >> 24]
        size = least.bit_count()
        rank = bisect_left(self._sets[size], least)
        return self._first[size] + (rank << size) + _index(least, blacks)

    def contents(self, place: int) -> bytes:
        """The position at a place."""
        size = max(size for size, first in self._first.items() if first <= place)
        rank, index = divmod(place - self._first[size], 1 << size)
        found = self._sets[size][rank]
        contents = bytearray(self._cells)
        for bit in reversed(range(len(contents))):
            if found >> bit & 1:
                contents[len(contents) - 1 - bit] = 1 if index & 1 else 2
                index >>= 1
        return bytes(contents)


def _images(symmetry: Sequence[int]) -> list[list[int]]:
    """The images of sets, byte by byte, the lowest first."""
    bits = [1 << (len(symmetry) - 1 - image) for image in reversed(symmetry)]
    found = []
    for begin in range(0, 32, 8):
        images = [0]
        for bit in bits[begin : begin + 8]:
            images += [image | bit for image in images]
        found.append(images)
    return found


def _index(occupied: int, blacks: int) -> int:
    """The number whose bit j says whether the j-th cell, from the highest bit on, is black."""
    index = at = 0
    while occupied:
        bit = 1 << (occupied.bit_length() - 1)
        index |= bool(blacks & bit) << at
        at += 1
        occupied ^= bit
    return index
