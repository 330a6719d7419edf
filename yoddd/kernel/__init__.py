"""Floor 3: the native kernel, and what serves where it is missing."""

from yoddd.kernel.backend import Backend, backend, best_position
from yoddd.kernel.playout import Playouts, playouts
from yoddd.kernel.position import NativePosition
from yoddd.kernel.solver import Solution, solve
from yoddd.kernel.tree import PLAIN_UCT, HalfTurn, TreeResult, TreeSearch, TreeSettings

__all__ = [
    "PLAIN_UCT",
    "Backend",
    "HalfTurn",
    "NativePosition",
    "Playouts",
    "Solution",
    "TreeResult",
    "TreeSearch",
    "TreeSettings",
    "backend",
    "best_position",
    "playouts",
    "solve",
]
