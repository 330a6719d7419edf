"""The values of Xodd's and Odd's positions of few stones on square5, from a file.

``docs/reference/tables.md`` specifies the file for other languages.
"""

from __future__ import annotations

import functools
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from importlib.resources import files
from itertools import accumulate, groupby
from typing import Final

from yoddd.kernel.position import NativePosition
from yoddd.kernel.sweep import TurnValue
from yoddd.rules import Colour, PositionLike, Rules, Turn, make_rules

BOARD: Final = "square5"
PATH: Final = "library/square5.table"
"""The file, in the package."""

PLANES: Final = {"xodd": (7, (Colour.WHITE,)), "odd": (6, (Colour.WHITE, Colour.BLACK))}
"""By game, in the order of the file: the most stones of a position that it holds, and the players
to move, each with a plane. Without a plane of Black's his values are White's, colours exchanged."""

_OCCUPIED: Final = bytes.maketrans(b"\0\1\2", b"011")
_BLACK: Final = bytes.maketrans(b"\0\1\2", b"010")
_EXCHANGE: Final = bytes.maketrans(b"\1\2", b"\2\1")


class Square5:
    """The values of the positions of one game, with the default options.

    Attributes:
        rules: the game, the board and the options.
        stones: the most stones of a position that is held.
    """

    def __init__(self, data: bytes, game: str) -> None:
        """Read the part of a game.

        Args:
            data: the whole file.
            game: one of `PLANES`.
        """
        raw = zlib.decompress(data)
        (count,) = struct.unpack_from("<I", raw)
        sets = accumulate(struct.unpack_from(f"<{count}i", raw, 4))
        self.rules = make_rules(game, BOARD)
        self.stones, _ = PLANES[game]
        self._images = [_images(symmetry) for symmetry in self.rules.geometry.symmetries]
        self._sets = {size: list(found) for size, found in groupby(sets, int.bit_count)}
        lengths = (len(found) << size for size, found in self._sets.items())
        # The places before those of each number of stones.
        self._first = dict(enumerate(accumulate(lengths, initial=0), 1))
        self._planes: dict[Colour, bytes] = {}
        begin = 4 + 4 * count
        for name, (stones, players) in PLANES.items():
            size = -(-self._first[stones + 1] // 8)
            for player in players:
                if name == game:
                    self._planes[player] = raw[begin : begin + size]
                begin += size

    def reaches(self, position: PositionLike) -> bool:
        """Whether all that the turns of a position lead to is held."""
        stones = len(position.cells) - position.cells.count(None)
        return position.rules == self.rules and (
            stones + 1 + position.rules.two_stones <= self.stones
        )

    def turns(self, position: PositionLike) -> list[TurnValue]:
        """Every legal turn with its value, the best first, of a position that it reaches."""
        after = NativePosition.set_up(
            position.rules, position.cells, position.player, position.passes, position.number
        )
        return sorted(self._turns(after), key=lambda value: value.rank, reverse=True)

    def _turns(self, position: PositionLike) -> Iterator[TurnValue]:
        filling = bytes(0 if colour is None else colour + 1 for colour in position.cells)
        opponent = position.player.opponent
        # Games with passes end at any time; the others have a fixed length.
        left = None if self.rules.has_pass else filling.count(0)
        for turn in list(position.legal_turns()):
            if turn.stones:
                yield TurnValue(turn, not self._wins(_after(filling, turn), opponent), left)
                continue
            position.play(turn)
            outcome = position.outcome()
            if outcome is not None:
                yield TurnValue(turn, outcome.winner is not opponent, 1)
            else:
                best = max(self._turns(position), key=lambda value: value.rank)
                yield TurnValue(turn, not best.wins, best.distance and best.distance + 1)
            position.undo()

    def _wins(self, filling: bytes, player: Colour) -> bool:
        """Whether the player to move wins, with no pass pending and some stones on the board."""
        plane = self._planes.get(player)
        if plane is None:
            plane, filling = self._planes[Colour.WHITE], filling.translate(_EXCHANGE)
        place = self._place(filling)
        return bool(plane[place >> 3] >> (place & 7) & 1)

    def _place(self, filling: bytes) -> int:
        """The place of a position, that of all of its images."""
        occupied = int(filling.translate(_OCCUPIED), 2)  # the first cell is the highest bit
        sets = [_image(images, occupied) for images in self._images]
        least = min(sets)
        blacks = _image(self._images[sets.index(least)], int(filling.translate(_BLACK), 2))
        size = least.bit_count()
        rank = bisect_left(self._sets[size], least)
        return self._first[size] + (rank << size) + _index(least, blacks)


def _after(filling: bytes, turn: Turn) -> bytes:
    after = bytearray(filling)
    for stone in turn.stones:
        after[stone.cell] = stone.colour + 1
    return bytes(after)


def _images(symmetry: tuple[int, ...]) -> list[list[int]]:
    """The images of sets, byte by byte, the lowest first."""
    bits = [1 << (len(symmetry) - 1 - image) for image in reversed(symmetry)]
    found = []
    for begin in range(0, len(bits), 8):
        images = [0]
        for bit in bits[begin : begin + 8]:
            images += [image | bit for image in images]
        found.append(images)
    return found


def _image(images: list[list[int]], cells: int) -> int:
    return sum(part[cells >> 8 * at & 255] for at, part in enumerate(images))


def _index(occupied: int, blacks: int) -> int:
    """The number whose bit j says whether the j-th cell, from the highest bit on, is black."""
    index = at = 0
    while occupied:
        bit = 1 << (occupied.bit_length() - 1)
        index |= bool(blacks & bit) << at
        at += 1
        occupied ^= bit
    return index


def square5(rules: Rules) -> Square5 | None:
    """The values of a game; None if the file has none of these rules."""
    if rules.geometry.name != BOARD or rules.game.name not in PLANES:
        return None
    found = _read(rules.game.name)
    return found if found.rules == rules else None


@functools.cache
def _read(game: str) -> Square5:
    return Square5(files("yoddd").joinpath(PATH).read_bytes(), game)
