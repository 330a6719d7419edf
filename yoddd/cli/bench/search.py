"""Figures of the kernel's tree search."""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import Final

from yoddd.cli.bench import Figures, rate
from yoddd.engine import Budget
from yoddd.engine.mcts import MctsSearcher
from yoddd.rules import Position, make_rules

_BOARDS: Final = (
    ("yodd", "hex6"),
    ("yodd", "hex8"),
    ("xodd", "square9"),
    ("odd", "hex5"),
    ("yoin", "hex6"),
    ("product", "hex5"),
)
_CPU_BOARDS: Final = (
    ("yodd", "hex8"),
    ("xodd", "square9"),
    ("odd", "hex5"),
    ("product", "hex5"),
    ("yoin", "hex8"),
)
_SECONDS: Final = 0.5
_CPU_PLAYOUTS: Final = 40_000
_MEMORY: Final = 512 << 20


def _search(game: str, board: str, seed: int, budget: Budget) -> int:
    """The playouts of a search of the engine that begins afresh."""
    position = Position(make_rules(game, board))
    return MctsSearcher().search(position, budget, seed, lambda: False).playouts


def _playouts(game: str, board: str, threads: int) -> float:
    budget = Budget(seconds=_SECONDS, threads=threads, memory=_MEMORY)
    seeds = iter(range(1 << 30))
    return rate(lambda: _search(game, board, next(seeds), budget))


def _cpu_playouts(game: str, board: str, threads: int) -> float:
    """Playouts in a second of processor time of every thread.

    A machine without other work would show that, as far as its threads do not share caches.
    """
    budget = Budget(playouts=_CPU_PLAYOUTS, threads=threads, memory=_MEMORY)
    rates = []
    for seed in range(5):
        begun = time.process_time()
        played = _search(game, board, seed, budget)
        rates.append(threads * played / (time.process_time() - begun))
    return statistics.median(rates)


def _overtime(seconds: float) -> float:
    """Milliseconds by which a search of the engine exceeds its time."""
    position = Position(make_rules("yodd", "hex6"))
    searcher, over = MctsSearcher(), []
    for seed in range(20):
        begun = time.perf_counter()
        searcher.search(position, Budget(seconds=seconds), seed, lambda: False)
        over.append(time.perf_counter() - begun - seconds)
    return 1000 * statistics.median(over)


FIGURES: Final[Figures] = {
    **{
        f"search.{kind}.{game}.{board}.t{threads}": (partial(measure, game, board, threads), "1/s")
        for kind, measure, boards in (
            ("playouts", _playouts, _BOARDS),
            ("cpu_playouts", _cpu_playouts, _CPU_BOARDS),
        )
        for game, board in boards
        for threads in (1, 2)
    },
    "search.overtime": (partial(_overtime, 0.1), "ms"),
}
