"""The ways to solve an endgame, on the same positions: full and compact sweeps, and proof search.

    python -m tests.bench.solver [--game yodd] [--board hex4] [--empty 12 14 16] [--positions 5]

Positions are ends of seeded random games. A line gives the mean processor time a position of all
threads, how many were not solved within the limits, and the compact sweeps and nodes of the search.
``search0`` is the proof search without sweeps, ``search4`` one whose leaves lie four cells below
its root.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable

import attrs

from tests.kernel.endgames import random_endgame
from yoddd.kernel import NativePosition, Solution, solve
from yoddd.rules import make_rules

Way = Callable[[NativePosition], Solution]


@attrs.define
class Sum:
    """The sums over the positions that one way was tried on."""

    winners: list[str] = attrs.Factory(list)
    seconds: float = 0
    nodes: int = 0
    sweeps: int = 0

    def add(self, solution: Solution, seconds: float) -> None:
        """Count one more."""
        self.winners.append("?" if solution.winner is None else solution.winner.letter)
        self.seconds += seconds
        self.nodes += solution.nodes
        self.sweeps += solution.sweeps

    def __str__(self) -> str:
        """The means."""
        count = len(self.winners)
        return (
            f"{self.seconds / count:9.4f} s  unsolved {self.winners.count('?')}  "
            f"sweeps {self.sweeps / count:9.1f}  nodes {self.nodes / count:12.0f}  "
            f"{''.join(self.winners)}"
        )


def ways(empty: int, depths: list[int], chosen: argparse.Namespace) -> dict[str, Way]:
    """Each way to solve a position, by name."""
    limited = functools.partial(
        solve, seconds=chosen.seconds, memory=chosen.memory << 20, threads=chosen.threads
    )
    found: dict[str, Way] = {
        "sweep": functools.partial(limited, method="sweep"),
        "compact": functools.partial(limited, method="compact"),
        "search": functools.partial(limited, method="search"),
        "search0": functools.partial(limited, method="search", leaf=0),
    }
    for depth in depths:
        leaf = max(empty - depth, 0)
        found[f"search{depth}"] = functools.partial(limited, method="search", leaf=leaf)
    return {name: way for name, way in found.items() if not chosen.ways or name in chosen.ways}


def measure(way: Way, positions: list[NativePosition]) -> Sum | None:
    """The sums over all positions; None if the limits do not allow the way."""
    total = Sum()
    for position in positions:
        begun = time.process_time()
        try:
            solution = way(position)
        except ValueError:
            return None
        total.add(solution, time.process_time() - begun)
    return total


def main() -> None:
    """Print a line for each number of empty cells and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", default="hex4")
    parser.add_argument("--empty", type=int, nargs="+", default=[10, 12, 14, 16])
    parser.add_argument("--positions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--memory", type=int, default=1024, help="MiB")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--depths", type=int, nargs="*", default=[1, 2, 3, 4, 5])
    parser.add_argument("--ways", nargs="*", help="only these")
    chosen = parser.parse_args()
    rules = make_rules(chosen.game, chosen.board)
    for empty in chosen.empty:
        positions = [random_endgame(rules, seed, empty) for seed in range(chosen.positions)]
        for name, way in ways(empty, chosen.depths, chosen).items():
            total = measure(way, positions)
            line = "the limits do not allow it" if total is None else total
            print(f"{chosen.game} {empty:2} {name:8} {line}", flush=True)


if __name__ == "__main__":
    main()
