"""`Board`: a game to play on, in the manner of python-chess."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from random import Random
from typing import overload

from yoddd.board import Geometry
from yoddd.kernel import best_position
from yoddd.notation import NotationError, diagram, format_position, parse_position, parse_turn
from yoddd.pictures import draw
from yoddd.rules import (
    CannotUndo,
    Colour,
    Group,
    Outcome,
    PositionLike,
    Rules,
    Turn,
    make_rules,
)
from yoddd.rules.game import Options
from yoddd.suggestions import Answering


class Board(Answering):
    """A game in progress.

    Turns are `Turn` values or their text, such as ``"1c3,2d4"``. Boards are equal where game,
    board, options, stones, player, passes and turn number are; their history does not count.
    """

    __slots__ = ("_position",)
    __hash__ = None  # type: ignore[assignment]  # a board changes; `key` hashes its present position

    def __init__(
        self,
        game: str = "yodd",
        board: str | None = None,
        options: Options | None = None,
    ) -> None:
        """An empty board.

        Args:
            game: a name out of `yoddd.GAMES`, or a position line as `position` has it.
            board: such as ``hex8``; the game's own where None.
            options: such as ``{"min_group": 3}`` or ``{"min_group": "3"}``.

        Raises:
            RulesError: no such game, board or option.
            NotationError: a malformed position line.
        """
        self._position: PositionLike = (
            parse_position(game, best_position())
            if " " in game and board is None and options is None
            else best_position()(make_rules(game, board, options))
        )

    @classmethod
    def from_position(cls, line: str) -> Board:
        """The board that a position line describes; it has no turns to take back.

        Raises:
            NotationError: the line is malformed or no such position can arise.
        """
        return cls._of(parse_position(line, best_position()))

    @classmethod
    def _of(cls, position: PositionLike) -> Board:
        board = cls.__new__(cls)
        board._position = position  # noqa: SLF001 — its own class
        return board

    # -- what is there ----------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The game, the board and the options."""
        return self._position.rules

    @property
    def geometry(self) -> Geometry:
        """Cells, neighbours and names."""
        return self._position.rules.geometry

    @property
    def player(self) -> Colour:
        """The colour to move."""
        return self._position.player

    @property
    def number(self) -> int:
        """The number of the turn about to be played, from 1."""
        return self._position.number

    @property
    def passes(self) -> int:
        """Passes in succession up to now."""
        return self._position.passes

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns that `pop` can take back, oldest first."""
        return self._position.history

    @property
    def position(self) -> str:
        """The position line."""
        return format_position(self._position)

    @property
    def key(self) -> int:
        """A hash of the position in 64 bits, the same in every process and on every machine."""
        digest = blake2b(self.position.encode("ascii"), digest_size=8).digest()
        return int.from_bytes(digest, "big")

    def stones(self) -> dict[str, Colour]:
        """The colour of each occupied cell by its name, in canonical order."""
        labels = self.geometry.labels
        cells = enumerate(self._position.cells)
        return {labels[cell]: colour for cell, colour in cells if colour is not None}

    def __getitem__(self, label: str) -> Colour | None:
        """The colour of the stone on a cell; None if it is empty.

        Raises:
            BoardError: there is no such cell.
        """
        return self._position.cells[self.geometry.cell(label)]

    def groups(self) -> tuple[Group, ...]:
        """All groups of both colours, in the order of their lowest cell."""
        return self._position.groups()

    def count(self) -> tuple[int, int]:
        """The numbers of Black's and of White's groups."""
        return self._position.count()

    # -- turns ------------------------------------------------------------------------------

    @property
    def legal_turns(self) -> LegalTurns:
        """The legal turns: iterate, ask ``in``, `len`, ``[k]``, or ``sample(rng)``."""
        return LegalTurns(self)

    def parse(self, text: str) -> Turn:
        """The turn that ``text`` spells for the player to move; its legality is not checked.

        Raises:
            NotationError: it spells none.
        """
        return parse_turn(text, self.rules, self.player)

    def is_legal(self, turn: Turn | str) -> bool:
        """Whether ``turn`` may be played now.

        Raises:
            NotationError: a text that spells no turn.
        """
        return self.illegality(turn) is None

    def illegality(self, turn: Turn | str) -> str | None:
        """Why ``turn`` may not be played now; None if it may.

        Raises:
            NotationError: a text that spells no turn.
        """
        return self._position.illegality(self._turn(turn))

    def push(self, turn: Turn | str) -> Turn:
        """Play ``turn`` and return it.

        Raises:
            IllegalTurn: the rules forbid it; the board is unchanged.
            NotationError: a text that spells no turn.
        """
        played = self._turn(turn)
        self._position.play(played)
        return played

    def pop(self) -> Turn:
        """Take back the last turn and return it.

        Raises:
            CannotUndo: there is none.
        """
        return self._position.undo()

    def peek(self) -> Turn:
        """The last turn.

        Raises:
            CannotUndo: there is none.
        """
        if not self.history:
            raise CannotUndo("no turn was played")
        return self.history[-1]

    def _turn(self, turn: Turn | str) -> Turn:
        return self.parse(turn) if isinstance(turn, str) else turn

    # -- the end ----------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._position.is_over

    def outcome(self) -> Outcome | None:
        """The winner, why and by how much; None until the game ends."""
        return self._position.outcome()

    # -- values -----------------------------------------------------------------------------

    def copy(self) -> Board:
        """An independent board with the same history."""
        return Board._of(self._position.copy())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._identity() == other._identity()

    def _identity(self) -> tuple[str, Colour | None]:
        return self.position, self._position.resigned

    def __reduce__(self) -> tuple[object, tuple[str, tuple[Turn, ...]]]:
        start = self.copy()
        for _ in self.history:
            start.pop()
        return _restore, (start.position, self.history)

    def __repr__(self) -> str:
        return f"Board.from_position({self.position!r})"

    def __str__(self) -> str:
        return diagram(self._position, self.history[-1] if self.history else None)

    def svg(self) -> str:
        """The picture of the board, as SVG."""
        return draw(self._position)

    _repr_svg_ = svg


def _restore(line: str, turns: tuple[Turn, ...]) -> Board:
    board = Board.from_position(line)
    for turn in turns:
        board.push(turn)
    return board


class LegalTurns:
    """The legal turns of a board, listed lazily."""

    __slots__ = ("_board",)

    def __init__(self, board: Board) -> None:
        self._board = board

    def __iter__(self) -> Iterator[Turn]:
        """Drops in canonical order, then pass, then swap; never resign."""
        return self._board._position.legal_turns()  # noqa: SLF001 — a view of its board

    def __repr__(self) -> str:
        return f"{self._board!r}.legal_turns"

    def __contains__(self, turn: object) -> bool:
        """Whether a turn or its text is legal; a resignation counts, a text that is no turn not."""
        try:
            return isinstance(turn, Turn | str) and self._board.is_legal(turn)
        except NotationError:
            return False

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def count(self) -> int:
        """The number of legal turns, pass and swap included."""
        return self._board._position.count_turns()  # noqa: SLF001 — a view of its board

    __len__ = count

    @overload
    def __getitem__(self, place: int) -> Turn: ...

    @overload
    def __getitem__(self, place: slice) -> list[Turn]: ...

    def __getitem__(self, place: int | slice) -> Turn | list[Turn]:
        """The turn at a place of the list, from 0, or from -1 backwards; or those of a slice.

        Raises:
            IndexError: there is no such place.
        """
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        return self._board._position.turn_at(place)  # noqa: SLF001 — a view of its board

    def sample(self, rng: Random) -> Turn:
        """A random turn, each with the same chance.

        Raises:
            IndexError: no turn is legal.
        """
        return self[rng.randrange(max(1, len(self)))]
