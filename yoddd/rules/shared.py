"""Helpers of every implementation of `PositionLike`: seats and checks of set-ups."""

from __future__ import annotations

from typing import Final

from yoddd.rules.errors import IllegalPosition
from yoddd.rules.game import Rules
from yoddd.rules.values import SWAP, Colour, Stone, Turn

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
