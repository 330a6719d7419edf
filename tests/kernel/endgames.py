"""Endgames of random games, for the tests of the sweep and of the engine that uses it."""

from __future__ import annotations

from yoddd.kernel.backend import native
from yoddd.kernel.position import NativePosition, turn_of
from yoddd.rules import Rules


def random_endgame(rules: Rules, seed: int, empty: int) -> NativePosition:
    """A position of a random game with at least ``empty`` empty cells, mostly just as many."""
    position, rng = NativePosition(rules), native().Rng(seed)
    while not position.is_over:
        position.play(turn_of(rules, position.board.sample_turn(rng)))
    while position.cells.count(None) < empty:
        position.undo()
    return position
