"""Play a search with little memory against one with much, and print Elo by memory and time.

    python -m tests.bench.memory --board hex5 0.2:1:60 0.2:4:60 1:4:24 1:16:24 5:16:10 5:64:10

Each argument is a cell of the table: seconds a turn, MiB of the smaller tree, games. The other side
has 256 MiB. Both search with one thread and keep their tree from turn to turn. Time is processor
time, so other work on the machine changes little. Two games in a row begin with the same two random
turns, with the sides exchanged; a game ends as soon as both sides give one of them `CLEAR` of the
wins.
"""

from __future__ import annotations

import argparse
import random
import time

import attrs
import scipy.stats

from tests.support.games import never
from tests.support.trees import Tree
from yoddd.engine.tuning import UNTUNED
from yoddd.engine.uniform import random_turn
from yoddd.kernel import NativePosition
from yoddd.referee.stats.elo import elo_of
from yoddd.rules import Colour, Rules, Turn, make_rules

OPENING = 2
"""Random turns at the beginning of a game."""

MUCH = 256
"""MiB of the other side, the engine's default."""

CLEAR = 0.97
"""The share of wins that both sides have to expect for a game to be over."""


class Side:
    """A search that keeps its tree during a game."""

    def __init__(self, rules: Rules, mebibytes: int, seconds: float, seed: int) -> None:
        self._tree = Tree(UNTUNED.settings(rules, threads=1, memory=mebibytes << 20), seed)
        self._seconds = seconds

    def search(self, position: NativePosition) -> tuple[Turn, float]:
        """The turn to play, and the share of wins of the player to move."""
        until = time.process_time() + self._seconds
        self._tree.begin(position)
        while self._tree.player.step(never) and time.process_time() < until:
            pass
        self._tree.player.finish()
        found = self._tree.found()
        return found.turn, found.winrate


@attrs.frozen
class Game:
    """The result of one game: whether the smaller tree has won."""

    won: bool
    turns: int


def play(rules: Rules, seconds: float, mebibytes: int, number: int) -> Game:
    """One game; the smaller tree is Black in every other one."""
    position, rng = NativePosition(rules), random.Random(f"memory/{number // 2}")
    for _ in range(OPENING):
        position.play(random_turn(position, rng))
    sides = [Side(rules, size, seconds, number) for size in (mebibytes, MUCH)]
    small, last = Colour(number % 2), 0.5  # of the smaller tree
    while not position.is_over:
        is_small = position.player is small
        turn, share = sides[not is_small].search(position)
        now = share if is_small else 1 - share
        if min(now, last) >= CLEAR or max(now, last) <= 1 - CLEAR:
            break
        last = now
        position.play(turn)
    outcome = position.outcome()
    won = last > 0.5 if outcome is None else outcome.winner is small
    return Game(won, position.number)


def row(rules: Rules, seconds: float, mebibytes: int, games: int) -> str:
    """A line of the table."""
    begun, played = time.process_time(), [play(rules, seconds, mebibytes, n) for n in range(games)]
    wins = sum(game.won for game in played)
    low, high = scipy.stats.binomtest(wins, games).proportion_ci(method="wilson")
    middle = (wins + 0.5) / (games + 1)  # finite where one side has won all
    turns = sum(game.turns for game in played) / games
    return (
        f"| {seconds:g} | {mebibytes} | {wins} of {games} | {elo_of(middle):+.0f} "
        f"({_bound(low)} to {_bound(high)}) | {turns:.0f} "
        f"| {time.process_time() - begun:.0f} |"
    )


def _bound(rate: float) -> str:
    return f"{elo_of(rate):+.0f}" if 1e-9 < rate < 1 - 1e-9 else f"{'+' if rate > 0.5 else '-'}∞"


def cell(text: str) -> tuple[float, int, int]:
    """Read ``SECONDS:MIB:GAMES``."""
    seconds, mebibytes, games = text.split(":")
    return float(seconds), int(mebibytes), int(games)


def main() -> None:
    """Play and print the table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("cells", nargs="+", type=cell, metavar="SECONDS:MIB:GAMES")
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", default="hex5")
    chosen = parser.parse_args()
    rules = make_rules(chosen.game, chosen.board)
    print("| s | MiB | wins | Elo | turns | processor s |")
    print("|---|---|---|---|---|---|")
    for seconds, mebibytes, games in chosen.cells:
        print(row(rules, seconds, mebibytes, games), flush=True)


if __name__ == "__main__":
    main()
