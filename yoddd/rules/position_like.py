"""The interface of a position, which the reference and the native kernel implement alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, Self

from yoddd.rules.games import Rules
from yoddd.rules.values import Colour, Group, LegalTurn, Outcome, Stone, Turn


class PositionLike(Protocol):
    """A game in progress: the board, the player to move, and the turns that led here."""

    def __init__(self, rules: Rules) -> None:
        """An empty board with Black to play turn 1."""

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

    def copy(self) -> Self:
        """An independent position with the same history."""

    @property
    def rules(self) -> Rules:
        """The game, the board and the options."""

    @property
    def player(self) -> Colour:
        """The colour to move."""

    @property
    def passes(self) -> int:
        """Passes in succession up to now, 0 to 2."""

    @property
    def number(self) -> int:
        """The number of the turn about to be played, from 1."""

    @property
    def resigned(self) -> Colour | None:
        """The colour that gave up, if one did."""

    @property
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell, by index."""

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns played since the position was made, oldest first."""

    def seat_of(self, colour: Colour) -> Colour:
        """The seat of the player who has ``colour`` now: the colour they had before a swap."""

    def groups(self) -> tuple[Group, ...]:
        """All groups of both colours, in the order of their lowest cell."""

    def count(self) -> tuple[int, int]:
        """The number of Black's and of White's groups."""

    @property
    def is_full(self) -> bool:
        """Whether no cell is empty."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    def outcome(self) -> Outcome | None:
        """The winner, why and by how much; None until the game ends."""

    def illegality(self, turn: Turn) -> str | None:
        """Why ``turn`` may not be played now; None if it may."""

    def is_legal(self, turn: Turn) -> bool:
        """Whether ``turn`` may be played now."""

    def legal_turns(self) -> Iterator[Turn]:
        """Every legal turn once: drops in canonical order, then pass, then swap; never resign.

        Lazy: a mid-game position on hex8 has some 57,000 turns of two stones.
        """

    def count_turns(self) -> int:
        """The number of legal turns."""

    def legal_stones(self) -> list[Stone]:
        """The stones that some legal turn drops, in canonical order."""

    def completable(self, stone: Stone) -> bool:
        """Whether some legal turn drops ``stone``, alone or with a second one."""

    def legal_seconds(self, first: Stone) -> list[Stone]:
        """The stones that make a legal turn together with ``first``, in canonical order."""

    def judge(self, turn: Turn) -> LegalTurn:
        """Judge ``turn``, to be played before anything else is: here, or on a copy made since.

        Raises:
            IllegalTurn: the rules forbid it.
        """

    def play(self, turn: Turn | LegalTurn) -> None:
        """Play ``turn`` for the colour to move; it is judged first unless it was before.

        Raises:
            IllegalTurn: the rules forbid it; the position is unchanged.
            ValueError: it was judged for another position.
        """

    def undo(self) -> Turn:
        """Take back the last turn and return it.

        Raises:
            CannotUndo: no turn was played since the position was made.
        """

    def perft(self, depth: int) -> int:
        """The number of legal sequences of ``depth`` turns; a finished game has no children.

        Raises:
            ValueError: ``depth`` is negative.
        """
