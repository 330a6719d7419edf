"""The pairings of round robin, gauntlet, knockout and Swiss.

A format gives its next block of pairs once every pair before is played. Round robin and gauntlet
are one block; the others go by the results so far. The schedule depends on the plan and those
results alone, so that it can be computed again at any time. A pair is made when it is asked for,
since a run may plan many more than it plays.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from typing import Final, NamedTuple, TypeVar

import attrs

from yoddd.referee.tournament.plan import Format, Pair, Plan

TIE_BREAKS: Final = 16
"""Pairs that are added to a tied knockout encounter before the better seed goes on."""

_DEAD_ENDS: Final = 10_000
"""Sets of entrants that cannot be paired, after which the search for a pairing is given up."""

_T = TypeVar("_T")

_KEY: Final = re.compile(r"r([1-9][0-9]{0,8})t([1-9][0-9]{0,8})p([1-9][0-9]{0,8})")


class Meeting(NamedTuple):
    """An encounter of two entrants, the better seed first.

    Attributes:
        single: the leg of its last pair that is played where that has only one.
    """

    round: int
    encounter: int
    first: int
    second: int
    single: int = 1


Scores = Mapping[tuple[int, ...], Sequence[int]]
"""Games won by the first and the second entrant of each encounter that has a finished game.

