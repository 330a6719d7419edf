"""Blunders planted in solved endings: how many of them a review names, and how many others.

    python -m tests.bench.review --games 100

Games are played by the engine with few playouts until a sweep solves the rest. From there a player
who wins plays a turn that wins or, planted, one that loses; one who loses plays any turn. The
planted turns are known from the sweep that made the game, and those with few empty cells are proven
again by proof search without sweeps.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import attrs

from yoddd.engine import Budget, MctsSearcher
from yoddd.kernel import Sweep, best_position, make_sweep, solve
from yoddd.library.review import ExactLimits, GameReview, Grade, ReviewSettings, review_game
from yoddd.rules import PositionLike, Rules, Turn, make_rules

BOARDS = (
    ("yodd", "hex4"),
    ("xodd", "square6"),
    ("odd", "hex4"),
    ("yoin", "hex4"),
    ("product", "hex4"),
)
PLAYOUTS = 60
ENDING = (9, 15)
"""The fewest and the most empty cells of a position in which the solved ending begins."""
PLANTED = 0.3
"""The probability of a planted turn where a win can be thrown away."""
PROVEN = 10
"""The most empty cells of a position that is proven again by search."""


@attrs.frozen
class Planted:
    """A game with planted blunders.

    Attributes:
        start: the empty board.
        turns: the turns.
        ending: the index of the first turn of the solved ending.
        planted: the indices of the blunders.
        sweep: over the ending.
    """

    start: PositionLike
    turns: tuple[Turn, ...]
    ending: int
    planted: frozenset[int]
    sweep: Sweep

    def position(self, index: int) -> PositionLike:
        """The position before a turn."""
        position = self.start.copy()
        for turn in self.turns[:index]:
            position.play(turn)
        return position


def _no_stop() -> bool:
    return False


def plant(rules: Rules, seed: int) -> Planted | None:
    """A game; None if its ending had no win to throw away."""
    rng = random.Random(seed)
    position = best_position()(rules)
    cells = rng.randint(*ENDING)
    engine = MctsSearcher()
    while position.cells.count(None) > cells and not position.is_over:
        found = engine.search(position, Budget(playouts=PLAYOUTS), rng.randrange(1 << 31), _no_stop)
        position.play(found.turn)
    if position.is_over:
        return None
    sweep, ending = make_sweep(position), len(position.history)
    assert sweep is not None
    planted = frozenset(play_ending(position, sweep, rng))
    start = best_position()(rules)
    return Planted(start, position.history, ending, planted, sweep) if planted else None


def play_ending(position: PositionLike, sweep: Sweep, rng: random.Random) -> Iterator[int]:
    """Play a game to its end, and yield the indices of planted turns."""
    while values := sweep.turns(position):
        wins = [value.turn for value in values if value.wins]
        losses = [value.turn for value in values if not value.wins]
        if wins and losses and rng.random() < PLANTED:
            yield len(position.history)
            position.play(rng.choice(losses))
        else:
            position.play(rng.choice(wins or losses))


def games(wanted: int, first: int) -> Iterator[Planted]:
    """So many games on all boards in turn, from the seed ``first`` on."""
    found = 0
    for seed, (game, board) in enumerate(cycle(BOARDS), first):
        made = plant(make_rules(game, board), seed)
        if made is not None:
            yield made
            found += 1
            if found == wanted:
                return


def is_proven(game: Planted, index: int) -> bool:
    """Whether proof search, without sweeps, finds that a turn throws a win away."""
    before, after = game.position(index), game.position(index + 1)
    outcome = after.outcome()
    winners = [
        solve(one, method="search", leaf=0).winner
        for one in ((before,) if outcome is not None else (before, after))
    ]
    winners += [outcome.winner] if outcome is not None else []
    return winners == [before.player, before.player.opponent]


def count(game: Planted, review: GameReview) -> Counter[str]:
    """The counts of one game."""
    found: Counter[str] = Counter()
    for index in range(game.ending, len(game.turns)):
        turn = review.turns[index]
        if index not in game.planted:
            found["others"] += 1
            found["false alarms"] += turn.grade is not Grade.SOUND
            continue
        found["planted"] += 1
        found["named"] += turn.grade is Grade.BLUNDER
        better = {value.turn for value in game.sweep.turns(game.position(index)) if value.wins}
        found["better turn wins"] += turn.better[:1] in {(one,) for one in better}
        if game.position(index).cells.count(None) <= PROVEN:
            found["proven again"] += is_proven(game, index)
            found["to prove again"] += 1
    return found


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with")
    parser.add_argument("--visits", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--estimates", action="store_true", help="solve nothing")
    chosen = parser.parse_args()
    total: Counter[str] = Counter()
    begun = time.perf_counter()
    with ThreadPoolExecutor(chosen.threads) as pool:
        exact = ExactLimits(threads=chosen.threads, seconds=0 if chosen.estimates else 10)
        settings = ReviewSettings(visits=chosen.visits, exact=exact, each=pool.map)
        for number, game in enumerate(games(chosen.games, chosen.first), 1):
            total += count(game, review_game(game.start, game.turns, settings))
            print(f"{number} games: {dict(total)}", file=sys.stderr)
    named, planted = total["named"], total["planted"]
    alarms, others = total["false alarms"], total["others"]
    print(f"planted {planted}, named {named}: {100 * named / planted:.1f} %")
    print(f"others {others}, false alarms {alarms}: {100 * alarms / others:.1f} %")
    print(f"better turn wins: {total['better turn wins']} of {planted}")
    proven = f"{total['proven again']} of {total['to prove again']}"
    print(f"proven again by search: {proven}, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
