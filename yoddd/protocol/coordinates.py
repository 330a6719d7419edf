"""The names of cells, stones and turns on the wire: ours, or those of the GoGui program.

GoGui draws hexagons in a rhombus of 2n-1 columns and rows, each row half a cell to the right of the
one above, and a hexhex board is that rhombus without two corners. A letter (never I) names the
column, a number the row, 1 at the bottom. Source: BoardPainterHex and GoPoint of GoGui 1.6.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Self, TypeVar

import attrs

from yoddd.board import Geometry, Shape, geometry_of
from yoddd.kernel.position import moves_of
from yoddd.notation import NotationError, format_stone, format_turn, parse_stone, parse_turn
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.rules import PASS, SWAP, Colour, Rules, Stone, Turn, TurnKind

_COLUMNS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_POINT: Final = re.compile(r"[A-Z][0-9]+", re.ASCII | re.IGNORECASE)
_Value = TypeVar("_Value")
_WITHOUT_STONES: Final = {"pass": PASS, "swap": SWAP}
_SMALLEST_SIDE: Final = 5
"""The fewest columns of a hexhex board with three points in a cut corner."""

_CELL: Final = re.compile(r"\b[a-y][0-9]{1,2}\b", re.ASCII)


class Coordinates(enum.StrEnum):
    """The labels of cells on the wire."""

    ROWS = "rows"
    GOGUI = "gogui"


@functools.cache
def grid(side: int) -> tuple[tuple[str, ...], ...]:
    """Return GoGui's labels on a board of ``side`` columns and rows, from the top row down."""
    columns = _COLUMNS[:side]
    return tuple(tuple(f"{x}{y}" for x in columns) for y in range(side, 0, -1))


def side_of(geometry: Geometry) -> int:
    """Return how many columns and rows of GoGui's the cells take up."""
    return 2 * geometry.size - 1 if geometry.shape is Shape.HEX else geometry.size


class Turns(enum.StrEnum):
    """The ways to enter turns of two stones."""

    WHOLE = "whole"
    SINGLE = "single"


class Control(enum.Enum):
    """A point beside the board that says what a point on it cannot: a colour, or the turn's end."""

    BLACK = Colour.BLACK
    WHITE = Colour.WHITE
    END = None

    @property
    def colour(self) -> Colour | None:
        """The colour of the next stones; None for the end of the turn."""
        return None if self.value is None else Colour(self.value)


Step = Stone | Control
"""What a client enters at a time, where turns are entered by single stones."""


@functools.cache
def _points(geometry: Geometry) -> tuple[tuple[int, int], ...]:
    """Return GoGui's column and row of each cell, both from 0."""
    if geometry.shape is Shape.SQUARE:
        return tuple((x, -r) for x, r in geometry.axial)
    last = geometry.size - 1
    return tuple((q + last, last - r) for q, r in geometry.axial)


@functools.cache
def labels(geometry: Geometry) -> tuple[str, ...]:
    """Return GoGui's label of each cell, such as ``A1``."""
    return tuple(_point(x, y) for x, y in _points(geometry))


@functools.cache
def _controls(rules: Rules) -> dict[str, Control]:
    """Return the controls that a game needs and its board has room for, by GoGui's label.

    On a square board they are in the row above. On a hexhex one they are in both cut corners,
    because GoGui draws the outline of a cell where column and row are exchanged.
    """
    side = side_of(rules.geometry)
    if rules.geometry.shape is Shape.HEX:
        places = ((0, side - 1), (1, side - 1), (0, side - 2)) if side >= _SMALLEST_SIDE else ()
        both = [(place, place[::-1]) for place in places]
    else:
        both = [((column, side),) * 2 for column in range(3)] if side < len(_COLUMNS) else []
    wanted = () if rules.only_own else (Control.BLACK, Control.WHITE)
    if rules.two_stones and 1 in rules.stones_of_turn(2):
        wanted = (*wanted, Control.END)
    found = zip(Control, both, strict=False)  # there may be no room
    return {_point(*at): one for one, places in found if one in wanted for at in places}


