"""Play neighbouring levels against each other and say how many Elo lie between them.

    python -m tests.bench.levels --board hex4 --games 100
    python -m tests.bench.levels --board hex5 --games 200 --only 9

Colours are exchanged from game to game; every turn has a seed of its own. The highest level runs as
many playouts as the engine chooses without a limit; ``--playouts`` makes that less.
"""

from __future__ import annotations

import argparse
import random
from functools import partial

from tests.bench.strength import wilson
from yoddd.engine import ENGINES, LEVELS, STRONGEST, Budget, Levelled
from yoddd.kernel import NativePosition
from yoddd.referee.stats.elo import elo_of
from yoddd.rules import Colour, make_rules


def play(game: str, board: str, playouts: int, levels: tuple[int, int], number: int) -> bool:
    """One game: whether the second of two levels has won."""
    position = NativePosition(make_rules(game, board))
    rng = random.Random(f"{levels}/{number}")
    sides = [Levelled(ENGINES[STRONGEST](), LEVELS[level - 1]) for level in levels]
    second = Colour(number % 2)
    while not position.is_over:
        side = sides[position.player is second]
        seed = rng.randrange(2**32)
        found = side.search(position, Budget(playouts=playouts), seed, lambda: False)
        position.play(found.turn)
    outcome = position.outcome()
    if outcome is None:
        raise RuntimeError("a finished game without outcome")
    return outcome.winner is second


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", default="hex4")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--playouts", type=int, default=50_000)
    parser.add_argument("--only", type=int, action="append", help="the lower level of a pair")
    chosen = parser.parse_args()
    print("| levels | games | the higher one wins | Elo between them |\n|---|---|---|---|")
    for lower in chosen.only or range(1, len(LEVELS)):
        one = partial(play, chosen.game, chosen.board, chosen.playouts, (lower, lower + 1))
        wins = sum(one(number) for number in range(chosen.games))
        low, high = wilson(wins, chosen.games)
        rate = f"{wins / chosen.games:.2f} ({low:.2f} to {high:.2f})"
        apart = f"{elo_of(wins / chosen.games):.0f} ({elo_of(low):.0f} to {elo_of(high):.0f})"
        line = f"| {lower}, {lower + 1} | {chosen.games} | {rate} | {apart} |"
        print(line, flush=True)


if __name__ == "__main__":
    main()
