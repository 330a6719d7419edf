"""Figures of the kernel's tree search."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from yoddd.cli.bench.measure import Figure, rate
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


def _playouts(name: str, game: str, board: str, threads: int) -> Figure:
    budget = Budget(seconds=_SECONDS, threads=threads, memory=_MEMORY)
    seeds = iter(range(1 << 30))
    return Figure(name, rate(lambda: _search(game, board, next(seeds), budget)), "1/s")


def _cpu_playouts(name: str, game: str, board: str, threads: int) -> Figure:
    """Playouts in a second of processor time of every thread.

    A machine without other work would show that, as far as its threads do not share caches.
    """
    budget = Budget(playouts=_CPU_PLAYOUTS, threads=threads, memory=_MEMORY)
    rates = []
    for seed in range(5):
        begun = time.process_time()
        played = _search(game, board, seed, budget)
        rates.append(threads * played / (time.process_time() - begun))
    return Figure(name, statistics.median(rates), "1/s")


def _overtime(name: str, seconds: float) -> Figure:
    """Milliseconds by which a search of the engine exceeds its time."""
    position = Position(make_rules("yodd", "hex6"))
    searcher, over = MctsSearcher(), []
    for seed in range(20):
        begun = time.perf_counter()
        searcher.search(position, Budget(seconds=seconds), seed, lambda: False)
        over.append(time.perf_counter() - begun - seconds)
    return Figure(name, 1000 * statistics.median(over), "ms")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    **{
        name: partial(_playouts, name, game, board, threads)
        for game, board in _BOARDS
        for threads in (1, 2)
        for name in [f"search.playouts.{game}.{board}.t{threads}"]
    },
    **{
        name: partial(_cpu_playouts, name, game, board, threads)
        for game, board in _CPU_BOARDS
        for threads in (1, 2)
        for name in [f"search.cpu_playouts.{game}.{board}.t{threads}"]
    },
    "search.overtime": partial(_overtime, "search.overtime", 0.1),
}