A key is a `Meeting` without the last field."""


class Computed(Sequence[_T]):
    """Values that are computed from their places."""

    def __init__(self, size: int, at: Callable[[int], _T]) -> None:
        """Create ``size`` values; ``at`` computes that of a place."""
        self.size = size
        self._at = at

    def __len__(self) -> int:
        """Return the number of values."""
        return self.size

    def __getitem__(self, place: int) -> _T:  # type: ignore[override]  # no slices
        """Return the value of a place."""
        if not 0 <= place < self.size:
            raise IndexError(place)
        return self._at(place)


@attrs.frozen
class Block:
    """Pairs that are scheduled together: the first of every encounter, then the second, and so on.

    Attributes:
        meetings: the encounters in ascending order.
        indices: the pairs of each encounter.
        before: the number of pairs in the blocks before.
    """

    meetings: Sequence[Meeting]
    indices: range
    before: int = 0

    @property
    def round(self) -> int:
        """The first round that it has pairs of."""
        return self.meetings[0].round


class Schedule(Computed[Pair]):
    """The pairs that are scheduled so far.

    Attributes:
        blocks: of pairs.
        games: the number of games.
    """

    def __init__(self, plan: Plan) -> None:
        """Create the schedule of ``plan`` before any game is played."""
        super().__init__(0, self._pair)
        self._plan = plan
        self.blocks: list[Block] = []
        self.games = 0
        self.extend({})

    def extend(self, scores: Scores) -> None:
        """Add the pairs after those that there are, all of which are decided; none at the end."""
        block = _FORMATS[self._plan.format](self._plan, self.blocks, scores)
        if block is None or not block.meetings:
            return
        self.blocks.append(attrs.evolve(block, before=self.size))
        self.size += len(block.meetings) * len(block.indices)
        singles = len(block.meetings) * (self._plan.pairs in block.indices)
        odd = self._plan.encounter_games % 2
        self.games += 2 * len(block.meetings) * len(block.indices) - odd * singles

    def _pair(self, place: int) -> Pair:
        block = self.blocks[bisect_right(self.blocks, place, key=lambda one: one.before) - 1]
        level, at = divmod(place - block.before, len(block.meetings))
        stage, encounter, first, second, single = block.meetings[at]
        index = block.indices[level]
        legs = self._plan.legs(index, single)
        return Pair(place + 1, stage, encounter, index, first, second, legs)

    def find(self, key: str) -> Pair | None:
        """Return the pair with a key; None if there is none."""
        found = _KEY.fullmatch(key)
        if found is None or not self.blocks:
            return None
        stage, encounter, index = map(int, found.groups())
        starts = bisect_right(
            self.blocks, (stage, index), key=lambda one: (one.round, one.indices.start)
        )
        block = self.blocks[max(0, starts - 1)]
        at = bisect_left(block.meetings, (stage, encounter))
        if index not in block.indices or at == len(block.meetings):
            return None
        level = block.indices.index(index)
        pair = self[block.before + level * len(block.meetings) + at]
        return pair if pair.key == key else None


def _meetings(
    plan: Plan,
    blocks: Sequence[Block],
    stage: int,
    encounters: Sequence[tuple[int, int | None]],
) -> list[Meeting]:
    """The meetings of a round, the better seed first; None stands for a bye."""
    moves = _FirstMoves(plan, blocks)
    found = []
    for number, (one, other) in enumerate(encounters, start=1):
        if other is not None:
            found.append(moves.meeting(stage, number, min(one, other), max(one, other)))
    return found


# -- first moves ----------------------------------------------------------------------------


class _FirstMoves:
    """The first moves in the rounds before, where encounters have an odd number of games."""

    def __init__(self, plan: Plan, blocks: Sequence[Block]) -> None:
        # By entrant, and by two entrants: how many more games it has begun than the other one.
        self._lead: Counter[int] = Counter()
        self._against: Counter[tuple[int, int]] = Counter()
        self._counts = plan.balanced and plan.encounter_games % 2 == 1
        for block in blocks if self._counts else ():
            if plan.pairs in block.indices:
                for _, _, *both, single in block.meetings:
                    began, other = both if single == 1 else both[::-1]
                    self._lead.update({began: 1})
                    self._lead.subtract({other: 1})
                    self._against.update({(began, other): 1})
                    self._against.subtract({(other, began): 1})

    def allow(self, one: int, other: int) -> bool:
        """Whether either of two entrants can begin once more without a lead of more than one."""
        return any(
            self._lead[first] <= 0 <= self._lead[second] and self._against[first, second] <= 0
            for first, second in ((one, other), (other, one))
        )

    def meeting(self, stage: int, encounter: int, first: int, second: int) -> Meeting:
        """The meeting that the one begins that has begun less; by turns where they are equal."""
        lead = self._lead[first] - self._lead[second] or self._against[first, second]
        turn = self._counts and encounter % 2 == 0
        single = 2 if lead > 0 or (lead == 0 and turn) else 1
        return Meeting(stage, encounter, first, second, single)


def _alternating(plan: Plan, stage: int, encounter: int, first: int, second: int) -> Meeting:
    """A meeting where all entrants meet once, or one meets all others.

    Of any number of entrants, each meets as many at an odd distance before it and an even one
    behind it as the other way round, or one more.
    """
    is_even = (second - first) % 2 == 0
    return Meeting(stage, encounter, first, second, 2 if plan.balanced and is_even else 1)


# -- round robin and gauntlet ---------------------------------------------------------------


def _round_robin(plan: Plan, blocks: Sequence[Block], _scores: Scores) -> Block | None:
    if blocks:
        return None
    stages = plan.stages or (len(plan.sides),)
    first = stages[0]
    in_rounds, rounds = _pairings(first), first - 1 + first % 2

    def at(place: int) -> Meeting:
        if place < in_rounds:
            stage, table = divmod(place, first // 2)
            return _alternating(plan, stage + 1, table + 1, *circle(first, stage, table))
        # What there was keeps its place; the new ones meet all others in a round of their own.
        new = (1 + isqrt(1 + 8 * place)) // 2
        later = bisect_right(stages, new)
        number = place - _pairings(stages[later - 1]) + 1
        return _alternating(plan, rounds + later, number, place - _pairings(new), new)

    return Block(Computed(_pairings(stages[-1]), at), range(1, plan.pairs + 1))


def _pairings(entrants: int) -> int:
    return entrants * (entrants - 1) // 2


def circle(entrants: int, stage: int, table: int) -> tuple[int, int]:
    """The entrants at a table in a round of a round robin by the circle method, both from 0.

    With an odd number of entrants one rests in each round.
    """
    ring = entrants + entrants % 2
    if entrants % 2:
        rests = (stage - 1) % (ring - 1) + 1
        table += table >= min(rests, ring - 1 - rests)
    one, other = (
        (place - 1 - stage) % (ring - 1) + 1 if place else 0 for place in (table, ring - 1 - table)
    )
    return min(one, other), max(one, other)


def _gauntlet(plan: Plan, blocks: Sequence[Block], _scores: Scores) -> Block | None:
    if blocks:
        return None

    def at(place: int) -> Meeting:
        return _alternating(plan, 1, place + 1, 0, place + 1)

    return Block(Computed(len(plan.sides) - 1, at), range(1, plan.pairs + 1))


# -- knockout -------------------------------------------------------------------------------


def _knockout(plan: Plan, blocks: Sequence[Block], scores: Scores) -> Block | None:
    if not blocks:
        slots = first_bracket(len(plan.sides))
        return Block(_meetings(plan, (), 1, slots), range(1, plan.pairs + 1))
    last = blocks[-1]
    tied = [one for one in last.meetings if _lead(one, scores) == 0]
    index = last.indices.stop
    if tied and index <= plan.pairs + TIE_BREAKS:
        return Block(tied, range(index, index + 1))
    survivors = knockout_survivors(plan, blocks, scores)
    if len(survivors) == 1:
        return None
    slots = list(zip(survivors[::2], survivors[1::2], strict=True))
    return Block(_meetings(plan, blocks, last.round + 1, slots), range(1, plan.pairs + 1))


def first_bracket(entrants: int) -> list[tuple[int, int | None]]:
    """The first round in the standard order: the best two seeds can meet in the final only.

    None stands for a bye; the best seeds have them.
    """
    order = [0]
    while len(order) < entrants:
        size = 2 * len(order)
        order = [seed for better in order for seed in (better, size - 1 - better)]
    slots = zip(order[::2], order[1::2], strict=True)
    return [(one, other if other < entrants else None) for one, other in slots]


def knockout_survivors(plan: Plan, blocks: Sequence[Block], scores: Scores) -> list[int]:
    """The entrants left after the last round that was played, in the order of the bracket."""
    slots = first_bracket(len(plan.sides))
    left: list[int] = []
    for block in blocks:
        if block.indices.start > 1:
            continue  # tie-breaks of encounters that a block before has
        winners = {
            one.encounter: one.second if _lead(one, scores) < 0 else one.first
            for one in block.meetings
        }
        left = [winners.get(number, slot[0]) for number, slot in enumerate(slots, start=1)]
        slots = list(zip(left[::2], left[1::2], strict=False))
    return left


def _lead(meeting: Meeting, scores: Scores) -> int:
    """The lead of the first entrant of an encounter, in games."""
    first, second = scores.get(meeting[:4], (0, 0))
    return first - second


# -- Swiss ----------------------------------------------------------------------------------


def _swiss(plan: Plan, blocks: Sequence[Block], scores: Scores) -> Block | None:
    if len(blocks) == plan.rounds:
        return None
    points, met, byes = _swiss_state(plan, blocks, scores)
    moves = _FirstMoves(plan, blocks)
    order = sorted(range(len(plan.sides)), key=lambda one: (-points[one], one))
    # The last of those with the fewest byes rests; in older plans, the last of all in the end.
    most = None if plan.balanced else 1
    resting = order[::-1]
    resting.sort(key=lambda one: min(byes[one], most or byes[one]))

    def fresh(one: int, other: int) -> bool:
        return (one, other) not in met and moves.allow(one, other)

    # With the other colours, the last round can always follow itself.
    encounters = [one[2:4] for one in blocks[-1].meetings] if blocks else []
    for rests in resting if len(order) % 2 else (None,):
        present = [one for one in order if one != rests]
        found = _fold(present, fresh) or _fold(present, moves.allow)
        if found is not None:
            encounters = found
            break
    return Block(_meetings(plan, blocks, len(blocks) + 1, encounters), range(1, plan.pairs + 1))


def _swiss_state(
    plan: Plan, blocks: Sequence[Block], scores: Scores
) -> tuple[list[int], set[tuple[int, int]], Counter[int]]:
    """Points by entrant, a bye being a full score; past meetings, in both orders; past byes."""
    points = [0] * len(plan.sides)
    met: set[tuple[int, int]] = set()
    byes: Counter[int] = Counter()
    for block in blocks:
        resting = set(range(len(plan.sides)))
        for meeting in block.meetings:
            _, _, one, other, _ = meeting
            for who, won in zip((one, other), scores.get(meeting[:4], ()), strict=False):
                points[who] += won
            met |= {(one, other), (other, one)}
            resting -= {one, other}
        for one in resting:
            points[one] += plan.encounter_games
        byes.update(resting)
    return points, met, byes


def _fold(order: Sequence[int], allow: Callable[[int, int], bool]) -> list[tuple[int, int]] | None:
    """Pair the first with the next that it may meet, if the rest can be paired as well."""
    found: list[tuple[int, int]] = []
    # Late rounds try the same few entrants again and again.
    dead: set[tuple[int, ...]] = set()
    # Who is left, and the place of the next opponent of the first of them to try.
    stack = [(tuple(order), 1)]
    while len(dead) < _DEAD_ENDS and stack:
        left, start = stack.pop()
        if not left:
            return found
        for place in range(start, len(left)):
            rest = (*left[1:place], *left[place + 1 :])
            if rest not in dead and allow(left[0], left[place]):
                stack += [(left, place + 1), (rest, 1)]
                found.append((left[0], left[place]))
                break
        else:
            dead.add(left)
            del found[-1:]
    return None


_FORMATS: Final[Mapping[Format, Callable[[Plan, Sequence[Block], Scores], Block | None]]] = {
    Format.ROUND_ROBIN: _round_robin,
    Format.GAUNTLET: _gauntlet,
    Format.KNOCKOUT: _knockout,
    Format.SWISS: _swiss,
}
