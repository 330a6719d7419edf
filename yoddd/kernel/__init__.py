"""Layer 3: the native kernel, with the plain reference where it is missing."""

from yoddd.kernel.backend import Backend, backend
from yoddd.kernel.features import FEATURES, draw_turn, factors_after, policy, sample
from yoddd.kernel.position import NativePosition, best_position
from yoddd.kernel.solver import Solution, solve
from yoddd.kernel.sweep import Sweep, SweepCost, TurnValue, make_sweep, sweep_cost
from yoddd.kernel.tree import PLAIN_UCT, TreeSettings, best_turn

__all__ = [
    "FEATURES",
    "PLAIN_UCT",
    "Backend",
    "NativePosition",
    "Solution",
    "Sweep",
    "SweepCost",
    "TreeSettings",
    "TurnValue",
    "backend",
    "best_position",
    "best_turn",
    "draw_turn",
    "factors_after",
    "make_sweep",
    "policy",
    "sample",
    "solve",
    "sweep_cost",
]
