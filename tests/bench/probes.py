"""Estimate how long a proof of a position would take, by Knuth's method.

    python -m tests.bench.probes 'odd hex4 4/5/6/7/6/5/4 b 0 1' --leaf 20 --probes 5

A proof that a side wins has one turn of this side and all turns of the other one at each of their
positions, down to positions that a sweep solves. Each probe walks down at random: the side that is
taken to win plays what the engine finds in some playouts, and of the other side's turns, images
under symmetries counted once, one is drawn, whose number multiplies the weight of the probe. The
mean weight estimates the leaves of the proof as a tree (D. E. Knuth, "Estimating the efficiency of
backtrack programs", 1975). A search meets most leaves by several orders of turns; divided by the
number of orders of the other side's turns it is an estimate from below of the sweeps. Where the
sweep at the end has another winner the engine's turns were not those of a proof.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time

from yoddd.engine import Budget, MctsSearcher
from yoddd.kernel import best_position, make_sweep
from yoddd.library.symmetry import key_of
from yoddd.notation import parse_position
from yoddd.rules import SWAP, Colour, PositionLike, Turn

YEAR = 365 * 24 * 3600


def probe(
    start: PositionLike, winner: Colour, leaf: int, playouts: int, rng: random.Random
) -> tuple[int, int, bool, float]:
    """The weight, the drawn turns, whether `winner` wins at the end, and the sweep's seconds."""
    position, weight, drawn = start.copy(), 1, 0
    engine = MctsSearcher()
    while not position.is_over and position.cells.count(None) > leaf:
        if position.player is winner:
            budget = Budget(playouts=playouts)
            found = engine.search(position, budget, rng.randrange(1 << 31), lambda: False)
            position.play(found.turn)
            continue
        turns: dict[str, Turn] = {}
        for turn in list(position.legal_turns()):
            if turn != SWAP:
                after = position.copy()
                after.play(turn)
                turns.setdefault(key_of(after), turn)
        weight *= len(turns)
        drawn += 1
        position.play(rng.choice(list(turns.values())))
    outcome = position.outcome()
    if outcome is not None:
        return weight, drawn, outcome.winner is winner, 0.0
    begun = time.thread_time()
    sweep = make_sweep(position, distances=False)
    assert sweep is not None
    won = sweep.wins == (position.player is winner)
    return weight, drawn, won, time.thread_time() - begun


def main() -> None:
    """Probe and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("position")
    parser.add_argument("--winner", choices=("b", "w"), default="b")
    parser.add_argument("--leaf", type=int, default=20)
    parser.add_argument("--probes", type=int, default=10)
    parser.add_argument("--playouts", type=int, default=2000)
    chosen = parser.parse_args()
    start = parse_position(chosen.position, best_position())
    winner = Colour.BLACK if chosen.winner == "b" else Colour.WHITE
    rng = random.Random(1)
    found = [probe(start, winner, chosen.leaf, chosen.playouts, rng) for _ in range(chosen.probes)]
    leaves = statistics.mean(weight for weight, *_ in found)
    sweeps = statistics.mean(weight / math.factorial(drawn) for weight, drawn, *_ in found)
    seconds = statistics.mean(taken for *_, taken in found)
    print(f"leaves of the tree {leaves:.2g}")
    print(f"sweeps, orders counted once {sweeps:.2g}, of {seconds:.2f} s each")
    print(f"processor time {sweeps * seconds / YEAR:.2g} years")
    print(f"probes that {chosen.winner} wins: {sum(won for *_, won, _ in found)} of {len(found)}")


if __name__ == "__main__":
    main()
