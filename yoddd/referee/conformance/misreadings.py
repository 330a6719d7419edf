"""Misreadings of the rules: which one explains the turns that an engine takes for legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import combinations
from typing import Final

import attrs

from yoddd.board import Geometry, Shape
from yoddd.rules import PASS, SWAP, Colour, PositionLike, Stone, Turn, TurnKind, parity_text
from yoddd.rules.groups import find_groups

_PAIR: Final = 2
_SIDES: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_FALLING: Final = ((1, 1), (-1, -1))
_RISING: Final = ((1, -1), (-1, 1))


class Case:
    """One turn in one position, as the rules and their misreadings judge it.

    Attributes:
        position: the position.
        turn: a turn of any kind, with any stones.
    """

    def __init__(self, position: PositionLike, turn: Turn) -> None:
        """Judge nothing yet."""
        self.position = position
        self.turn = turn

    @cached_property
    def problem(self) -> str | None:
        """Why the rules forbid the turn; None if they allow it."""
        return self.position.illegality(self.turn)

    @property
    def is_legal(self) -> bool:
        """Whether the rules allow it."""
        return self.problem is None

    @property
    def is_first(self) -> bool:
        """Whether it is the first turn of the game."""
        return self.position.number == 1

    @property
    def is_pass(self) -> bool:
        """Whether it is a pass."""
        return self.turn.kind is TurnKind.PASS

    @property
    def stones(self) -> tuple[Stone, ...]:
        """The stones that it drops."""
        return self.turn.stones

    @property
    def is_pair(self) -> bool:
        """Whether it drops two stones."""
        return len(self.stones) == _PAIR

    @cached_property
    def fits(self) -> bool:
        """Whether it is a drop that nothing but the parity may forbid."""
        drops = self.turn.kind is TurnKind.DROP
        return drops and (self.is_legal or self.problem == parity_text(self.total(self.stones)))

    @cached_property
    def fits_later(self) -> bool:
        """Whether it drops one or two stones on empty cells, as many as any later turn may."""
        cells = [stone.cell for stone in self.stones]
        empty = all(self.position.cells[cell] is None for cell in cells)
        return empty and len(set(cells)) == len(cells) in (1, _PAIR)

    def total(self, stones: tuple[Stone, ...] = (), geometry: Geometry | None = None) -> int:
        """The number of groups with ``stones`` added, under other neighbours if given."""
        cells = list(self.position.cells)
        for stone in stones:
            cells[stone.cell] = stone.colour
        return len(find_groups(geometry or self.position.rules.geometry, cells))

    def is_odd(self, stones: tuple[Stone, ...] = (), geometry: Geometry | None = None) -> bool:
        """Whether that number is odd."""
        return self.total(stones, geometry) % 2 == 1


@attrs.frozen
class Misreading:
    """A wrong reading of one rule.

    Attributes:
        rule: the short name of the rule.
        text: how an engine with this reading differs, as a phrase.
        allows: whether it allows a turn; None if that depends on which stone comes first.
    """

    rule: str
    text: str
    allows: Callable[[Case], bool | None]


def _other_neighbours(
    geometry: Geometry, steps: tuple[tuple[int, int], ...], *, more: bool
) -> Geometry:
    """The board with neighbours at ``steps`` only, or also at them."""
    number = {point: cell for cell, point in enumerate(geometry.axial)}
    found = [
        {number[q + a, r + b] for a, b in steps if (q + a, r + b) in number}
        for q, r in geometry.axial
    ]
    kept = geometry.neighbours if more else [()] * geometry.cells
    joined = zip(found, kept, strict=True)
    return attrs.evolve(
        geometry, neighbours=tuple(tuple(sorted({*new, *old})) for new, old in joined)
    )


def _by_neighbours(
    shape: Shape, steps: tuple[tuple[int, int], ...], *, more: bool
) -> Callable[[Case], bool]:
    """Drops and passes are judged by groups under other neighbours."""

    def allows(case: Case) -> bool:
        rules = case.position.rules
        if rules.geometry.shape is not shape or not rules.game.odd_total or case.position.is_over:
            return case.is_legal
        other = _other_neighbours(rules.geometry, steps, more=more)
        return (case.fits or case.is_pass) and case.is_odd(case.stones, other)

    return allows


def _for_drops(judge: Callable[[Case], bool]) -> Callable[[Case], bool]:
    """Drops that the parity alone may forbid are judged otherwise, in games that have parity."""
    return lambda case: (
        judge(case) if case.fits and case.position.rules.game.odd_total else case.is_legal
    )


def _for_passes(judge: Callable[[Case], bool]) -> Callable[[Case], bool]:
    """Passes before the end of the game are judged otherwise."""
    return lambda case: judge(case) if case.is_pass and not case.position.is_over else case.is_legal


def _unlooked(case: Case) -> bool:
    if not case.position.rules.has_pass:
        return case.is_legal
    return case.fits or (case.is_pass and not case.position.is_over and not case.is_first)


def _is_even(case: Case) -> bool:
    if not case.position.rules.has_pass:
        return case.is_legal
    judged = (case.fits or case.is_pass) and not case.position.is_over
    return judged and not case.is_odd(case.stones)


def _odd_of_mover(case: Case) -> bool:
    cells = list(case.position.cells)
    for stone in case.stones:
        cells[stone.cell] = stone.colour
    groups = find_groups(case.position.rules.geometry, cells)
    return sum(group.colour is case.position.player for group in groups) % 2 == 1


def _odd_after_first(case: Case) -> bool | None:
    if not case.is_pair or not case.is_legal:
        return case.is_legal
    odd = {case.is_odd((stone,)) for stone in case.stones}
    return odd.pop() if len(odd) == 1 else None


def _summed_apart(case: Case) -> bool:
    before = case.total()
    return (before + sum(case.total((stone,)) - before for stone in case.stones)) % 2 == 1


def _same_colour(case: Case) -> bool:
    return case.is_legal and len({stone.colour for stone in case.stones}) <= 1


def _other_colour(case: Case) -> bool:
    return case.is_legal and len({stone.colour for stone in case.stones}) == len(case.stones)


def _not_own_last(case: Case) -> bool:
    return case.is_legal and case.position.passes == 0


def _only_when_stuck(case: Case) -> bool:
    return case.is_legal and not case.position.legal_stones()


def _pair_at_first(case: Case) -> bool:
    if not case.is_first or not case.position.rules.two_stones or not case.is_pair:
        return case.is_legal
    parity = case.position.rules.game.odd_total
    return case.fits_later and (not parity or case.is_odd(case.stones))


def _pass_at_first(case: Case) -> bool:
    return case.is_legal or (case.is_first and case.is_pass)


def _single_again(case: Case) -> bool:
    late = case.position.number == len(case.position.rules.stones_of_turn(1)) + 1
    return case.is_legal and not (late and case.is_pair)


def _swap_later(case: Case) -> bool:
    return case.is_legal or (case.turn == SWAP and case.position.number > 1)


def _beyond_the_end(case: Case) -> bool:
    position = case.position
    if not position.is_over or not position.rules.has_pass:
        return case.is_legal
    if case.is_pass:
        return case.is_odd()
    return case.fits_later and case.is_odd(case.stones)


MISREADINGS: Final = (
    Misreading("end", "the game goes on after its end", _beyond_the_end),
    Misreading(
        "end",
        "the first pass ends the game",
        lambda case: case.is_legal and case.position.passes == 0,
    ),
    Misreading(
        "end",
        "a full board ends the game",
        lambda case: case.is_legal and not case.position.is_full,
    ),
    Misreading(
        "first turn",
        "the first turn may drop two stones",
        _pair_at_first,
    ),
    Misreading("first turn", "the first turn may be a pass", _pass_at_first),
    Misreading("first turn", "the second turn, too, drops one stone only", _single_again),
    Misreading(
        "orthogonality",
        "cells that touch at a corner count as neighbours",
        _by_neighbours(Shape.SQUARE, _FALLING + _RISING, more=True),
    ),
    Misreading(
        "orthogonality",
        "cells of a square board count as hexagons, with six neighbours",
        _by_neighbours(Shape.SQUARE, _RISING, more=True),
    ),
    Misreading(
        "orthogonality",
        "cells of a square board count as hexagons, with six neighbours",
        _by_neighbours(Shape.SQUARE, _FALLING, more=True),
    ),
    Misreading(
        "neighbours",
        "cells of a hexhex board count as squares, with four neighbours",
        _by_neighbours(Shape.HEX, _SIDES, more=False),
    ),
    Misreading("parity", "the number of groups has to be even", _is_even),
    Misreading("parity", "the number of groups is not looked at", _unlooked),
    Misreading(
        "parity", "drops may leave an even number of groups", _for_drops(lambda _case: True)
    ),
    Misreading(
        "parity", "the groups of the player's own colour are counted", _for_drops(_odd_of_mover)
    ),
    Misreading(
        "second stone",
        "the number of groups has to be odd after the first of two stones as well",
        _odd_after_first,
    ),
    Misreading(
        "second stone",
        "the groups that the second stone joins are counted without the first stone",
        _for_drops(_summed_apart),
    ),
    Misreading("second stone", "both stones have to be of one colour", _same_colour),
    Misreading("second stone", "both stones have to be of different colours", _other_colour),
    Misreading(
        "second stone",
        "a turn drops one stone only",
        lambda case: case.is_legal and not case.is_pair,
    ),
    Misreading(
        "second stone",
        "a turn has to drop two stones",
        lambda case: case.is_legal and (case.is_pair or case.is_first or not case.stones),
    ),
    Misreading("pass", "passing is never allowed", _for_passes(lambda _case: False)),
    Misreading("pass", "passing is always allowed", _for_passes(lambda _case: True)),
    Misreading("pass", "a pass may not follow a pass", _for_passes(_not_own_last)),
    Misreading(
        "pass", "passing is allowed only without another turn", _for_passes(_only_when_stuck)
    ),
    Misreading("swap", "swapping is never allowed", lambda c: c.is_legal and c.turn != SWAP),
    Misreading("swap", "swapping is allowed later as well", _swap_later),
)
"""Every known misreading; of several that explain the same answers the first is the likeliest."""


def candidates(position: PositionLike) -> list[Turn]:
    """The turns that some misreading may allow: stones of any colours on empty cells, pass, swap.

    On a large board these are hundreds of thousands.
    """
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    stones = [Stone(colour, cell) for colour in Colour for cell in empty]
    drops = [(stone,) for stone in stones]
    pairs = [pair for pair in combinations(stones, _PAIR) if pair[0].cell != pair[1].cell]
    return [*(Turn.drop(*some) for some in (*drops, *pairs)), PASS, SWAP]


def explain(position: PositionLike, answers: Mapping[Turn, bool]) -> list[Misreading]:
    """Return the misreadings that make exactly the turns legal that ``answers`` call legal."""
    cases = [(Case(position, turn), allowed) for turn, allowed in answers.items()]
    return [
        one
        for one in MISREADINGS
        if all(one.allows(case) in (allowed, None) for case, allowed in cases)
    ]
