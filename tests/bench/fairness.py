"""Fairness and liveliness of the games: figures from self-play.

    python -m tests.bench.fairness --games 100 --playouts 300 yodd/hex4 odd/hex5 yoin/hex5/pie=off

Every turn of both sides is that of the strongest engine with so many playouts. For each game and
board a line of a table: how often the side that begins wins, with its 95 % interval; the mean
length in turns; the mean number of legal turns; and how often, in the last ten turns, the side that
the search holds to be ahead changes: per game, and in how many games at all.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import attrs

from tests.bench.strength import wilson
from yoddd.engine import ENGINES, STRONGEST, Budget
from yoddd.kernel import NativePosition
from yoddd.rules import SWAP, Colour, Rules, make_rules

LAST = 10
HEAD = "| game | board | games | who begins wins | turns a game | legal turns | the lead changes |"


@attrs.frozen
class Played:
    """One game.

    Attributes:
        first_wins: whether the participant who began has won.
        turns: its length.
        branching: the mean number of legal turns.
        changes: how often the lead changed in the last ten turns.
    """

    first_wins: bool
    turns: int
    branching: float
    changes: int


def play(rules: Rules, playouts: int, seed: int, number: int) -> Played:
    """One game of the search against itself."""
    position = NativePosition(rules)
    rng = random.Random(f"{seed}/{number}")
    first = Colour.BLACK
    ahead: list[bool] = []
    legal: list[int] = []
    while not position.is_over:
        legal.append(position.count_turns())
        # A searcher for each turn: none keeps what it found for the turns that follow.
        found = ENGINES[STRONGEST]().search(
            position, Budget(playouts=playouts), rng.randrange(2**32), lambda: False
        )
        if found.winrate is None:
            raise RuntimeError("a search that estimates nothing")
        ahead.append((found.winrate > 0.5) == (position.player is first))
        if found.turn == SWAP:
            first = first.opponent
        position.play(found.turn)
    outcome = position.outcome()
    if outcome is None:
        raise RuntimeError("a finished game without outcome")
    last = [*ahead, outcome.winner is first][-LAST - 1 :]
    changes = sum(one != other for one, other in itertools.pairwise(last))
    return Played(outcome.winner is first, position.number - 1, statistics.fmean(legal), changes)


def read_rules(name: str) -> Rules:
    """Read ``GAME/BOARD`` or ``GAME/BOARD/OPTION=VALUE,...``."""
    game, board, *options = name.split("/", 2)
    pairs = (word.split("=", 1) for word in ",".join(options).split(",") if word)
    return make_rules(game, board, dict(pairs))


def describe(name: str, played: list[Played]) -> str:
    """A line of the table."""
    game, board, *options = name.split("/", 2)
    wins = sum(one.first_wins for one in played)
    low, high = wilson(wins, len(played))
    turned = sum(one.changes > 0 for one in played)
    cells = [
        ", ".join([game.title(), *(f"`{option}`" for option in options)]),
        board,
        str(len(played)),
        f"{wins / len(played):.2f} ({low:.2f} to {high:.2f})",
        f"{statistics.fmean(one.turns for one in played):.1f}",
        f"{statistics.fmean(one.branching for one in played):.0f}",
        f"{statistics.fmean(one.changes for one in played):.1f} times, in {turned} games",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("boards", nargs="+", metavar="GAME/BOARD[/OPTION=VALUE,...]")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--playouts", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    print(HEAD + "\n" + "|---" * HEAD.count(" | ") + "|---|")
    with ProcessPoolExecutor(chosen.processes) as pool:
        for name in chosen.boards:
            one = partial(play, read_rules(name), chosen.playouts, chosen.seed)
            played = list(pool.map(one, range(chosen.games)))
            print(describe(name, played), flush=True)


if __name__ == "__main__":
    main()
