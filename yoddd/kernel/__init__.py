"""Layer 3: the native kernel, with the plain reference where it is missing."""

from yoddd.kernel.backend import Backend, backend
from yoddd.kernel.compact import CompactSweep, TurnOutcome, compact_cost, make_compact_sweep
from yoddd.kernel.features import FEATURES, policy, sample
from yoddd.kernel.playout import Playouts, playouts
from yoddd.kernel.position import NativePosition, best_position
from yoddd.kernel.solver import Solution, solve
from yoddd.kernel.sweep import Sweep, SweepCost, TurnValue, make_sweep, sweep_cost
from yoddd.kernel.tree import PLAIN_UCT, HalfTurn, TreeResult, TreeSearch, TreeSettings

__all__ = [
    "FEATURES",
    "PLAIN_UCT",
    "Backend",
    "CompactSweep",
    "HalfTurn",
    "NativePosition",
    "Playouts",
    "Solution",
    "Sweep",
    "SweepCost",
    "TreeResult",
    "TreeSearch",
    "TreeSettings",
    "TurnOutcome",
    "TurnValue",
    "backend",
    "best_position",
    "compact_cost",
    "make_compact_sweep",
    "make_sweep",
    "playouts",
    "policy",
    "sample",
    "solve",
    "sweep_cost",
]
