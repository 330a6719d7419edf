"""The interface of a position, its errors, and what the reference and the native kernel share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final, Self

from yoddd.rules.game import Rules
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


class IllegalTurn(ValueError):
    """A turn that the rules forbid; ``reason`` says why, such as ``12 groups, even``."""

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


class GameOver(IllegalTurn):
    """A turn after the end of the game."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("the game is over")


class WrongTotal(IllegalTurn):
    """A turn, or a pass, that would leave a number of groups of the wrong parity."""


class IllegalPosition(ValueError):
    """A position that the rules cannot start from.

    Attributes:
        about: what is to blame: ``placement``, ``passes`` or ``turn``.
    """

    def __init__(self, reason: str, about: str = "placement") -> None:
        """Store the reason and the part to blame."""
        super().__init__(reason)
        self.about = about


class CannotUndo(ValueError):
    """There is no turn to take back."""


LAST_PASS: Final = 2
"""The pass in succession that ends the game."""

SWAP_TURN: Final = 2
"""The number of the only turn that may be a swap."""


def seat_of(colour: Colour, history: tuple[Turn, ...]) -> Colour:
    """The seat of the player who has ``colour`` after ``history``: a swap exchanges the colours."""
    return colour.opponent if SWAP in history[:SWAP_TURN] else colour


def is_on_board(rules: Rules, stone: Stone) -> bool:
    """Whether the stone's cell is one of this board: a turn may be meant for another."""
    return 0 <= stone.cell < rules.geometry.cells


def check_counters(rules: Rules, cells: int, passes: int, number: int) -> None:
    """Check the numbers of a position that is set up.

    Args:
        rules: the game, the board and the options.
        cells: how many cells the content has.
        passes: passes in succession.
        number: the number of the turn about to be played.

    Raises:
        IllegalPosition: no position under these rules has such numbers.
    """
    if cells != rules.geometry.cells:
        raise IllegalPosition(f"{cells} cells, {rules.geometry.name} has {rules.geometry.cells}")
    if number < 1:
        raise IllegalPosition(f"turn {number}: turns count from 1", "turn")
    if passes not in range(LAST_PASS + 1):
        raise IllegalPosition(f"passes {passes}: expected 0, 1 or 2", "passes")
    if passes and not rules.has_pass:
        raise IllegalPosition(f"passes {passes}: {rules.game.title} has no pass", "passes")
    if passes and passes >= number - 1:  # the first turn is never a pass
        raise IllegalPosition(f"passes {passes}: too many for turn {number}", "passes")


