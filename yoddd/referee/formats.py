"""The pairings of round robin, gauntlet, knockout and Swiss.

A format gives its next pairs once every pair before is played. Round robin and gauntlet give all
pairs at once; the others go by the results so far. The schedule depends on the plan and those
results alone, so that it can be computed again at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count, pairwise
from typing import Final

from yoddd.referee.plan import Format, Pair, Plan

TIE_BREAKS: Final = 16
"""Pairs that are added to a tied knockout encounter before the better seed goes on."""

Wins = Mapping[str, tuple[int, int]]
"""Games won by the first and the second entrant of a pair, by the pair's key."""

Meeting = tuple[int, int, int, int]
"""Round, encounter, first and second entrant."""


def next_pairs(plan: Plan, played: Sequence[Pair], wins: Wins) -> list[Pair]:
    """The pairs after ``played``, all of which are decided; none at the end."""
    return _FORMATS[plan.format](plan, played, wins)


def _meetings(stage: int, encounters: Sequence[tuple[int, int | None]]) -> list[Meeting]:
    """The meetings of a round, the better seed first; None stands for a bye."""
    return [
        (stage, encounter, min(one, other), max(one, other))
        for encounter, (one, other) in enumerate(encounters, start=1)
        if other is not None
    ]


def _pairs_of(plan: Plan, meetings: Sequence[Meeting], number: int) -> Iterator[Pair]:
    """The first pair of every encounter, then the second pair of every one, and so on."""
    numbers = count(number)
    for index in range(1, plan.pairs + 1):
        for stage, encounter, first, second in meetings:
            legs = plan.legs(index)
            yield Pair(next(numbers), stage, encounter, index, first, second, legs)


# -- round robin and gauntlet ---------------------------------------------------------------


def _round_robin(plan: Plan, played: Sequence[Pair], _wins: Wins) -> list[Pair]:
    if played:
        return []
    first, *later = plan.stages or (len(plan.sides),)
    rounds: list[list[tuple[int, int]]] = [*circle(first)]
    for before, after in pairwise([first, *later]):
        # What there was keeps its place; the new ones meet all others in a round of their own.
        rounds.append([(one, new) for new in range(before, after) for one in range(new)])
    numbered = enumerate(rounds, start=1)
    meetings = [one for stage, encounters in numbered for one in _meetings(stage, encounters)]
    return list(_pairs_of(plan, meetings, 1))


