"""A reading of the page on descriptions of games by itself: slow, plain, and without yoddd.

A position is the table of a description, the neighbours of each cell, the cells with ``None``, 0
for Black or 1 for White, who is to move, the passes in succession and the number of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

Cells = tuple[int | None, ...]
Drop = tuple[tuple[int, int], ...]
"""Stones as colour and cell, ascending."""

Turn = Drop | str
"""A drop, ``pass`` or ``swap``."""


class State(NamedTuple):
    """A position of a game."""

    cells: Cells
    player: int = 0
    passes: int = 0
    number: int = 1


class Reading:
    """The rules of one table: facts by key, such as ``turn.pass``, on a board."""

    def __init__(self, facts: dict[str, Any], neighbours: Sequence[Sequence[int]]) -> None:
        self.neighbours = neighbours
        self.facts = facts
        self.passing = facts.get("turn.pass", "none")

    def groups(self, cells: Cells) -> list[list[int]]:
        """The sizes of Black's and of White's groups, ascending."""
        sizes: list[list[int]] = [[], []]
        seen: set[int] = set()
        for start, colour in enumerate(cells):
            if colour is None or start in seen:
                continue
            group, grown = set[int](), {start}
            while grown != group:
                group = grown
                near = {n for cell in group for n in self.neighbours[cell] if cells[n] == colour}
                grown = group | near
            seen |= group
            sizes[colour].append(len(group))
        return [sorted(sizes[0]), sorted(sizes[1])]

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        full = None not in state.cells
        if self.passing == "none":
            return full
        return state.passes == 2 or (full and self.facts.get("turn.full_ends", False))

    def fits(self, cells: Cells) -> bool:
        """Whether the number of groups is one that a turn may end with."""
        total = sum(map(len, self.groups(cells)))
        return {"any": True, "odd": total % 2 == 1, "even": total % 2 == 0}[
            self.facts.get("turn.groups", "any")
        ]

    def drops(self, state: State) -> list[Drop]:
        """All legal drops, ascending."""
        colour = self.facts["turn.colour"]
        fewest, most = self.facts["turn.stones"]
        if state.number == 1:
            fewest = most = self.facts.get("turn.first", 1)
            colour = self.facts.get("turn.first_colour", colour)
        empty = [cell for cell, content in enumerate(state.cells) if content is None]
        stones = [
            (c, cell) for c in (0, 1) for cell in empty if c == state.player or colour != "own"
        ]
        found = []
        for size in range(fewest, most + 1):
            for drop in combinations(stones, size):
                if len({cell for _, cell in drop}) < size:
                    continue
                if self.fits(self.after(state.cells, drop)):
                    found.append(drop)
        return sorted(found)

    def after(self, cells: Cells, drop: Drop) -> Cells:
        """The cells after a drop."""
        filled = list(cells)
        for colour, cell in drop:
            filled[cell] = colour
        return tuple(filled)

    def turns(self, state: State) -> list[Turn]:
        """All legal turns: drops, then a pass, then a swap."""
        if self.is_over(state):
            return []
        turns: list[Turn] = [*self.drops(state)]
        may_pass = self.passing == "free" or (self.passing == "forced" and not turns)
        if may_pass and state.number > 1 and self.fits(state.cells):
            turns.append("pass")
        if self.facts.get("pie", False) and state.number == 2 and state.player == 1:
            turns.append("swap")
        return turns

    def play(self, state: State, turn: Turn) -> State:
        """The state after a legal turn."""
        cells, player, passes, number = state
        if turn == "swap":
            return State(cells, player, 0, number + 1)
        if turn == "pass":
            return State(cells, 1 - player, passes + 1, number + 1)
        return State(self.after(cells, turn), 1 - player, 0, number + 1)  # type: ignore[arg-type]

    # -- the end ---------------------------------------------------------------------------------

    def count(self, sizes: list[int]) -> int:
        """The count of a colour whose groups have these sizes, ascending."""
        kind, lone = self.facts["score.count"], int(self.facts.get("score.lone", 0))
        if kind == "points":
            return sum(map(self.value, sizes))
        if kind == "area":
            return max(sizes) * len(sizes) if sizes else 0
        if kind == "product":
            one, two, *_ = [*sorted(sizes, reverse=True), lone, lone]
            return one * two
        if not sizes:
            return lone
        return max(sizes) if kind == "largest" else min(sizes)

    def value(self, size: int) -> int:
        """The points of a group."""
        value = self.facts.get("score.value", "one")
        if value in {"less", "large"}:
            k = int(self.facts["score.k"])
            return size - k if value == "less" else int(size >= k)
        return {"one": 1, "size": size, "square": size**2, "odd": 2 - size % 2}[value]

    def outcome(self, cells: Cells) -> tuple[int, int] | None:
        """The winner and the margin; None if nothing decides."""
        black, white = self.groups(cells)
        counts = self.count(black), self.count(white)
        wins = self.facts["score.wins"]
        if wins in {"odd", "even"}:
            is_odd = (counts[0] + counts[1]) % 2 == 1
            return (0 if is_odd == (wins == "odd") else 1), 1
        if counts[0] != counts[1]:
            return int((counts[0] > counts[1]) != (wins == "more")), abs(counts[0] - counts[1])
        for tie in self.facts.get("score.ties", []):
            decided = self.broken(tie, black, white)
            if decided is not None:
                return decided
        return None

    def broken(self, tie: str, black: list[int], white: list[int]) -> tuple[int, int] | None:
        """The winner and the margin by one tie; None if it is equal, too."""
        fewer: tuple[int, int]
        if tie in {"black", "white"}:
            return int(tie == "white"), abs(sum(black) - sum(white)) or 1
        if tie == "size":
            for n in range(sum(black) + sum(white)):
                fewer = len([s for s in black if s > n]), len([s for s in white if s > n])
                if fewer[0] != fewer[1]:
                    return int(fewer[1] < fewer[0]), abs(fewer[0] - fewer[1])
            return None
        if tie == "ascending":
            for place in range(max(len(black), len(white))):
                ours = black[place] if place < len(black) else 0
                theirs = white[place] if place < len(white) else 0
                if ours != theirs:
                    return int(theirs > ours), abs(ours - theirs)
            return None
        if tie == "stones":
            fewer = sum(black), sum(white)
        else:
            fewer = len([s for s in black if s % 2]), len([s for s in white if s % 2])
        return (
            None if fewer[0] == fewer[1] else (int(fewer[1] < fewer[0]), abs(fewer[0] - fewer[1]))
        )