class PositionLike(ABC):
    """A game in progress: the board, the player to move, and the turns that led here.

    Attributes:
        rules: the game, the board and the options.
        resigned: the colour that gave up, if one did.
    """

    __slots__ = ("_groups", "_state", "_turns", "resigned", "rules")

    def __init__(self, rules: Rules) -> None:
        """An empty board with Black to play turn 1."""
        self.rules = rules
        self.resigned: Colour | None = None
        self._turns: list[Turn] = []
        self._groups: tuple[Group, ...] | None = None
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
    ) -> Self:
        """A position given by its content; it has no turns to take back.

        Raises:
            IllegalPosition: the number of cells, passes or turn is off; the group count is even
                where a turn was played or the game is over, in a game that forbids it; turns of
                two stones cannot fill the board; or no legal turn exists.
        """
        check_counters(rules, len(cells), passes, number)
        position = cls(rules)
        position._fill(cells, player, passes, number)
        position._check_content()
        return position

    def _check_content(self) -> None:
        """Check the stones of a position that is set up.

        Raises:
            IllegalPosition: the group count is even where it may not be, turns of two stones cannot
                fill the board, or no legal turn exists.
        """
        total, over = len(self.groups()), self.is_over
        if not self._fits(total) and (self.number > 1 or over):
            when = "in a finished game" if over else "after the first turn"
            raise IllegalPosition(f"{parity_text(total)}, {when}")
        if self._leaves_odd_cell():
            reason = "an odd number of cells is empty: turns of two stones cannot fill the board"
            raise IllegalPosition(reason)
        if not over and next(self.legal_turns(), None) is None:
            raise IllegalPosition(f"no legal turn: {parity_text(total)}")

    def _leaves_odd_cell(self) -> bool:
        """Whether one cell will be left for a turn that has to place two stones."""
        if self.rules.has_pass or 1 in self.rules.stones_of_turn(2):
            return False
        empty = self.cells.count(None)
        first = self.rules.facts.first if self.number == 1 and empty else 0
        return (empty - first) % 2 == 1

    def _fits(self, total: int) -> bool:
        """Whether a turn may end with so many groups."""
        return self.rules.facts.parity in {None, total % 2}

    @abstractmethod
    def _fill(
        self, cells: Sequence[Colour | None], player: Colour, passes: int, number: int
    ) -> None:
        """Set the content of a new position."""

    def copy(self) -> Self:
        """An independent position with the same history."""
        twin = object.__new__(type(self))
        twin.rules, twin.resigned = self.rules, self.resigned
        twin._turns = self._turns.copy()
        twin._groups, twin._state = self._groups, self._state
        self._copy_to(twin)
        return twin

    @abstractmethod
    def _copy_to(self, twin: Self) -> None:
        """Copy the content to a position that has the rest."""

    @property
    @abstractmethod
    def player(self) -> Colour:
        """The colour to move."""

    @property
    @abstractmethod
    def passes(self) -> int:
        """Passes in succession up to now, 0 to 2."""

    @property
    @abstractmethod
    def number(self) -> int:
        """The number of the turn about to be played, from 1."""

    @property
    @abstractmethod
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell, by index."""

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns played since the position was made, oldest first."""
        return tuple(self._turns)

    def seat_of(self, colour: Colour) -> Colour:
        """The seat of the player who has ``colour`` now: the colour they had before a swap."""
        return seat_of(colour, self.history)

    def groups(self) -> tuple[Group, ...]:
        """All groups of both colours, in the order of their lowest cell."""
        if self._groups is None:
            self._groups = self._find_groups()
        return self._groups

    @abstractmethod
    def _find_groups(self) -> tuple[Group, ...]: ...

    @abstractmethod
    def count(self) -> tuple[int, int]:
        """The number of Black's and of White's groups."""

    @property
    @abstractmethod
    def is_full(self) -> bool:
        """Whether no cell is empty."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.resigned is not None or self._has_ended()

    @abstractmethod
    def _has_ended(self) -> bool:
        """Whether it has ended on the board."""

    def outcome(self) -> Outcome | None:
        """The winner, why and by how much; None until the game ends."""
        if self.resigned is not None:
            return Outcome(self.resigned.opponent, "resign", 0)
        if not self._has_ended():
            return None
        winner, score = self._score()
        return Outcome(winner, "groups", score)

    @abstractmethod
    def _score(self) -> tuple[Colour, int]:
        """The winner and the margin of a game that has ended on the board."""

    def illegality(self, turn: Turn) -> str | None:
        """Why ``turn`` may not be played now; None if it may."""
        problem = self.problem(turn)
        return None if problem is None else problem.reason

    @abstractmethod
    def problem(self, turn: Turn) -> IllegalTurn | None:
        """The error that playing ``turn`` now would raise; None if it may be played."""

    def is_legal(self, turn: Turn) -> bool:
        """Whether ``turn`` may be played now."""
        return self.problem(turn) is None

    def legal_turns(self, first: int = 0) -> Iterator[Turn]:
        """Every legal turn once: drops in canonical order, then pass, then swap; never resign.

        Lazy: a mid-game position on hex8 has some 57,000 turns of two stones.

        Args:
            first: the number of turns to leave out, which costs little.
        """
        if not self.is_over:
            yield from self._list_turns(first)

    @abstractmethod
    def _list_turns(self, first: int) -> Iterator[Turn]: ...

    def count_turns(self) -> int:
        """The number of legal turns."""
        return 0 if self.is_over else self._count_turns()

    @abstractmethod
    def _count_turns(self) -> int: ...

    def turn_at(self, place: int) -> Turn:
        """The turn at a place in the list of legal turns, which is not made for it.

        Raises:
            IndexError: there is no such place.
        """
        left = place + self.count_turns() if place < 0 else place
        for first in self.legal_stones() if left >= 0 else ():
            alone = Turn.drop(first, rules=self.rules)
            pairs = [second for second in self.legal_seconds(first) if second > first]
            turns = [alone] if self.is_legal(alone) else []
            if left < len(turns):
                return alone
            left -= len(turns)
            if left < len(pairs):
                return Turn.drop(first, pairs[left], rules=self.rules)
            left -= len(pairs)
        others = [turn for turn in (PASS, SWAP) if not self.is_over and self.is_legal(turn)]
        if not 0 <= left < len(others):
            raise IndexError(f"turn {place} of {self.count_turns()}")
        return others[left]

    @abstractmethod
    def legal_stones(self) -> list[Stone]:
        """The stones that some legal turn has, in canonical order."""

    @abstractmethod
    def completable(self, stone: Stone) -> bool:
        """Whether some legal turn places ``stone``, alone or with a second one."""

    @abstractmethod
    def legal_seconds(self, first: Stone) -> list[Stone]:
        """The stones that make a legal turn together with ``first``, in canonical order."""

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
        if turn.stones:
            self._groups = None
        if turn.kind is TurnKind.RESIGN:
            self.resigned = self.player
        self._advance(turn)
        self._turns.append(turn)

    @abstractmethod
    def _advance(self, turn: Turn) -> None:
        """Change the board by a legal turn."""

    def undo(self) -> Turn:
        """Take back the last turn and return it.

        Raises:
            CannotUndo: no turn was played since the position was made.
        """
        if not self._turns:
            raise CannotUndo("no turn to take back")
        self._state = None
        self.resigned = None
        turn = self._turns.pop()
        if turn.stones:
            self._groups = None
        self._take_back(turn)
        return turn

    @abstractmethod
    def _take_back(self, turn: Turn) -> None:
        """Change the board to what it was before the last turn."""

    def perft(self, depth: int) -> int:
        """The number of legal sequences of ``depth`` turns; a finished game has no children.

        Raises:
            ValueError: ``depth`` is negative.
        """
        if depth < 0:
            raise ValueError(f"perft {depth}: expected a depth of 0 or more")
        return self._perft(depth)

    @abstractmethod
    def _perft(self, depth: int) -> int: ...