def circle(entrants: int) -> Iterator[list[tuple[int, int]]]:
    """The rounds of a round robin by the circle method; with an odd number one rests in each."""
    ring: list[int | None] = [*range(entrants), *([None] if entrants % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        encounters = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield [
            (min(one, other), max(one, other))
            for one, other in encounters
            if one is not None and other is not None
        ]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _gauntlet(plan: Plan, played: Sequence[Pair], _wins: Wins) -> list[Pair]:
    if played:
        return []
    meetings = [(1, encounter, 0, encounter) for encounter in range(1, len(plan.sides))]
    return list(_pairs_of(plan, meetings, 1))


# -- knockout -------------------------------------------------------------------------------


def _knockout(plan: Plan, played: Sequence[Pair], wins: Wins) -> list[Pair]:
    number = len(played) + 1
    if not played:
        return list(_pairs_of(plan, _meetings(1, first_bracket(len(plan.sides))), number))
    stage = played[-1].round
    tied = [pair for pair in _last_pairs(played, stage) if _is_tied(pair, played, wins)]
    extended = [pair for pair in tied if pair.index < plan.pairs + TIE_BREAKS]
    if extended:
        return [
            Pair(number + place, stage, pair.encounter, pair.index + 1, pair.first, pair.second)
            for place, pair in enumerate(extended)
        ]
    survivors = knockout_survivors(plan, played, wins)
    if len(survivors) == 1:
        return []
    slots = list(zip(survivors[::2], survivors[1::2], strict=True))
    return list(_pairs_of(plan, _meetings(stage + 1, slots), number))


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


def knockout_survivors(plan: Plan, played: Sequence[Pair], wins: Wins) -> list[int]:
    """The entrants left after the last round that was played, in the order of the bracket."""
    slots = first_bracket(len(plan.sides))
    left: list[int] = []
    for stage in range(1, played[-1].round + 1):
        results = {
            pair.encounter: _encounter_winner(pair, played, wins)
            for pair in _last_pairs(played, stage)
        }
        left = [results.get(encounter, slot[0]) for encounter, slot in enumerate(slots, start=1)]
        slots = list(zip(left[::2], left[1::2], strict=False))
    return left


def _last_pairs(played: Sequence[Pair], stage: int) -> list[Pair]:
    """The last pair of each encounter of a round, by encounter."""
    last = {pair.encounter: pair for pair in played if pair.round == stage}
    return [last[encounter] for encounter in sorted(last)]


def _balance(pair: Pair, played: Sequence[Pair], wins: Wins) -> int:
    """The lead of the first entrant of an encounter, in games."""
    same = [one for one in played if (one.round, one.encounter) == (pair.round, pair.encounter)]
    scores = [wins.get(one.key, (0, 0)) for one in same]
    return sum(first - second for first, second in scores)


def _is_tied(pair: Pair, played: Sequence[Pair], wins: Wins) -> bool:
    return _balance(pair, played, wins) == 0


def _encounter_winner(pair: Pair, played: Sequence[Pair], wins: Wins) -> int:
    """The entrant in the lead; after all tie breaks the better seed, which is the first."""
    return pair.second if _balance(pair, played, wins) < 0 else pair.first


# -- Swiss ----------------------------------------------------------------------------------


def _swiss(plan: Plan, played: Sequence[Pair], wins: Wins) -> list[Pair]:
    stage = played[-1].round + 1 if played else 1
    if stage > plan.rounds:
        return []
    points, met, byes = _swiss_state(plan, played, wins)
    order = sorted(range(len(plan.sides)), key=lambda one: (-points[one], one))
    if len(order) % 2:
        resting = next((one for one in reversed(order) if one not in byes), order[-1])
        order.remove(resting)
    encounters = _fold(order, met) or list(zip(order[::2], order[1::2], strict=True))
    return list(_pairs_of(plan, _meetings(stage, encounters), len(played) + 1))


def _swiss_state(
    plan: Plan, played: Sequence[Pair], wins: Wins
) -> tuple[list[int], set[frozenset[int]], set[int]]:
    """Points by entrant, a bye being a full score; past meetings; entrants with a past bye."""
    points = [0] * len(plan.sides)
    met: set[frozenset[int]] = set()
    byes: set[int] = set()
    full = sum(plan.legs(index) for index in range(1, plan.pairs + 1))
    for stage in range(1, played[-1].round + 1 if played else 1):
        present: set[int] = set()
        for pair in (one for one in played if one.round == stage):
            first, second = wins.get(pair.key, (0, 0))
            points[pair.first] += first
            points[pair.second] += second
            met.add(frozenset((pair.first, pair.second)))
            present |= {pair.first, pair.second}
        for resting in set(range(len(plan.sides))) - present:
            points[resting] += full
            byes.add(resting)
    return points, met, byes


def _fold(order: Sequence[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair the first with the next that it has not met, if the rest can be paired as well."""

    @cache  # late rounds pair the same few entrants again and again
    def fold(order: tuple[int, ...]) -> list[tuple[int, int]] | None:
        if not order:
            return []
        one, *others = order
        for other in others:
            if frozenset((one, other)) not in met:
                rest = fold(tuple(left for left in others if left != other))
                if rest is not None:
                    return [(one, other), *rest]
        return None

    return fold(tuple(order))


_FORMATS: Final[Mapping[Format, Callable[[Plan, Sequence[Pair], Wins], list[Pair]]]] = {
    Format.ROUND_ROBIN: _round_robin,
    Format.GAUNTLET: _gauntlet,
    Format.KNOCKOUT: _knockout,
    Format.SWISS: _swiss,
}
