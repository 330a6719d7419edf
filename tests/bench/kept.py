"""Measure the share of won positions that the engine keeps won, with and without tables.

    python -m tests.bench.kept --tables DIR --positions 1000 --seconds 0.1

The positions are random fillings of a board, 1 to ``--stones`` stones with as many positions of
each number, which the side to move wins by the table in DIR (``yoddd table build`` makes it). A
real ``yoddd gtp`` chooses a turn in each, first with the table and then without any; the table says
whether the turn keeps the win. The time is that of the request, as its controller sees it.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.bench.clock import Engine
from yoddd.daemon.base.tables import map_file
from yoddd.kernel import best_position
from yoddd.kernel.table import Table, file_name
from yoddd.notation import format_position, parse_turn
from yoddd.rules import Colour, IllegalPosition, PositionLike, Rules, make_rules


@attrs.frozen
class Kept:
    """The figures of an engine.

    Attributes:
        won: positions that it kept won.
        times: seconds of each turn.
    """

    won: int
    times: list[float]

    def __str__(self) -> str:
        turns, ordered = len(self.times), sorted(self.times)
        return (
            f"kept {self.won} of {turns}, {100 * self.won / turns:.1f} %; "
            f"time median {1000 * statistics.median(ordered):.0f} ms, "
            f"longest {1000 * ordered[-1]:.0f} ms"
        )


def random_filling(rules: Rules, stones: int, rng: random.Random) -> PositionLike | None:
    """A filling with so many stones and one of the players on turn; None if it cannot stand."""
    cells: list[Colour | None] = [None] * rules.geometry.cells
    for cell in rng.sample(range(len(cells)), stones):
        cells[cell] = rng.choice(list(Colour))
    try:
        return best_position().set_up(rules, cells, rng.choice(list(Colour)), 0, stones + 1)
    except IllegalPosition:
        return None


def won_positions(table: Table, stones: int, seed: int) -> Iterator[PositionLike]:
    """Random won positions without end, with 1 to ``stones`` stones in turn."""
    rng, number = random.Random(seed), 0
    while True:
        position = random_filling(table.rules, 1 + number % stones, rng)
        if position is not None and table.value(position).won:
            number += 1
            yield position


def measure(table: Table, positions: list[PositionLike], seconds: float, path: str) -> Kept:
    """Let an engine with the tables of a search path choose a turn in every position."""
    rules = table.rules
    engine = Engine("--game", rules.game.name, "--board", rules.geometry.name, "--tables", path)
    engine.ask(f"set_param seconds {seconds}")
    kept, times = 0, []
    for position in positions:
        engine.ask(f"position {format_position(position)}")
        begun = time.perf_counter()
        token = engine.ask("reg_genmove")
        times.append(time.perf_counter() - begun)
        position.play(parse_turn(token, rules, position.player))
        kept += not table.value(position).won
        position.undo()
    engine.close()
    return Kept(kept, times)


def main() -> None:
    """Print the share with tables and without."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", default="hex3")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--stones", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rules = make_rules(options.game, options.board)
    table = Table(map_file(options.tables / file_name(rules)))
    source = won_positions(table, options.stones, options.seed)
    positions = [next(source) for _ in range(options.positions)]
    for name, path in (("with tables", str(options.tables)), ("without", "off")):
        load = os.getloadavg()[0]
        found = measure(table, positions, options.seconds, path)
        print(f"{name}: {found}; load {load:.1f} to {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
