"""Groups by flood fill, and the winner of a finished game by them, to be checked by eye.

Scoring has one function for each word that the facts of a game count by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count, zip_longest
from typing import Final

from yoddd.rules.facts import Facts
from yoddd.rules.values import Colour, Group

Cells = Sequence[Colour | None]
"""The content of every cell, by index; None is empty."""

Neighbours = Sequence[Sequence[int]]
"""The neighbours of every cell, by index."""


def find_groups(neighbours: Neighbours, cells: Cells) -> tuple[Group, ...]:
    """All groups of both colours, in the order of their lowest cell."""
    seen: set[int] = set()
    groups = []
    for cell, colour in enumerate(cells):
        if colour is not None and cell not in seen:
            members = _flood(neighbours, cells, cell)
            seen |= members
            groups.append(Group(colour, tuple(sorted(members))))
    return tuple(groups)


def _flood(neighbours: Neighbours, cells: Cells, start: int) -> set[int]:
    members = {start}
    frontier = [start]
    while frontier:
        for neighbour in neighbours[frontier.pop()]:
            if cells[neighbour] == cells[start] and neighbour not in members:
                members.add(neighbour)
                frontier.append(neighbour)
    return members


Sizes = Sequence[int]
"""The sizes of a colour's groups, ascending."""

VALUES: Final[Mapping[str, Callable[[int, int], int]]] = {
    "one": lambda _size, _k: 1,
    "size": lambda size, _k: size,
    "less": lambda size, k: size - k,
    "square": lambda size, _k: size * size,
    "odd": lambda size, _k: 1 if size % 2 else 2,
    "large": lambda size, k: int(size >= k),
}
"""What a group is worth by ``score.value``, of its size and ``score.k``."""

COUNTS: Final[Mapping[str, Callable[[Sizes, Facts], int]]] = {
    "points": lambda sizes, facts: sum(VALUES[facts.value](size, facts.k) for size in sizes),
    "largest": lambda sizes, facts: [facts.lone, *sizes][-1],
    "smallest": lambda sizes, facts: [*sizes, facts.lone][0],
    "product": lambda sizes, facts: _product([facts.lone, facts.lone, *sizes][-2:]),
    "area": lambda sizes, _facts: [0, *sizes][-1] * len(sizes),
}
"""What a colour has by ``score.count``."""


def _product(sizes: Sizes) -> int:
    return sizes[0] * sizes[1]


def _odd_ones(sizes: Sizes) -> int:
    return sum(size % 2 for size in sizes)


def _by_size(black: Sizes, white: Sizes) -> int:
    """The smallest n for which the numbers of groups larger than n differ: fewer are better."""
    for n in count():
        ours, theirs = (sum(size > n for size in sizes) for sizes in (black, white))
        if ours != theirs or not ours:
            return theirs - ours
    raise AssertionError  # `count` has no end


TIES: Final[Mapping[str, Callable[[Sizes, Sizes], int]]] = {
    "size": _by_size,
    "ascending": lambda black, white: next(
        (b - w for b, w in zip_longest(black, white, fillvalue=0) if b != w), 0
    ),
    "stones": lambda black, white: sum(white) - sum(black),
    "odd": lambda black, white: _odd_ones(white) - _odd_ones(black),
    "black": lambda black, white: abs(sum(black) - sum(white)) or 1,
    "white": lambda black, white: -abs(sum(black) - sum(white)) or -1,
}
"""By how much Black leads by each of ``score.ties``; 0 where that does not decide."""


def tally(groups: Sequence[Group]) -> tuple[int, int]:
    """The numbers of Black's and White's groups."""
    whites = sum(group.colour for group in groups)
    return len(groups) - whites, whites


def judge(groups: Sequence[Group], facts: Facts) -> tuple[Colour, int]:
    """The winner and the margin: the difference of the first quantity that decides, 1 of a parity.

    Raises:
        ValueError: nothing decides, as in no game that has a proof against draws.
    """
    black, white = (
        sorted(group.size for group in groups if group.colour is colour) for colour in Colour
    )
    counts = [COUNTS[facts.count](sizes, facts) for sizes in (black, white)]
    if facts.by_parity:
        is_black = sum(counts) % 2 == (facts.wins == "odd")
        return (Colour.BLACK if is_black else Colour.WHITE), 1
    lead = counts[0] - counts[1] if facts.wins == "more" else counts[1] - counts[0]
    leads = (lead, *(TIES[tie](black, white) for tie in facts.ties))
    decisive = next((lead for lead in leads if lead), None)
    if decisive is None:
        raise ValueError("the counts are equal, and no tie decides")
    return (Colour.BLACK if decisive > 0 else Colour.WHITE), abs(decisive)
