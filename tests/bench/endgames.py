"""Endgames whose winner the solver knows: make them, and see whether the engine wins them.

    python -m tests.bench.endgames make > protocol/vectors/engine/endgames.txt
    python -m tests.bench.endgames solve --seconds 1

Positions come from seeded random games of Yodd on hex4, with at most ten empty cells; the side to
move wins, but at least half of a sample of its turns would lose. ``solve`` counts how often the
engine's turn keeps the win, by the solver's word.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from yoddd.engine import ENGINES, STRONGEST, Budget
from yoddd.engine.uniform import random_turn
from yoddd.kernel import NativePosition, solve
from yoddd.notation import format_position, parse_position
from yoddd.rules import PositionLike, Turn, make_rules

FILE = Path(__file__).parents[2] / "protocol" / "vectors" / "engine" / "endgames.txt"
FEWEST, MOST = 6, 10
SAMPLE = 8
NODES = 20_000_000
MEMORY = 16 << 20
HEAD = """\
# Endgames of Yodd on hex4 that the side to move wins, though at least half of a sample of eight of
# its turns loses: position, who wins. The exact solver has found the winner.
# Made by: python -m tests.bench.endgames make"""


def random_endgame(seed: int, most: int) -> NativePosition:
    """A position of a random game with a few cells empty."""
    rng = random.Random(seed)
    wanted = rng.choice(range(FEWEST, most + 1))
    position = NativePosition(make_rules("yodd", "hex4"))
    while position.cells.count(None) > wanted and not position.is_over:
        position.play(random_turn(position, rng))
    return position


def is_won(position: PositionLike) -> bool:
    """Whether the side to move wins."""
    return solve(position, nodes=NODES, memory=MEMORY).winner is position.player


def is_sharp(position: PositionLike, seed: int) -> bool:
    """Whether at least half of a sample of turns loses."""
    rng = random.Random(seed)
    turns = list(position.legal_turns())
    sample = rng.sample(turns, min(SAMPLE, len(turns)))
    lost = 0
    for number, turn in enumerate(sample, 1):
        lost += loses(position, turn)
        if 2 * lost >= len(sample) or 2 * (lost + len(sample) - number) < len(sample):
            break
    return 2 * lost >= len(sample)


def loses(position: PositionLike, turn: Turn) -> bool:
    """Whether a turn lets the other side win."""
    after = position.copy()
    after.play(turn)
    outcome = after.outcome()
    winner = solve(after, nodes=NODES, memory=MEMORY).winner if outcome is None else outcome.winner
    return winner is position.player.opponent


def endgames(wanted: int, first: int, most: int) -> Iterator[NativePosition]:
    """So many, from the seed ``first`` on."""
    found = 0
    for seed in count(first):
        position = random_endgame(seed, most)
        if not position.is_over and is_won(position) and is_sharp(position, seed):
            yield position
            found += 1
            if found == wanted:
                return


def read() -> list[PositionLike]:
    """The positions of the file."""
    lines = FILE.read_text(encoding="ascii").splitlines()
    return [
        parse_position(line.partition(" ; ")[0])
        for line in lines
        if line and not line.startswith("#")
    ]


def solved(position: PositionLike, seconds: float) -> bool:
    """Whether the engine's turn keeps the win."""
    found = ENGINES[STRONGEST]().search(position, Budget(seconds=seconds), 1, lambda: False)
    return not loses(position, found.turn)


def main() -> None:
    """Make or solve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("work", choices=["make", "solve"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with")
    parser.add_argument("--most", type=int, default=MOST, help="the most empty cells")
    parser.add_argument("--seconds", type=float, default=1.0)
    chosen = parser.parse_args()
    if chosen.work == "make":
        print(HEAD)
        for position in endgames(chosen.count, chosen.first, chosen.most):
            line = f"{format_position(position)} ; {'bw'[position.player]}"
            print(line, flush=True)
        return
    positions = read()[: chosen.count]
    right = sum(solved(position, chosen.seconds) for position in positions)
    print(f"{right} of {len(positions)} won at {chosen.seconds:g} s")


if __name__ == "__main__":
    main()