def _point(x: int, y: int) -> str:
    return f"{_COLUMNS[x]}{y + 1}"


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
        single: whether turns are entered by single stones.
        controls: the points that are controls, by label.
    """

    rules: Rules
    in_gogui: bool
    single: bool = False
    controls: Mapping[str, Control] = attrs.Factory(dict)

    @classmethod
    def of(cls, rules: Rules, coordinates: str, turns: str) -> Self:
        """Return the spelling of a client that has chosen ``coordinates`` and ``turns``."""
        single = turns == Turns.SINGLE
        if coordinates != Coordinates.GOGUI:
            return cls(rules, in_gogui=False, single=single)
        labelled = attrs.evolve(rules, geometry=_labelled(rules.geometry))
        return cls(labelled, True, single, _controls(rules) if single else {})

    @property
    def labels(self) -> Sequence[str]:
        """The label of each cell."""
        return self.rules.geometry.labels

    @property
    def side(self) -> int:
        """The number of columns, and of rows, that GoGui draws."""
        board = self.rules.geometry
        return side_of(board) + (board.shape is Shape.SQUARE and bool(self.controls))

    def drawn(self, values: Sequence[_Value], beside: _Value) -> Sequence[_Value]:
        """Return one value for each point that the client draws, row by row from the top.

        Args:
            values: one for each cell in canonical order, which is that of our own labels.
            beside: for the points that are no cells.
        """
        if not self.in_gogui:
            return values
        at = dict(zip(self.labels, values, strict=True))
        return [at.get(label, beside) for row in grid(self.side) for label in row]

    def rules_for_side(self, side: int) -> Rules | None:
        """Return the same game on the board for a ``boardsize``; None if GoGui cannot draw it.

        Raises:
            BoardError: there is no such board.
        """
        shape = self.rules.geometry.shape
        if not self.in_gogui:
            return attrs.evolve(self.rules, geometry=geometry_of(shape, side))
        if shape is Shape.HEX and side % 2 == 0:
            return None
        size = (side + 1) // 2 if shape is Shape.HEX else side - 1 if self.controls else side
        return attrs.evolve(self.rules, geometry=geometry_of(shape, size))

    def step(self, step: Step, player: Colour) -> str:
        """Write what ``player`` enters at a time."""
        if isinstance(step, Control):
            return next((name for name, one in self.controls.items() if one is step), "pass")
        if any(control.colour is not None for control in self.controls.values()):
            return self.labels[step.cell]
        return self.stone(step, player)

    def steps(self, stones: Iterable[Stone], player: Colour, colour: Colour) -> tuple[Step, ...]:
        """Return how ``player`` enters stones, those of the own colour first.

        ``colour`` is that of the next stone unless a control changes it.
        """
        found: list[Step] = []
        choices = {one.colour: one for one in self.controls.values() if one is not Control.END}
        for stone in sorted(stones, key=lambda stone: stone.colour is not player):
            if stone.colour is not colour and choices:
                colour = stone.colour
                found.append(choices[colour])
            found.append(stone)
        return tuple(found)

    def stone(self, stone: Stone, player: Colour) -> str:
        """Write a stone that ``player`` places."""
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

    def read_half_turns(self, words: Iterable[str], player: Colour) -> frozenset[int]:
        """Read stones, ``pass`` and ``swap``; return them as the kernel numbers half turns."""
        found = set[int]()
        for word in words:
            turn = _WITHOUT_STONES.get(word.lower())
            stones = Turn.drop(*self.read_stones((word,), player)) if turn is None else turn
            found.update(moves_of(self.rules, stones))
        return frozenset(found)

    def refusal(self, reason: str, code: Code | Subcode = Code.ILLEGAL) -> PeerError:
        """Return the refusal of a turn; ``reason`` has our own labels."""
        if self.in_gogui:
            board = geometry_of(self.rules.geometry.shape, self.rules.geometry.size)
            reason = _CELL.sub(lambda match: self.labels[board.cell(match[0])], reason)
        return PeerError(code, reason)

    def _check_points(self, text: str) -> None:
        for match in _POINT.finditer(text) if self.in_gogui else ():
            if match[0].upper() not in self.labels:
                name = self.rules.geometry.name
                raise PeerError(Code.SYNTAX, f"no point {match[0]!r} on {name}")
