"""The reference: one position, its legal turns, play and undo, in plain Python.

It is meant to be read beside the rules. The native kernel implements the same interface
(`PositionLike`) for speed and is tested against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from yoddd.rules import scoring
from yoddd.rules.errors import CannotUndo, EvenTotal, GameOver, IllegalTurn
from yoddd.rules.games import Rules
from yoddd.rules.groups import find_groups
from yoddd.rules.shared import (
    LAST_PASS,
    SWAP_TURN,
    check_content,
    check_counters,
    is_on_board,
    seat_of,
)
from yoddd.rules.values import (
    PASS,
    SWAP,
    Colour,
    Group,
    LegalTurn,
    Outcome,
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


@attrs.frozen
class _Before:
    """A turn and the state before it, which `Position.undo` restores."""

    turn: Turn
    player: Colour
    passes: int


class Position:
    """A game in progress: the board, the player to move, and the turns that led here.

    Attributes:
        rules: the game, the board and the options.
        player: the colour to move.
        passes: passes in succession up to now, 0 to 2.
        number: the number of the turn about to be played, from 1.
        resigned: the colour that gave up, if one did.
    """

    __slots__ = (
        "_cells",
        "_groups",
        "_past",
        "_state",
        "number",
        "passes",
        "player",
        "resigned",
        "rules",
    )

    def __init__(self, rules: Rules) -> None:
        """An empty board with Black to play turn 1."""
        self.rules = rules
        self.player = Colour.BLACK
        self.passes = 0
        self.number = 1
        self.resigned: Colour | None = None
        self._cells: list[Colour | None] = [None] * rules.geometry.cells
        self._past: list[_Before] = []
        self._groups: tuple[Group, ...] | None = ()
        # Stands for the present state of play in judged turns. Made by the first judgement, and
        # dropped by each change.
        self._state: object | None = None

    @classmethod
    def set_up(
        cls,
        rules: Rules,
        cells: Sequence[Colour | None],
        player: Colour,
        passes: int,
        number: int,
    ) -> Position:
        """A position given by its content; it has no turns to take back.

        Raises:
            IllegalPosition: the number of cells, passes or turn is off; the group count is even
                where a turn was played or the game is over, in a game that forbids it; turns of
                two stones cannot fill the board; or no legal turn exists.
        """
        check_counters(rules, len(cells), passes, number)
        position = cls(rules)
        position._cells = list(cells)
        position._groups = None
        position.player, position.passes, position.number = player, passes, number
        check_content(position)
        return position

    def copy(self) -> Position:
        """An independent position with the same history."""
        twin = Position(self.rules)
        twin._cells = self._cells.copy()
        twin._past = self._past.copy()
        twin._groups, twin._state = self._groups, self._state
        twin.player, twin.passes, twin.number = self.player, self.passes, self.number
        twin.resigned = self.resigned
        return twin

    @property
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell, by index."""
        return tuple(self._cells)

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns played since the position was made, oldest first."""
        return tuple(before.turn for before in self._past)

    def seat_of(self, colour: Colour) -> Colour:
        """The seat of the player who has ``colour`` now: the colour they had before a swap."""
        return seat_of(colour, self.history)

    # -- groups and outcome -----------------------------------------------------------------

    def groups(self) -> tuple[Group, ...]:
        """All groups of both colours, in the order of their lowest cell."""
        if self._groups is None:
            self._groups = find_groups(self.rules.geometry, self._cells)
        return self._groups

    def count(self) -> tuple[int, int]:
        """The number of Black's and of White's groups."""
        return scoring.tally(self.groups())

    @property
    def is_full(self) -> bool:
        """Whether no cell is empty."""
        return None not in self._cells

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        if self.resigned is not None:
            return True
        if self.rules.has_pass:
            return self.passes == LAST_PASS or (self.rules.end_on_full and self.is_full)
        return self.is_full

    def outcome(self) -> Outcome | None:
        """The winner, why and by how much; None until the game ends."""
        if self.resigned is not None:
            return Outcome(self.resigned.opponent, "resign", 0)
        if not self.is_over:
            return None
        winner, score = self.rules.score(self.groups())
        return Outcome(winner, "groups", score)

    # -- legality ---------------------------------------------------------------------------

    def illegality(self, turn: Turn) -> str | None:
        """Why ``turn`` may not be played now; None if it may."""
        problem = self.problem(turn)
        return None if problem is None else problem.reason

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

    def is_legal(self, turn: Turn) -> bool:
        """Whether ``turn`` may be played now."""
        return self.problem(turn) is None

    def _pass_problem(self) -> IllegalTurn | None:
        if not self.rules.has_pass:
            return IllegalTurn(f"{self.rules.game.title} has no pass")
        total = len(self.groups())
        if total % 2 == 0:
            return EvenTotal(parity_text(total))
        if self.rules.own_colour and any(self._drops()):
            return IllegalTurn("a stone can be dropped")
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
            if self.rules.only_own and stone.colour is not self.player:
                return IllegalTurn(
                    f"only {self.player.title.lower()} stones are {self.player.title}'s to drop"
                )
        if len({stone.cell for stone in stones}) < len(stones):
            return IllegalTurn(f"{labels[stones[0].cell]} twice")
        if self.rules.game.odd_total:
            total = len(self._groups_after(stones))
            if total % 2 == 0:
                return EvenTotal(parity_text(total))
        return None

    def _groups_after(self, stones: tuple[Stone, ...]) -> tuple[Group, ...]:
        cells = self._cells.copy()
        for stone in stones:
            cells[stone.cell] = stone.colour
        return find_groups(self.rules.geometry, cells)

    @property
    def _sizes(self) -> range:
        """The numbers of stones that this turn may drop."""
        return self.rules.stones_of_turn(self.number)

    # -- listing ----------------------------------------------------------------------------

    def legal_turns(self) -> Iterator[Turn]:
        """Every legal turn once: drops in canonical order, then pass, then swap; never resign.

        Lazy: a mid-game position on hex8 has some 57,000 turns of two stones.
        """
        if self.is_over:
            return
        for stones in self._drops():
            yield Turn(TurnKind.DROP, stones, self.rules)
        if self.is_legal(PASS):
            yield PASS
        if self.is_legal(SWAP):
            yield SWAP

    def count_turns(self) -> int:
        """The number of legal turns."""
        if self.is_over:
            return 0
        return sum(1 for _ in self._drops()) + self.is_legal(PASS) + self.is_legal(SWAP)

    def legal_stones(self) -> list[Stone]:
        """The stones that some legal turn drops, in canonical order."""
        candidates, touching = self._candidates(), self._touching()
        return [stone for stone in candidates if any(self._drops_from(stone, candidates, touching))]

    def completable(self, stone: Stone) -> bool:
        """Whether some legal turn drops ``stone``, alone or with a second one."""
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
        colours = [self.player] if self.rules.only_own else list(Colour)
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
        if not self.rules.game.odd_total:
            if 1 in self._sizes:
                yield (first,)
            if _PAIR in self._sizes:
                yield from ((first, second) for second in seconds if second.cell != first.cell)
            return
        # A drop takes away the k groups that it joins and adds one: the count changes by 1 - k.
        total = len(self.groups()) + 1 - len(touching[first])
        if total % 2:
            yield (first,)
        if _PAIR not in self._sizes:
            return
        for second in seconds:
            if second.cell != first.cell:
                joined = self._joined(first, second, touching)
                if (total + 1 - joined) % 2:
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

    def judge(self, turn: Turn) -> LegalTurn:
        """Judge ``turn``, to be played before anything else is: here, or on a copy made since.

        Raises:
            IllegalTurn: the rules forbid it.
        """
        self._check(turn)
        self._state = self._state or object()
        return LegalTurn(turn, self._state)

    def _check(self, turn: Turn) -> None:
        problem = self.problem(turn)
        if problem is not None:
            raise problem

    def play(self, turn: Turn | LegalTurn) -> None:
        """Play ``turn`` for the colour to move; it is judged first unless it was before.

        Raises:
            IllegalTurn: the rules forbid it; the position is unchanged.
            ValueError: it was judged for another position.
        """
        if isinstance(turn, LegalTurn):
            turn = turn.turn_in(self._state)
        else:
            self._check(turn)
        self._state = None
        self._past.append(_Before(turn, self.player, self.passes))
        for stone in turn.stones:
            self._cells[stone.cell] = stone.colour
        if turn.stones:
            self._groups = None
        if turn.kind is TurnKind.RESIGN:
            self.resigned = self.player
        self.passes = self.passes + 1 if turn.kind is TurnKind.PASS else 0
        self.number += 1
        # After a swap the player who was Black is White, and White is on turn again.
        if turn.kind is not TurnKind.SWAP:
            self.player = self.player.opponent

    def undo(self) -> Turn:
        """Take back the last turn and return it.

        Raises:
            CannotUndo: no turn was played since the position was made.
        """
        if not self._past:
            raise CannotUndo("no turn to take back")
        self._state = None
        before = self._past.pop()
        for stone in before.turn.stones:
            self._cells[stone.cell] = None
        if before.turn.stones:
            self._groups = None
        self.player, self.passes = before.player, before.passes
        self.number -= 1
        self.resigned = None
        return before.turn

    def perft(self, depth: int) -> int:
        """The number of legal sequences of ``depth`` turns; a finished game has no children.

        Raises:
            ValueError: ``depth`` is negative.
        """
        if depth < 0:
            raise ValueError(f"perft {depth}: expected a depth of 0 or more")
        if depth == 0:
            return 1
        if depth == 1:
            return self.count_turns()
        total = 0
        for turn in list(self.legal_turns()):
            self.play(turn)
            total += self.perft(depth - 1)
            self.undo()
        return total
