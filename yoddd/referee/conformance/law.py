"""A law: all that an engine has to take right of one game on one board, and a game played by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import prod
from typing import Final

import attrs

from yoddd.rules import Colour, PositionLike, Rules, Stone
from yoddd.rules.facts import Facts
from yoddd.rules.scoring import COUNTS, TIES, find_groups

Cells = list[Colour | None]
Near = tuple[tuple[int, ...], ...]
Stones = tuple[Stone, ...]
Moves = tuple[tuple[Colour, str], ...]
"""Turns as tokens with their players, and `UNDO` for one that is taken back."""

UNDO: Final = "undo"

PAIR: Final = 2
"""The most stones of a turn."""

_SECOND: Final = 2
"""The number of the turn that may be a swap."""


@attrs.frozen
class Law:
    """All that an engine has to take right of one game on one board.

    Attributes:
        facts: the facts of its description.
        near: the neighbours of each cell.
        labels: the name of each cell.
        placing: for each cell of a position line the cell that it is read as.
        first: the stones of the first turn, the fewest and the most.
        slow: the number of turns that place as many stones as the first.
        counted: the groups whose number has a parity: ``all``, ``own``, ``other``, or ``joint`` of
            both colours together.
        moment: when it has it: ``end`` of the turn, also after ``each`` stone, or ``apart``
            for each of two stones as if it were the only one.
        loose: what may leave any number of groups: ``drop``, ``pass``; empty if nothing may.
        mixed: the colours of two stones: ``any``, ``same``, ``other``.
        early: whether the first turn may be a pass.
        barred: whether no turn may be a pass.
        again: whether a pass may follow a pass.
        passes: in succession, that end the game.
        swap: ``once``, ``never``, ``later`` as well, ``moved`` to the mirror image, ``turned``
            into a white stone.
        tracked: whether a bare stone has the colour that the number of the turn implies.
        undone: whether `undo` takes back the number of the turn.
        most: the number of sizes that a product multiplies.
        scored: the colours whose counts are added where a parity wins: ``both``, ``black``,
            ``white``.
        reverse: whether ties are decided the other way around.
    """

    facts: Facts
    near: Near
    labels: tuple[str, ...]
    placing: tuple[int, ...]
    first: tuple[int, int]
    slow: int = 1
    counted: str = "all"
    moment: str = "end"
    loose: str = ""
    mixed: str = "any"
    early: bool = False
    barred: bool = False
    again: bool = True
    passes: int = 2
    swap: str = "once"
    tracked: bool = False
    undone: bool = True
    most: int = 2
    scored: str = "both"
    reverse: bool = False


def law_of(rules: Rules) -> Law:
    """The rules as they are."""
    board, facts = rules.geometry, rules.facts
    cells = tuple(range(board.cells))
    return Law(facts, board.neighbours, board.labels, cells, (facts.first, facts.first))


class Player:
    """A game as one law sees it.

    Attributes:
        law: the law.
        cells: the content of each cell.
        number: of the turn about to be played, from 1.
        passes: in succession up to now.
        mover: the colour to move, as it follows from the turns.
    """

    def __init__(self, law: Law) -> None:
        """Begin with the empty board."""
        self.law = law
        self.cells: Cells = [None] * len(law.near)
        self.number, self.passes, self.mover = 1, 0, Colour.BLACK
        self._past: list[tuple[Cells, int, int, Colour]] = []
        # For each player that is asked about: groups by cell, their number, and how stones count.
        self._known: dict[Colour, _Groups] = {}
        self._index = {label: cell for cell, label in enumerate(law.labels)}

    def set_up(self, position: PositionLike) -> None:
        """Begin with a position that is given as a line."""
        for cell, content in enumerate(position.cells):
            self.cells[self.law.placing[cell]] = content
        self.number, self.passes = position.number, position.passes
        self.mover = position.player

    def read(self, token: str, player: Colour) -> Stones | str | None:
        """The stones of a turn, or its word; None if there is no such cell."""
        if token in {"pass", "swap"}:
            return token
        own = self.mover if self.law.tracked else player
        found = []
        for part in token.split(","):
            colour = Colour(int(part[0]) - 1) if part[:1] in {"1", "2"} else own
            cell = self._index.get(part[1:] if part[:1] in {"1", "2"} else part)
            if cell is None:
                return None
            found.append(Stone(colour, cell))
        return tuple(sorted(found))

    def allows(self, player: Colour, turn: Stones | str | None) -> bool:
        """Whether the turn is legal."""
        if turn is None or self.is_over:
            return False
        if isinstance(turn, str):
            return self._allows_pass(player) if turn == "pass" else self._allows_swap(player)
        return len(turn) in self.sizes and self.fits(player, turn)

    def _allows_swap(self, player: Colour) -> bool:
        late = self.law.swap == "later" and self.number > 1
        due = self.number == _SECOND and player is Colour.WHITE and self.law.swap != "never"
        return self.law.facts.pie and (due or late)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        facts = self.law.facts
        full = None not in self.cells
        if facts.has_pass:
            return self.passes >= self.law.passes or (facts.full_ends and full)
        return full

    @property
    def sizes(self) -> range:
        """The numbers of stones of this turn."""
        least, most = self.law.first if self.number <= self.law.slow else self.law.facts.stones
        return range(least, most + 1)

    def fits(self, player: Colour, stones: Stones) -> bool:
        """Whether so many stones may be placed: cells, colours, and groups allow them."""
        law = self.law
        if len({stone.cell for stone in stones}) < len(stones):
            return False
        if any(self.cells[stone.cell] is not None for stone in stones):
            return False
        kind = law.facts.first_colour if self.number == 1 else law.facts.colour
        if kind == "own" and any(stone.colour is not player for stone in stones):
            return False
        if law.mixed != "any" and len(stones) == PAIR:
            same = stones[0].colour is stones[1].colour
            if same is not (law.mixed == "same"):
                return False
        return law.facts.parity is None or law.loose == "drop" or self._has_parity(player, stones)

    def _has_parity(self, player: Colour, stones: Stones) -> bool:
        groups = self._groups(player)
        wanted = self.law.facts.parity
        before = groups.total
        if self.law.moment == "apart":
            return (before + sum(groups.added((one,)) for one in stones)) % 2 == wanted
        if (before + groups.added(stones)) % 2 != wanted:
            return False
        return self.law.moment == "end" or (before + groups.added(stones[:1])) % 2 == wanted

    def is_unsure(self, player: Colour, stones: Stones) -> bool:
        """Whether the order of two stones decides if they may be placed, which no turn shows."""
        if self.law.moment != "each" or self.law.facts.parity is None:
            return False
        groups = self._groups(player)
        return len({groups.added((one,)) % 2 for one in stones}) == PAIR

    def _allows_pass(self, player: Colour) -> bool:
        law, facts = self.law, self.law.facts
        if not facts.has_pass or law.barred or (self.passes and not law.again):
            return False
        if self.number == 1:
            return law.early
        free = facts.parity is None or law.loose == "pass"
        if not free and self._groups(player).total % 2 != facts.parity:
            return False
        return facts.passing != "forced" or not any(self.drops(player))

    def drops(self, player: Colour, size: int | None = None) -> Iterator[Stones]:
        """The legal drops, or those of so many stones."""
        empty = [cell for cell, content in enumerate(self.cells) if content is None]
        stones = [Stone(colour, cell) for colour in Colour for cell in empty]
        for many in self.sizes if size is None else (size,):
            for turn in combinations(stones, many):
                if self.fits(player, turn):
                    yield turn

    @property
    def total(self) -> int:
        """The number of groups."""
        return len(find_groups(self.law.near, self.cells))

    def _groups(self, player: Colour) -> _Groups:
        found = self._known.get(player)
        if found is None:
            found = self._known[player] = _Groups(self.law, self.cells, player)
        return found

    def play(self, player: Colour, turn: Stones | str) -> None:
        """Play a turn, whatever it is."""
        self._past.append((self.cells.copy(), self.number, self.passes, self.mover))
        self._known = {}
        self.passes = self.passes + 1 if turn == "pass" else 0
        self.number += 1
        if turn == "swap":
            self._swap()
        else:
            self.mover = player.opponent
        for stone in turn if not isinstance(turn, str) else ():
            self.cells[stone.cell] = stone.colour

    def _swap(self) -> None:
        stones = [(cell, one) for cell, one in enumerate(self.cells) if one is not None]
        for cell, colour in stones if self.law.swap in {"moved", "turned"} else ():
            if self.law.swap == "turned":
                self.cells[cell] = colour.opponent
            else:
                self.cells[cell], self.cells[-1 - cell] = None, colour
        if self.law.tracked:
            self.mover = self.mover.opponent

    def follow(self, moves: Moves) -> None:
        """Play turns, whatever they are, and take turns back."""
        for player, token in moves:
            if token == UNDO:
                self.undo()
            else:
                self.play(player, self.read(token, player) or ())

    def undo(self) -> None:
        """Take the last turn back."""
        self._known = {}
        number = self.number
        self.cells, self.number, self.passes, self.mover = self._past.pop()
        if not self.law.undone:
            self.number = number

    def score(self) -> str:
        """The winner and the margin, as `final_score` answers; empty if nothing decides."""
        law, facts = self.law, self.law.facts
        groups = find_groups(law.near, self.cells)
        sizes = [sorted(one.size for one in groups if one.colour is colour) for colour in Colour]
        counts = [self._count(one) for one in sizes]
        if facts.by_parity:
            both = {"both": sum(counts), "black": counts[0], "white": counts[1]}[law.scored]
            return "B+1" if both % 2 == (facts.wins == "odd") else "W+1"
        lead = (counts[0] - counts[1]) * (1 if facts.wins == "more" else -1)
        sign = -1 if law.reverse else 1
        leads = (lead, *(sign * TIES[tie](*sizes) for tie in facts.ties))
        decisive = next((one for one in leads if one), 0)
        return f"{'B' if decisive > 0 else 'W'}+{abs(decisive)}" if decisive else ""

    def _count(self, sizes: list[int]) -> int:
        facts, most = self.law.facts, self.law.most
        if facts.count == "product" and most != PAIR:
            return prod([*[facts.lone] * most, *sizes][-most:])
        return COUNTS[facts.count](sizes, facts)


class _Groups:
    """The groups that count for a player, and by how much stones change their number."""

    def __init__(self, law: Law, cells: Cells, player: Colour) -> None:
        self._near = law.near
        other = player.opponent
        seen: Mapping[str, tuple[Colour | None, Colour | None]] = {
            "all": (player, other),
            "joint": (player, player),
            "own": (player, None),
            "other": (None, other),
        }
        self._as = dict(zip((player, other), seen[law.counted], strict=True))
        self._cells = [None if one is None else self._as[one] for one in cells]
        groups = find_groups(law.near, self._cells)
        self._owner = {cell: n for n, group in enumerate(groups) for cell in group.cells}
        self.total = len(groups)

    def _touched(self, cell: int, colour: Colour) -> set[int]:
        cells, owner = self._cells, self._owner
        return {owner[other] for other in self._near[cell] if cells[other] is colour}

    def added(self, stones: Stones) -> int:
        """By how much the number of groups grows."""
        seen = [
            (one.cell, colour) for one in stones if (colour := self._as[one.colour]) is not None
        ]
        if not seen:
            return 0
        cell, colour = seen[0]
        first = self._touched(cell, colour)
        grown = 1 - len(first)
        if len(seen) == PAIR:
            other, second_colour = seen[1]
            second = self._touched(other, second_colour)
            joined = len(second)
            if colour is second_colour and (other in self._near[cell] or first & second):
                joined = len(second - first) + 1
            grown += 1 - joined
        return grown
