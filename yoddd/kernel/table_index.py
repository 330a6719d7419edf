"""The places of fillings in a table, from its header alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import mul

from yoddd.kernel.table_file import Header

Weights = tuple[int, ...]
"""By cell: what a content of 1 there adds to a code."""


class TableIndex:
    """Computes places in plain Python; the native index is faster and gives the same ones."""

    def __init__(self, header: Header, classes: Sequence[int]) -> None:
        """Prepare the images.

        Args:
            header: of the table.
            classes: the least head code of each class, ascending.
        """
        cells = len(header.head) + len(header.tail)
        self._classes = classes
        self._tails: int = 3 ** len(header.tail)
        self._images = [
            (_weights(header.head, symmetry, cells), _weights(header.tail, symmetry, cells))
            for symmetry in header.symmetries
        ]

    def place(self, contents: bytes) -> int:
        """The place of a filling.

        Args:
            contents: for each cell 0 if it is empty, 1 for black, 2 for white.
        """
        codes: list[int] = [sum(map(mul, contents, head)) for head, _ in self._images]
        least = min(codes)
        _, tail = self._images[codes.index(least)]
        code: int = sum(map(mul, contents, tail))
        return bisect_left(self._classes, least) * self._tails + code


def _weights(part: tuple[int, ...], symmetry: tuple[int, ...], cells: int) -> Weights:
    weights = [0] * cells
    power = {cell: 3**i for i, cell in enumerate(part)}
    for cell, image in enumerate(symmetry):
        weights[cell] = power.get(image, 0)
    return tuple(weights)
