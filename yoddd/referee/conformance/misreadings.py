"""Misreadings of the rules: which one explains the turns that an engine takes for legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from itertools import combinations
from typing import Final

import attrs

from yoddd.board import Geometry, Shape
from yoddd.rules import GAMES, PASS, SWAP, Colour, PositionLike, Stone, Turn, TurnKind, parity_text
from yoddd.rules.groups import find_groups

_PAIR: Final = 2
_SIDES: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_FALLING: Final = ((1, 1), (-1, -1))
_RISING: Final = ((1, -1), (-1, 1))
_CORNERS: Final = "cells that touch at a corner count as neighbours"
_HEXAGONS: Final = "cells of a square board count as hexagons, with six neighbours"
_SQUARES: Final = "cells of a hexhex board count as squares, with four neighbours"
_COLUMNS: Final = "cells side by side in a row of a hexhex board do not touch"
_UPPER: Final = "rows above the middle of a hexhex board are read like those below it"


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

    @cached_property
    def after(self) -> tuple[Colour | None, ...]:
        """The content of every cell with its stones added."""
        added = {stone.cell: stone.colour for stone in self.stones}
        return tuple(added.get(cell, one) for cell, one in enumerate(self.position.cells))

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
class Answer:
    """One judgement of an engine.

    Attributes:
        case: the turn and its position.
        allowed: whether the engine takes the turn for legal.
        chosen: whether it has chosen the turn itself.
    """

    case: Case
    allowed: bool
    chosen: bool

    @property
    def is_wrong(self) -> bool:
        """Whether the rules judge otherwise."""
        return self.case.is_legal is not self.allowed


@attrs.frozen
class Misreading:
    """A wrong reading of one rule.

    Attributes:
        rule: the short name of the rule.
        text: how an engine with this reading differs, as a phrase.
        allows: whether it allows a turn; None if engines with this reading differ in that.
        neighbours: gives a board the neighbours of this reading; None if it has the right ones.
    """

    rule: str
    text: str
    allows: Callable[[Case], bool | None]
    neighbours: Callable[[Geometry], Geometry] | None = None

    def describe(self, case: Case) -> str:
        """Say how it explains the judgement of a turn, and where the rule is."""
        rules = case.position.rules
        if self.neighbours is None:
            section = "E4.1" if rules.has_pass else f"E4.{1 + [*GAMES].index(rules.game.name)}"
            return f"{self.text}; see {section}"
        right, wrong = rules.geometry, self.neighbours(rules.geometry)
        totals = [case.total(case.stones, board) for board in (wrong, right)]
        pairs = [
            (one, other)
            for one, colour in enumerate(case.after)
            for other in {*right.neighbours[one]} ^ {*wrong.neighbours[one]}
            if colour is not None and colour == case.after[other]
        ]
        places = {stone.cell for stone in case.stones}
        pairs.sort(key=lambda pair: (pair[0] not in places, pair))
        section = "E3.1" if right.shape is Shape.HEX else "E3.2"
        if not pairs:
            return f"{self.text}; see {section}"
        one, other = pairs[0]
        touch = "touch" if other in right.neighbours[one] else "do not touch"
        names = f"{right.labels[one]} and {right.labels[other]}"
        counts = f"the number of groups would be {totals[0]}, by the rules it is {totals[1]}"
        return f"{self.text}: by your neighbours {counts}: {names} {touch}; see {section}"


def _by_neighbours(
    rule: str, text: str, shape: Shape, steps: tuple[tuple[int, int], ...], *, more: bool = False
) -> Misreading:
    """Drops and passes are judged by groups with neighbours at ``steps`` only, or also there."""

    @cache
    def change(board: Geometry) -> Geometry:
        number = {point: cell for cell, point in enumerate(board.axial)}
        return attrs.evolve(
            board,
            neighbours=tuple(
                tuple({number[q + a, r + b] for a, b in steps if (q + a, r + b) in number} | {*old})
                for (q, r), old in zip(
                    board.axial, board.neighbours if more else [()] * board.cells, strict=True
                )
            ),
        )

    return Misreading(rule, text, _judged_by(shape, change), change)


def _judged_by(shape: Shape, change: Callable[[Geometry], Geometry]) -> Callable[[Case], bool]:
    def allows(case: Case) -> bool:
        rules = case.position.rules
        if rules.geometry.shape is not shape or not rules.has_pass or case.position.is_over:
            return case.is_legal
        return (case.fits or case.is_pass) and case.is_odd(case.stones, change(rules.geometry))

    return allows


@cache
def _lower_half(board: Geometry) -> Geometry:
    """A hexhex board whose upper rows have the neighbours that lower rows have."""
    found: list[set[int]] = [set() for _ in board.labels]
    for above, row in enumerate(board.rows, 1):
        for place, cell in enumerate(row):
            beyond = board.rows[above] if above < len(board.rows) else ()
            for other in (*row[place + 1 : place + 2], *beyond[place : place + 2]):
                found[cell].add(other)
                found[other].add(cell)
    return attrs.evolve(board, neighbours=tuple(map(tuple, found)))


def _for_drops(judge: Callable[[Case], bool]) -> Callable[[Case], bool]:
    """Drops that the parity alone may forbid are judged otherwise, in games that have parity."""
    return lambda case: judge(case) if case.fits and case.position.rules.has_pass else case.is_legal


def _for_passes(judge: Callable[[Case], bool]) -> Callable[[Case], bool]:
    """Passes before the end of the game are judged otherwise."""
    return lambda case: judge(case) if case.is_pass and not case.position.is_over else case.is_legal


def _unlooked(case: Case) -> bool | None:
    if not case.position.rules.has_pass:
        return case.is_legal
    if case.is_pass and case.is_first:
        return None
    return case.fits or (case.is_pass and not case.position.is_over)


def _is_even(case: Case) -> bool:
    if not case.position.rules.has_pass:
        return case.is_legal
    judged = (case.fits or case.is_pass) and not case.position.is_over
    return judged and not case.is_odd(case.stones)


def _odd_of(case: Case, colour: Colour) -> bool:
    groups = find_groups(case.position.rules.geometry, case.after)
    return sum(group.colour is colour for group in groups) % 2 == 1


def _odd_of_clusters(case: Case) -> bool:
    cells = [None if colour is None else Colour.BLACK for colour in case.after]
    return len(find_groups(case.position.rules.geometry, cells)) % 2 == 1


def _is_own(case: Case) -> bool:
    return all(stone.colour is case.position.player for stone in case.stones)


def _any_number(case: Case) -> bool:
    rules, later = case.position.rules, not (case.is_first or case.position.is_over)
    more = later and not rules.has_pass and case.fits_later
    return case.is_legal or (more and (not rules.only_own or _is_own(case)))


def _any_colour(case: Case) -> bool:
    new = case.position.rules.only_own and not case.position.is_over and len(case.stones) == 1
    return case.is_legal or (new and case.fits_later and not case.position.rules.has_pass)


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
    parity = case.position.rules.has_pass
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
    Misreading("pass", "the first turn may be a pass", _pass_at_first),
    Misreading("first turn", "the second turn, too, drops one stone only", _single_again),
    _by_neighbours("orthogonality", _CORNERS, Shape.SQUARE, _FALLING + _RISING, more=True),
    _by_neighbours("orthogonality", _HEXAGONS, Shape.SQUARE, _RISING, more=True),
    _by_neighbours("orthogonality", _HEXAGONS, Shape.SQUARE, _FALLING, more=True),
    _by_neighbours("neighbours", _SQUARES, Shape.HEX, _SIDES),
    _by_neighbours("neighbours", _SQUARES, Shape.HEX, _SIDES[:2] + _RISING),
    _by_neighbours("neighbours", _COLUMNS, Shape.HEX, _SIDES[2:] + _RISING),
    Misreading("neighbours", _UPPER, _judged_by(Shape.HEX, _lower_half), _lower_half),
    Misreading("parity", "the number of groups has to be even", _is_even),
    Misreading("parity", "the number of groups is not looked at", _unlooked),
    Misreading(
        "parity", "drops may leave an even number of groups", _for_drops(lambda _case: True)
    ),
    Misreading(
        "parity",
        "the groups of the player's own colour alone are counted",
        _for_drops(lambda case: _odd_of(case, case.position.player)),
    ),
    Misreading(
        "parity",
        "the groups of the other player's colour alone are counted",
        _for_drops(lambda case: _odd_of(case, case.position.player.opponent)),
    ),
    Misreading(
        "parity", "stones of both colours form groups together", _for_drops(_odd_of_clusters)
    ),
    Misreading("colour", "stones of both colours may be dropped", _any_colour),
    Misreading(
        "colour",
        "only stones of the player's own colour may be dropped",
        lambda case: case.is_legal and _is_own(case),
    ),
    Misreading("second stone", "a turn may drop one or two stones", _any_number),
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
