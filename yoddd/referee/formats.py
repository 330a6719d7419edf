"""Who meets whom: round robin, gauntlet, knockout and Swiss.

A format gives the pairs of its next stretch, once every pair before is played. Round robin and
gauntlet have one stretch; the others go by the results so far. Nothing but the plan and those
results decides, so that a schedule can be made again at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Final

from yoddd.referee.plan import Format, Pair, Plan

TIE_BREAKS: Final = 16
"""Pairs that are added to a tied knockout encounter before the better seed goes on."""

Wins = Mapping[str, tuple[int, int]]
"""By a pair's key: how many games its first and its second entrant won."""

Meeting = tuple[int, int, int, int]
"""Round, table, first and second entrant."""


def next_stretch(plan: Plan, played: Sequence[Pair], wins: Wins) -> list[Pair]:
    """The pairs after ``played``, all of which are decided; none at the end."""
    return _STRETCHES[plan.format](plan, played, wins)


def _meetings(stage: int, tables: Sequence[tuple[int, int | None]]) -> list[Meeting]:
    """Those of a round, the better seed first; None stands for a bye."""
    return [
        (stage, table, min(one, other), max(one, other))
        for table, (one, other) in enumerate(tables, start=1)
        if other is not None
    ]


def _encounters(plan: Plan, meetings: Sequence[Meeting], number: int) -> Iterator[Pair]:
    """Every encounter's first pair, then every one's second, and so on."""
    numbers = count(number)
    for index in range(1, plan.pairs + 1):
        for stage, table, first, second in meetings:
            legs = plan.legs(index)
            yield Pair(next(numbers), stage, table, index, first, second, legs)


# -- round robin and gauntlet ---------------------------------------------------------------


def _round_robin(plan: Plan, played: Sequence[Pair], _wins: Wins) -> list[Pair]:
    if played:
        return []
    rounds = enumerate(circle(len(plan.sides)), start=1)
    meetings = [one for stage, tables in rounds for one in _meetings(stage, tables)]
    return list(_encounters(plan, meetings, 1))


def circle(entrants: int) -> Iterator[list[tuple[int, int]]]:
    """The rounds of a round robin by the circle method; with an odd number one rests in each."""
    ring: list[int | None] = [*range(entrants), *([None] if entrants % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        tables = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield [
            (min(one, other), max(one, other))
            for one, other in tables
            if one is not None and other is not None
        ]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _gauntlet(plan: Plan, played: Sequence[Pair], _wins: Wins) -> list[Pair]:
    if played:
        return []
    meetings = [(1, table, 0, table) for table in range(1, len(plan.sides))]
    return list(_encounters(plan, meetings, 1))


# -- knockout -------------------------------------------------------------------------------


def _knockout(plan: Plan, played: Sequence[Pair], wins: Wins) -> list[Pair]:
    number = len(played) + 1
    if not played:
        return list(_encounters(plan, _meetings(1, first_bracket(len(plan.sides))), number))
    stage = played[-1].round
    tied = [pair for pair in _last_pairs(played, stage) if _is_tied(pair, played, wins)]
    extended = [pair for pair in tied if pair.index < plan.pairs + TIE_BREAKS]
    if extended:
        return [
            Pair(number + place, stage, pair.table, pair.index + 1, pair.first, pair.second)
            for place, pair in enumerate(extended)
        ]
    survivors = knockout_survivors(plan, played, wins)
    if len(survivors) == 1:
        return []
    slots = list(zip(survivors[::2], survivors[1::2], strict=True))
    return list(_encounters(plan, _meetings(stage + 1, slots), number))


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
    """Who is left after the last round that was played, in the order of the bracket."""
    slots = first_bracket(len(plan.sides))
    left: list[int] = []
    for stage in range(1, played[-1].round + 1):
        results = {
            pair.table: _encounter_winner(pair, played, wins) for pair in _last_pairs(played, stage)
        }
        left = [results.get(table, slot[0]) for table, slot in enumerate(slots, start=1)]
        slots = list(zip(left[::2], left[1::2], strict=False))
    return left


def _last_pairs(played: Sequence[Pair], stage: int) -> list[Pair]:
    """The last pair of each encounter of a round, by table."""
    last = {pair.table: pair for pair in played if pair.round == stage}
    return [last[table] for table in sorted(last)]


def _balance(pair: Pair, played: Sequence[Pair], wins: Wins) -> int:
    """By how many games the first entrant of an encounter leads."""
    same = [one for one in played if (one.round, one.table) == (pair.round, pair.table)]
    scores = [wins.get(one.key, (0, 0)) for one in same]
    return sum(first - second for first, second in scores)


def _is_tied(pair: Pair, played: Sequence[Pair], wins: Wins) -> bool:
    return _balance(pair, played, wins) == 0


def _encounter_winner(pair: Pair, played: Sequence[Pair], wins: Wins) -> int:
    """The one who leads; after all tie breaks the better seed, who is the first."""
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
    tables = _fold(order, met) or list(zip(order[::2], order[1::2], strict=True))
    return list(_encounters(plan, _meetings(stage, tables), len(played) + 1))


def _swiss_state(
    plan: Plan, played: Sequence[Pair], wins: Wins
) -> tuple[list[int], set[frozenset[int]], set[int]]:
    """Points by entrant, a bye being a full score; who has met whom; who has had a bye."""
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
    """Pair the first with the next whom it has not met, so that the rest can be paired as well."""

    @cache  # late rounds come back to the same few who are left, again and again
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


_STRETCHES: Final[Mapping[Format, Callable[[Plan, Sequence[Pair], Wins], list[Pair]]]] = {
    Format.ROUND_ROBIN: _round_robin,
    Format.GAUNTLET: _gauntlet,
    Format.KNOCKOUT: _knockout,
    Format.SWISS: _swiss,
}
