"""Values that all layers share: colours, stones, turns, groups, outcomes."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import attrs

from yoddd.suggestions import Answering

if TYPE_CHECKING:
    from yoddd.board import Geometry


class Colour(enum.IntEnum):
    """A player or the colour of a stone. Black moves first."""

    BLACK = 0
    WHITE = 1

    def __repr__(self) -> str:
        return f"Colour.{self.name}"

    @property
    def opponent(self) -> Colour:
        """The other colour."""
        return Colour.BLACK if self else Colour.WHITE

    @property
    def letter(self) -> str:
        """``b`` or ``w``, as positions and results spell it."""
        return "bw"[self]

    @property
    def digit(self) -> str:
        """``1`` or ``2``, as turns spell the colour of a stone."""
        return "12"[self]

    @property
    def title(self) -> str:
        """``Black`` or ``White``, for texts."""
        return self.name.capitalize()


class Stone(NamedTuple):
    """A stone of one colour on one cell. Tuple order is the canonical order within a turn."""

    colour: Colour
    cell: int


class TurnReader(Protocol):
    """A reader of turns for one position, such as a `yoddd.Board`."""

    def parse(self, text: str) -> Turn:
        """The turn that ``text`` spells for the player to move."""


class Spelling(Protocol):
    """The part of `Rules` by which turns are spelled."""

    @property
    def geometry(self) -> Geometry:
        """The board, which names its cells."""

    @property
    def bare_stones(self) -> bool:
        """Whether stones are written without their colour."""


class TurnKind(enum.Enum):
    """The kinds of turns."""

    DROP = "drop"
    PASS = "pass"  # noqa: S105 — a move, not a secret
    SWAP = "swap"
    RESIGN = "resign"


@attrs.frozen(repr=False)
class Turn(Answering):
    """One whole turn; two stones are an unordered pair and kept in canonical order.

    ``str`` gives its text, such as ``1d4``, if it was read from one or listed by a position: a cell
    is a number, whose name depends on the board.

    Attributes:
        kind: what it does.
        stones: those that it places.
        rules: of the game that it is for, by which its cells have names; it makes no difference.
    """

    kind: TurnKind
    stones: tuple[Stone, ...] = ()
    rules: Spelling | None = attrs.field(default=None, eq=False, repr=False)

    @classmethod
    def drop(cls, *stones: Stone, rules: Spelling | None = None) -> Turn:
        """The turn that places ``stones``, given in any order."""
        return cls(TurnKind.DROP, tuple(sorted(stones)), rules)

    def __repr__(self) -> str:
        if self.kind is not TurnKind.DROP:
            return self.kind.name
        if self.rules is not None:
            return f"<Turn {self}>"
        stones = (f"Stone({stone.colour!r}, {stone.cell})" for stone in self.stones)
        return f"Turn.drop({', '.join(stones)})"

    def __str__(self) -> str:
        if self.kind is not TurnKind.DROP:
            return str(self.kind.value)
        if self.rules is None:
            return repr(self)
        labels, bare = self.rules.geometry.labels, self.rules.bare_stones
        return ",".join(
            ("" if bare else stone.colour.digit) + labels[stone.cell] for stone in self.stones
        )

    @staticmethod
    def parse(text: str, on: TurnReader) -> Turn:
        """Read a turn such as ``1c3,2d4``; its legality is not checked.

        Args:
            text: in any order and case; a bare cell is a stone of the player's own colour.
            on: the `yoddd.Board` that it is for, which reads it.

        Raises:
            NotationError: the text is no turn on this board.
        """
        return on.parse(text)


@attrs.frozen
class LegalTurn:
    """A turn that was judged and found legal; only `PositionLike.judge` makes one.

    Attributes:
        turn: the turn.
        state: stands for the state of play that it is legal in, and may be played in only.
    """

    turn: Turn
    state: object = attrs.field(repr=False)

    def turn_in(self, state: object | None) -> Turn:
        """The turn, to be played without being judged again.

        Raises:
            ValueError: it was judged in another state than ``state``.
        """
        if self.state is not state:
            raise ValueError("the turn was judged for another position")
        return self.turn


PASS: Final = Turn(TurnKind.PASS)
SWAP: Final = Turn(TurnKind.SWAP)
RESIGN: Final = Turn(TurnKind.RESIGN)


@attrs.frozen
class Group:
    """A maximal set of connected stones of one colour; ``cells`` ascend."""

    colour: Colour
    cells: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its stones."""
        return len(self.cells)


@attrs.frozen
class Outcome:
    """The end of a game by the rules alone.

    Attributes:
        winner: the winning *colour* (after a swap that need not be the player who began with it).
        reason: ``groups`` when the board decided, ``resign`` when a player gave up.
        score: the n of ``B+n``; 0 for a resignation.
    """

    winner: Colour
    reason: str
    score: int


def parity_text(total: int) -> str:
    """A count of groups as refusals state it, such as ``12 groups, even``."""
    noun = "group" if total == 1 else "groups"
    return f"{total} {noun}, {'odd' if total % 2 else 'even'}"
