"""Groups by flood fill, written to be checked against the rules by eye."""

from __future__ import annotations

from collections.abc import Sequence

from yoddd.board import Geometry
from yoddd.rules.values import Colour, Group

Cells = Sequence[Colour | None]
"""The content of every cell, by index; None is empty."""


def find_groups(geometry: Geometry, cells: Cells) -> tuple[Group, ...]:
    """All groups of both colours, in the order of their lowest cell."""
    seen: set[int] = set()
    groups = []
    for cell, colour in enumerate(cells):
        if colour is not None and cell not in seen:
            members = _flood(geometry, cells, cell)
            seen |= members
            groups.append(Group(colour, tuple(sorted(members))))
    return tuple(groups)


def _flood(geometry: Geometry, cells: Cells, start: int) -> set[int]:
    members = {start}
    frontier = [start]
    while frontier:
        for neighbour in geometry.neighbours[frontier.pop()]:
            if cells[neighbour] == cells[start] and neighbour not in members:
                members.add(neighbour)
                frontier.append(neighbour)
    return members
