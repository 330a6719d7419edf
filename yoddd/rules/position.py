"""The reference: one position, its legal turns, play and undo, in plain Python.

It is meant to be read beside the rules. The native kernel implements the same interface
(`PositionLike`) for speed and is tested against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final, Self

from yoddd.rules import scoring
from yoddd.rules.game import Rules
from yoddd.rules.position_like import (
    LAST_PASS,
    SWAP_TURN,
    GameOver,
    IllegalTurn,
    PositionLike,
    WrongTotal,
    is_on_board,
)
from yoddd.rules.scoring import find_groups
from yoddd.rules.values import (
    PASS,
    SWAP,
    Colour,
    Group,
    Stone,
    Turn,
    TurnKind,
    parity_text,
)

_PAIR: Final = 2
"""The most stones of a turn."""

_LIMITS: Final = {
    range(1, 2): "one stone",
    range(1, 3): "one or two stones",
    range(2, 3): "two stones",
}
"""The stones of a turn, as a refusal spells them."""


class Position(PositionLike):
    """The reference; `PositionLike` documents what it does.

    Attributes:
        player: the colour to move.
        passes: passes in succession up to now, 0 to 2.
        number: the number of the turn about to be played, from 1.
    """

    __slots__ = ("_cells", "_past", "number", "passes", "player")

    player: Colour
    passes: int
    number: int

    def __init__(self, rules: Rules) -> None:
        """An empty board with Black to play turn 1."""
        super().__init__(rules)
        self.player = Colour.BLACK
        self.passes = 0
        self.number = 1
        self._cells: list[Colour | None] = [None] * rules.geometry.cells
        # The player and the passes before each turn.
        self._past: list[tuple[Colour, int]] = []

    def _fill(
        self, cells: Sequence[Colour | None], player: Colour, passes: int, number: int
    ) -> None:
        self._cells = list(cells)
        self.player, self.passes, self.number = player, passes, number

    def _copy_to(self, twin: Self) -> None:
        twin._cells, twin._past = self._cells.copy(), self._past.copy()
        twin.player, twin.passes, twin.number = self.player, self.passes, self.number

    @property
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell, by index."""
        return tuple(self._cells)

    # -- groups and outcome -----------------------------------------------------------------

    def _find_groups(self) -> tuple[Group, ...]:
        return find_groups(self.rules.geometry.neighbours, self._cells)

    def count(self) -> tuple[int, int]:
        """The number of Black's and of White's groups."""
        return scoring.tally(self.groups())

    @property
    def is_full(self) -> bool:
        """Whether no cell is empty."""
        return None not in self._cells

    def _has_ended(self) -> bool:
        if self.rules.has_pass:
            return self.passes == LAST_PASS or (self.rules.facts.full_ends and self.is_full)
        return self.is_full

    def _score(self) -> tuple[Colour, int]:
        return self.rules.score(self.groups())

    # -- legality ---------------------------------------------------------------------------

    def problem(self, turn: Turn) -> IllegalTurn | None:
        """The error that playing ``turn`` now would raise; None if it may be played."""
        if self.is_over:
            return GameOver()
        if turn.kind is TurnKind.PASS:
            return self._pass_problem()
        if turn.kind is TurnKind.SWAP:
            return self._swap_problem()
        if turn.kind is TurnKind.RESIGN:
            return None
        return self._drop_problem(turn.stones)

    def _pass_problem(self) -> IllegalTurn | None:
        if not self.rules.has_pass:
            return IllegalTurn(f"{self.rules.game.title} has no pass")
        total = len(self.groups())
        if not self._fits(total):
            return WrongTotal(parity_text(total))
        if self.number == 1:
            return IllegalTurn("the first turn is never a pass")
        if self.rules.facts.passing == "forced" and any(self._drops()):
            return IllegalTurn("a stone can be placed")
        return None

    def _swap_problem(self) -> IllegalTurn | None:
        if not self.rules.pie:
            return IllegalTurn("no pie rule in this game")
        if self.number != SWAP_TURN or self.player is not Colour.WHITE:
            return IllegalTurn("swap is White's choice on turn 2 only")
        return None

    def _drop_problem(self, stones: tuple[Stone, ...]) -> IllegalTurn | None:
        labels = self.rules.geometry.labels
        if len(stones) not in self._sizes:
            many = "1 stone" if len(stones) == 1 else f"{len(stones)} stones"
            return IllegalTurn(f"{many}: this turn is {_LIMITS[self._sizes]}")
        for stone in stones:
            if not is_on_board(self.rules, stone):
                return IllegalTurn(
                    f"no cell {stone.cell}: {self.rules.geometry.name} has {len(labels)}"
                )
            if self._cells[stone.cell] is not None:
                return IllegalTurn(f"{labels[stone.cell]} is occupied")
            if self.rules.is_own(self.number) and stone.colour is not self.player:
                return IllegalTurn(
                    f"{self.player.title} may place only {self.player.title.lower()} stones"
                )
        if len({stone.cell for stone in stones}) < len(stones):
            return IllegalTurn(f"{labels[stones[0].cell]} twice")
        if self.rules.facts.parity is None:
            return None
        total = len(self._groups_after(stones))
        return None if self._fits(total) else WrongTotal(parity_text(total))

    def _groups_after(self, stones: tuple[Stone, ...]) -> tuple[Group, ...]:
        cells = self._cells.copy()
        for stone in stones:
            cells[stone.cell] = stone.colour
        return find_groups(self.rules.geometry.neighbours, cells)

    @property
    def _sizes(self) -> range:
        """The numbers of stones that this turn may drop."""
        return self.rules.stones_of_turn(self.number)

    # -- listing ----------------------------------------------------------------------------

    def _list_turns(self, first: int) -> Iterator[Turn]:
        drops = (Turn(TurnKind.DROP, stones, self.rules) for stones in self._drops())
        others = (turn for turn in (PASS, SWAP) if self.is_legal(turn))
        return islice(chain(drops, others), first, None)

    def _count_turns(self) -> int:
        return sum(1 for _ in self._drops()) + self.is_legal(PASS) + self.is_legal(SWAP)

    def legal_stones(self) -> list[Stone]:
        """The stones that some legal turn has, in canonical order."""
        candidates, touching = self._candidates(), self._touching()
        return [stone for stone in candidates if any(self._drops_from(stone, candidates, touching))]

    def completable(self, stone: Stone) -> bool:
        """Whether some legal turn places ``stone``, alone or with a second one."""
        candidates = self._candidates()
        return stone in candidates and any(self._drops_from(stone, candidates, self._touching()))

    def legal_seconds(self, first: Stone) -> list[Stone]:
        """The stones that make a legal turn together with ``first``, in canonical order."""
        candidates = self._candidates()
        if first not in candidates:
            return []
        drops = self._drops_from(first, candidates, self._touching())
        return [drop[-1] for drop in drops if len(drop) == _PAIR]

    def _candidates(self) -> list[Stone]:
        """Stones of the allowed colours on empty cells, in canonical order."""
        if self.is_over:
            return []
        colours = [self.player] if self.rules.is_own(self.number) else list(Colour)
        empty = [cell for cell, content in enumerate(self._cells) if content is None]
        return [Stone(colour, cell) for colour in colours for cell in empty]

    def _touching(self) -> dict[Stone, frozenset[int]]:
        """For each candidate the numbers of the groups of its colour that it touches."""
        owner = {cell: n for n, group in enumerate(self.groups()) for cell in group.cells}
        neighbours = self.rules.geometry.neighbours
        return {
            stone: frozenset(
                owner[cell] for cell in neighbours[stone.cell] if self._cells[cell] is stone.colour
            )
            for stone in self._candidates()
        }

    def _drops(self) -> Iterator[tuple[Stone, ...]]:
        candidates = self._candidates()
        touching = self._touching()
        for index, first in enumerate(candidates):
            yield from self._drops_from(first, candidates[index + 1 :], touching)

    def _drops_from(
        self, first: Stone, seconds: Sequence[Stone], touching: dict[Stone, frozenset[int]]
    ) -> Iterator[tuple[Stone, ...]]:
        """The legal drops of ``first`` alone, then those of ``first`` with one of ``seconds``."""
        if self.rules.facts.parity is None:
            if 1 in self._sizes:
                yield (first,)
            if _PAIR in self._sizes:
                yield from ((first, second) for second in seconds if second.cell != first.cell)
            return
        # A drop takes away the k groups that it joins and adds one: the count changes by 1 - k.
        total = len(self.groups()) + 1 - len(touching[first])
        if 1 in self._sizes and self._fits(total):
            yield (first,)
        if _PAIR not in self._sizes:
            return
        for second in seconds:
            if second.cell != first.cell:
                joined = self._joined(first, second, touching)
                if self._fits(total + 1 - joined):
                    yield (first, second)

    def _joined(self, first: Stone, second: Stone, touching: dict[Stone, frozenset[int]]) -> int:
        """The number of groups that ``second`` joins once ``first`` is on the board."""
        groups = touching[second]
        if first.colour is not second.colour:
            return len(groups)
        merged = touching[first]
        meets = second.cell in self.rules.geometry.neighbours[first.cell]
        if meets or not merged.isdisjoint(groups):
            return len(groups - merged) + 1
        return len(groups)

    # -- play -------------------------------------------------------------------------------

    def _advance(self, turn: Turn) -> None:
        self._past.append((self.player, self.passes))
        for stone in turn.stones:
            self._cells[stone.cell] = stone.colour
        self.passes = self.passes + 1 if turn.kind is TurnKind.PASS else 0
        self.number += 1
        # After a swap the player who was Black is White, and White is to move again.
        if turn.kind is not TurnKind.SWAP:
            self.player = self.player.opponent

    def _take_back(self, turn: Turn) -> None:
        for stone in turn.stones:
            self._cells[stone.cell] = None
        self.player, self.passes = self._past.pop()
        self.number -= 1

    def _perft(self, depth: int) -> int:
        if depth == 0:
            return 1
        if depth == 1:
            return self.count_turns()
        total = 0
        for turn in list(self.legal_turns()):
            self.play(turn)
            total += self._perft(depth - 1)
            self.undo()
        return total
