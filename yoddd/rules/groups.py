"""Groups by flood fill, written to be checked against the rules by eye."""

from __future__ import annotations

from collections.abc import Sequence

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
