"""Measures how the engine plays endings and how far its winrates can be believed there.

``python -m tests.bench.endings kept --empty 22 --seconds 1`` searches one turn in won positions of
each game and prints the share that is still won after it; ``told --playouts 10000`` searches solved
positions without a proof before the tree, and prints the log loss of the winrates, and how many
were on the wrong side by more than 0.4.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from itertools import count
from typing import Final

from tests.kernel.endgames import random_endgame, swept
from tests.support.games import never
from tests.support.trees import Tree
from yoddd.engine import Budget
from yoddd.engine.mcts import MctsSearcher
from yoddd.engine.tuning import UNTUNED
from yoddd.kernel import solve
from yoddd.rules import Colour, PositionLike, Rules, make_rules

GAMES: Final = (
    make_rules("yodd", "hex4"),
    make_rules("xodd", "square6"),
    make_rules("odd", "hex4"),
    make_rules("product", "hex4"),
    make_rules("yoin", "hex4"),
)
FEWEST, MOST = 10, 16
"""The empty cells of the solved positions."""

PATIENCE: Final = 60
"""The seconds of a proof; what takes longer is left out."""


def endgames(rules: Rules, fewest: int, most: int) -> Iterator[tuple[int, PositionLike]]:
    """Positions of random games with so many empty cells, and their seeds."""
    for seed in count():
        empty = fewest + seed % (most - fewest + 1)
        position = random_endgame(rules, seed, empty)
        if not position.is_over and position.cells.count(None) <= most:
            yield seed, position


def winner(position: PositionLike, memory: int) -> Colour | None:
    """The colour that wins, or None if the proof takes too long."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner
    return solve(position, seconds=PATIENCE, memory=memory, threads=2).winner


def kept(rules: Rules, empty: int, seconds: float, wanted: int, memory: int) -> str:
    """The share of won positions with so many empty cells that one turn of level 10 keeps won."""
    won = 0
    lost: list[int] = []
    for seed, position in endgames(rules, empty, empty):
        if won + len(lost) == wanted:
            break
        player, before = position.player, position.copy()
        budget = Budget(seconds=seconds, threads=2)
        position.play(MctsSearcher().search(position, budget, seed, never).turn)
        after = winner(position, memory)
        if after is player:
            won += 1
        elif after is not None and winner(before, memory) is player:
            lost.append(seed)
    return f"{won} of {won + len(lost)}, lost seeds {lost}"


def told(rules: Rules, playouts: int, wanted: int) -> str:
    """The log loss of the winrates of a tree alone, and the seeds of those far off."""
    losses, proven, wrong = 0.0, 0, []
    for done, (seed, position) in enumerate(endgames(rules, FEWEST, MOST)):
        if done == wanted:
            break
        wins = swept(position, distances=False).turns(position)[0].wins
        settings = UNTUNED.settings(rules, threads=1, memory=256 << 20)
        found = Tree(settings, seed).run(position, playouts=playouts)
        chance = found.winrate if wins else 1 - found.winrate
        losses -= math.log(max(chance, 1e-6))
        proven += found.winner is not None
        if chance < 0.1:
            wrong.append(seed)
    return f"log loss {losses / wanted:.4f}, proven {proven} of {wanted}, wrong seeds {wrong}"


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", choices=["kept", "told"])
    parser.add_argument("--game", choices=[rules.game.name for rules in GAMES], nargs="+")
    parser.add_argument("--positions", type=int, default=200, help="of each game")
    parser.add_argument("--empty", type=int, default=18, help="cells, of kept")
    parser.add_argument("--seconds", type=float, default=1.0, help="a turn, of kept")
    parser.add_argument("--memory", type=int, default=8000, help="MiB of a proof, of kept")
    parser.add_argument("--playouts", type=int, default=10_000, help="of told")
    given = parser.parse_args()
    for rules in GAMES:
        if given.game and rules.game.name not in given.game:
            continue
        if given.figure == "told":
            found = told(rules, given.playouts, given.positions)
        else:
            found = kept(rules, given.empty, given.seconds, given.positions, given.memory << 20)
        sys.stdout.write(f"{rules.game.name} {rules.geometry.name}: {found}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
