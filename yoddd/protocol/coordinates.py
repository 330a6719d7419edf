"""The names of cells, stones and turns on the wire: ours, or those of the GoGui program.

GoGui draws hexagons in a rhombus of 2n-1 columns and rows, each row half a cell to the right of the
one above, and a hexhex board is that rhombus without two corners. A letter (never I) names the
column, a number the row, 1 at the bottom. Source: BoardPainterHex and GoPoint of GoGui 1.6.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Iterable, Sequence
from typing import Final, Self

import attrs

from yoddd.board import Geometry, Shape, geometry_of
from yoddd.notation import NotationError, format_stone, format_turn, parse_stone, parse_turn
from yoddd.protocol.errors import Code, PeerError
from yoddd.rules import Colour, Rules, Stone, Turn, TurnKind

_COLUMNS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_POINT: Final = re.compile(r"[A-Z][0-9]+", re.ASCII | re.IGNORECASE)
_CELL: Final = re.compile(r"\b[a-y][0-9]{1,2}\b", re.ASCII)


class Coordinates(enum.StrEnum):
    """The labels of cells on the wire."""

    ROWS = "rows"
    GOGUI = "gogui"


def side_of(geometry: Geometry) -> int:
    """Return how many columns and rows GoGui draws."""
    return 2 * geometry.size - 1 if geometry.shape is Shape.HEX else geometry.size


def size_from_side(shape: Shape, side: int) -> int | None:
    """Return the size of the board that GoGui draws with ``side`` columns, or None."""
    if shape is Shape.SQUARE:
        return side
    return (side + 1) // 2 if side % 2 else None


@functools.cache
def points(geometry: Geometry) -> tuple[tuple[int, int], ...]:
    """Return GoGui's column and row of each cell, both from 0."""
    if geometry.shape is Shape.SQUARE:
        return tuple((x, -r) for x, r in geometry.axial)
    last = geometry.size - 1
    return tuple((q + last, last - r) for q, r in geometry.axial)


@functools.cache
def labels(geometry: Geometry) -> tuple[str, ...]:
    """Return GoGui's label of each cell, such as ``A1``."""
    return tuple(f"{_COLUMNS[x]}{y + 1}" for x, y in points(geometry))


@functools.cache
def _labelled(geometry: Geometry) -> Geometry:
    """Return the same board with GoGui's labels."""
    index = {label.lower(): cell for cell, label in enumerate(labels(geometry))}
    return attrs.evolve(geometry, labels=labels(geometry), index=index)


@attrs.frozen
class Spelling:
    """Reads and writes cells, stones and turns as one client has chosen.

    Attributes:
        rules: the rules of its game, on a board with the labels that it uses.
        in_gogui: whether these are GoGui's; stones of a player's own colour are bare cells then.
    """

    rules: Rules
    in_gogui: bool

    @classmethod
    def of(cls, rules: Rules, coordinates: str) -> Self:
        """Return the spelling of a client that has chosen ``coordinates``."""
        if coordinates != Coordinates.GOGUI:
            return cls(rules, in_gogui=False)
        return cls(attrs.evolve(rules, geometry=_labelled(rules.geometry)), in_gogui=True)

    @property
    def labels(self) -> Sequence[str]:
        """The label of each cell."""
        return self.rules.geometry.labels

    def stone(self, stone: Stone, player: Colour) -> str:
        """Write a stone that ``player`` drops."""
        if self.in_gogui and stone.colour is player:
            return self.labels[stone.cell]
        return format_stone(stone, self.rules)

    def turn(self, turn: Turn, player: Colour) -> str:
        """Write a turn of ``player``."""
        if not turn.stones:
            return format_turn(turn, self.rules)
        return ",".join(self.stone(stone, player) for stone in turn.stones)

    def line(self, turns: Iterable[Turn], player: Colour) -> list[str]:
        """Write turns that follow each other, the first one by ``player``."""
        words: list[str] = []
        for turn in turns:
            words.append(self.turn(turn, player))
            # After a swap White is to move again.
            if turn.kind is not TurnKind.SWAP:
                player = player.opponent
        return words

    def read_turn(self, text: str, player: Colour) -> Turn:
        """Read a turn of ``player``, which may be illegal."""
        self._check_points(text)
        try:
            return parse_turn(text, self.rules, player)
        except NotationError as error:
            raise PeerError(Code.SYNTAX, f"{text!r}: {error.reason}") from None

    def read_stones(self, words: Iterable[str], player: Colour) -> tuple[Stone, ...]:
        """Read one stone a word; return them in canonical order."""
        found: list[Stone] = []
        for word in words:
            self._check_points(word)
            try:
                found.append(parse_stone(word, self.rules, player))
            except NotationError as error:
                raise PeerError(Code.SYNTAX, error.reason) from None
        return tuple(sorted(found))

    def refusal(self, reason: str) -> PeerError:
        """Return the refusal of a turn; ``reason`` has our own labels."""
        if self.in_gogui:
            board = geometry_of(self.rules.geometry.shape, self.rules.geometry.size)
            reason = _CELL.sub(lambda match: self.labels[board.cell(match[0])], reason)
        return PeerError(Code.ILLEGAL, reason)

    def _check_points(self, text: str) -> None:
        for match in _POINT.finditer(text) if self.in_gogui else ():
            if match[0].upper() not in self.labels:
                name = self.rules.geometry.name
                raise PeerError(Code.SYNTAX, f"no point {match[0]!r} on {name}")
