"""The features of a position: counts that a learned value is made of, and the policy it implies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, turn_of
from yoddd.rules import Colour, PositionLike, Stone, Turn

if TYPE_CHECKING:
    from yoddd.kernel import _native

FEATURES: Final = (
    "groups",
    "closed",
    "stones",
    "rim",
    "pairs",
    "fringe",
    "joins",
    "linked",
    "linkable",
)
"""Counts of each colour: its groups; those of them without an empty neighbour; its stones; those on
the rim of the board; pairs of neighbouring stones; empty cells beside a stone; over these cells,
the groups beside each, less one; how many groups fewer there are if all that have two such cells in
common are one, and if all that have one are."""


def sample(position: PositionLike, first: Stone | None = None) -> tuple[int, ...]:
    """The features of Black, then of White, and what else a value depends on.

    These are the number of empty cells; 1 if Black is to move, -1 if White is; and 1 in the middle
    of a turn, else 0.

    Args:
        position: between turns.
        first: a stone that the player has placed in the middle of a turn.

    Raises:
        KernelMissing: there is no native kernel.
    """
    empty = position.cells.count(None) - (first is not None)
    player = 1 if position.player is Colour.BLACK else -1
    return (*_board(position, first).features(), empty, player, int(first is not None))


def factors_after(position: PositionLike, first: Stone | None = None) -> dict[int, list[int]]:
    """The factors of what each legal half turn, as the kernel numbers them, leads to.

    They are the leads of the features, then 1 if Black is to move and -1 if White is, and the same
    again in the middle of a turn.

    Args:
        position: between turns.
        first: a stone that the player has placed in the middle of a turn.

    Raises:
        KernelMissing: there is no native kernel.
    """
    return dict(_board(position, first).factors_after())


def policy(
    position: PositionLike, weights: Sequence[float], first: Stone | None = None
) -> dict[int, float]:
    """The policy of a learned value over the legal half turns.

    The softmax of what the positions after them are worth to the player; uniform without weights.

    Returns:
        For each half turn, as the kernel numbers them, the logarithm of its probability over that
        of the likeliest one, so 0 or less.

    Args:
        position: between turns.
        weights: of the learned value of the position's board, as in `TreeSettings.weights`; empty
            where there is none.
        first: a stone that the player has placed in the middle of a turn.

    Raises:
        KernelMissing: there is no native kernel.
        ValueError: the weights are for another board.
    """
    board = _board(position, first)
    if not weights:
        return dict.fromkeys(board.legal_moves(), 0.0)
    return dict(board.policy(list(weights)))


def draw_turn(
    position: PositionLike,
    *,
    weights: Sequence[float] = (),
    winrates: Mapping[int, float],
    winrate: float,
    spread: float,
    seed: int,
) -> Turn:
    """A turn that is drawn half turn by half turn; the same for the same arguments.

    Args:
        position: between turns, with something to play.
        weights: of the learned value whose `policy` says how likely the half turns are.
        winrates: without weights, the winrates of half turns by a search, 0 to 1.
        winrate: that of a half turn that is not among these.
        spread: the nats by which a half turn is worse that is e times less likely.
        seed: 0 or more.
    """
    values = sorted(winrates.items())
    moves = native().draw_turn(board_of(position), weights, values, winrate, spread, seed)
    return turn_of(position.rules, moves)


def _board(position: PositionLike, first: Stone | None) -> _native.Board:
    """The native board of a position, in the middle of a turn if a first stone was placed."""
    board = board_of(position)
    if first is not None:
        board.play(first.colour * len(position.cells) + first.cell)
    return board
