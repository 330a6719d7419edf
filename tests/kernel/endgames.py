"""Endgames of random games, for the tests of the sweep and of the engine that uses it."""

from __future__ import annotations

import random

from yoddd.engine.uniform import random_turn
from yoddd.kernel import Sweep, SweepCost, make_sweep, sweep_cost
from yoddd.kernel.position import NativePosition
from yoddd.rules import PositionLike, Rules


def random_endgame(rules: Rules, seed: int, empty: int) -> NativePosition:
    """A position of a random game with at least ``empty`` empty cells, mostly just as many."""
    position, rng = NativePosition(rules), random.Random(seed)
    while not position.is_over:
        position.play(random_turn(position, rng))
    while position.cells.count(None) < empty:
        position.undo()
    return position


def swept(position: PositionLike, threads: int = 1, *, distances: bool = True) -> Sweep:
    """The sweep of a position, which covers it."""
    sweep = make_sweep(position, threads=threads, distances=distances)
    assert sweep is not None
    assert sweep.covers(position)
    return sweep


def cost_of(rules: Rules, empty: int, *, distances: bool = True) -> SweepCost:
    """The cost of a sweep that can be made."""
    cost = sweep_cost(rules, empty, distances=distances)
    assert cost is not None
    return cost
