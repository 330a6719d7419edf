"""Endgames of random games, for the tests of the sweep and of the engine that uses it."""

from __future__ import annotations

import random

from yoddd.engine.uniform import random_turn
from yoddd.kernel.position import NativePosition
from yoddd.rules import Rules


def random_endgame(rules: Rules, seed: int, empty: int) -> NativePosition:
    """A position of a random game with at least ``empty`` empty cells, mostly just as many."""
    position, rng = NativePosition(rules), random.Random(seed)
    while not position.is_over:
        position.play(random_turn(position, rng))
    while position.cells.count(None) < empty:
        position.undo()
    return position
