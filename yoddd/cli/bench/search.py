"""Figures of the kernel's tree search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from yoddd.cli.bench.measure import Figure, rate
from yoddd.kernel import TreeSearch, TreeSettings
from yoddd.rules import Position, make_rules

_BOARDS: Final = (
    ("yodd", "hex6"),
    ("yodd", "hex8"),
    ("xodd", "square9"),
    ("odd", "hex5"),
    ("yoin", "hex6"),
)
_SECONDS: Final = 0.5


def _playouts(name: str, game: str, board: str, threads: int) -> Figure:
    position = Position(make_rules(game, board))
    seeds = iter(range(1 << 30))

    def once() -> int:
        tree = TreeSearch(position, seed=next(seeds), settings=TreeSettings(threads=threads))
        return tree.run(seconds=_SECONDS).playouts

    return Figure(name, rate(once), "1/s")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    name: partial(_playouts, name, game, board, threads)
    for game, board in _BOARDS
    for threads in (1, 2)
    for name in [f"search.playouts.{game}.{board}.t{threads}"]
}
