"""Checks of a table against the rules: random games, and exhaustive search of tiny boards."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

import attrs

from yoddd.kernel.table import Table, Value
from yoddd.rules import Colour, IllegalPosition, Position, PositionLike

_LATER = 5
"""A turn without rules of its own, and behind two passes."""


class TableWrong(ValueError):
    """A value of the table that the rules contradict."""

    def __init__(self, position: PositionLike, stored: Value, expected: Value) -> None:
        """Keep the position and both values."""
        super().__init__(f"{stored} instead of {expected}")
        self.position = position
        self.stored = stored
        self.expected = expected


def check_lines(table: Table, lines: int, seed: int) -> int:
    """Play random games by the reference and compare each position with the turns that it has.

    A table without a mistake on all positions would be proven by this comparison: the last ones
    rest on the rules alone.

    Args:
        table: to check.
        lines: how many games.
        seed: of the games.

    Returns:
        How many positions were compared.

    Raises:
        TableWrong: a position's value is not that of its best turn.
    """
    rng = random.Random(seed)
    compared = 0
    for _ in range(lines):
        position: PositionLike = Position(table.rules)
        while not position.is_over:
            if not table.reaches(position):
                break
            turns = list(position.legal_turns())
            _compare(table, position, _best(position, table.value))
            compared += 1
            position.play(rng.choice(turns))
    return compared


def check_exhaustively(table: Table, on: type[PositionLike] = Position) -> int:
    """Search every position to its end and compare the values.

    Args:
        table: of a board of 9 cells or less, else this takes hours.
        on: the implementation of the rules.

    Returns:
        How many positions were compared.

    Raises:
        TableWrong: a value differs.
    """
    search = _Search()
    compared = 0
    for position in _all_positions(table, on):
        _compare(table, position, search.value(position))
        compared += 1
    return compared


def _compare(table: Table, position: PositionLike, expected: Value) -> None:
    stored = table.value(position)
    if stored.turns is None:
        expected = attrs.evolve(expected, turns=None)
    if stored != expected:
        raise TableWrong(position, stored, expected)


def _best(position: PositionLike, value_of: Callable[[PositionLike], Value]) -> Value:
    """The value of the best legal turn, by the values of the positions after them."""
    values = []
    for turn in list(position.legal_turns()):
        position.play(turn)
        values.append(_ending(position) or value_of(position))
        position.undo()
    return max((value.before() for value in values), key=lambda value: value.rank)


def _ending(position: PositionLike) -> Value | None:
    outcome = position.outcome()
    return None if outcome is None else Value(outcome.winner is position.player, 0)


class _Search:
    """Minimax over whole games that remembers every position."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Value] = {}

    def value(self, position: PositionLike) -> Value:
        key = (position.cells, position.player, position.passes, min(position.number, _LATER))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _ending(position) or _best(position, self.value)
        return found


def _all_positions(table: Table, on: type[PositionLike]) -> Iterator[PositionLike]:
    """Every position that may be set up on the first turns and on a later one."""
    contents = (None, *Colour)
    for cells in itertools.product(contents, repeat=table.rules.geometry.cells):
        for player, passes, number in itertools.product(Colour, (0, 1), (1, 2, _LATER)):
            try:
                position = on.set_up(table.rules, cells, player, passes, number)
            except IllegalPosition:
                continue
            if not position.is_over:
                yield position
