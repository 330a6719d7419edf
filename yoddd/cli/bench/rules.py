"""Figures of the plain reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from yoddd.cli.bench.measure import Figure, rate
from yoddd.rules import Position, make_rules

_PERFT: Final = (
    ("yodd", "hex3", 2),
    ("xodd", "square3", 3),
    ("odd", "hex3", 2),
    ("yoin", "hex3", 3),
    ("product", "hex3", 2),
)


def _perft(name: str, game: str, board: str, depth: int) -> Figure:
    position = Position(make_rules(game, board))
    return Figure(name, rate(lambda: position.perft(depth)), "nodes/s")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    name: partial(_perft, name, game, board, depth)
    for game, board, depth in _PERFT
    for name in [f"rules.perft.{game}.{board}.d{depth}"]
}
