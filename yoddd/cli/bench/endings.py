"""The share of won endings in which the engine keeps the win, within a short time a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count, islice
from typing import Final

from yoddd.cli.bench.measure import Figure
from yoddd.engine import Budget
from yoddd.engine.mcts import MctsSearcher
from yoddd.kernel import NativePosition, make_sweep
from yoddd.kernel.backend import native
from yoddd.kernel.position import turn_of
from yoddd.rules import Turn, make_rules

_POSITIONS: Final = 20

_CASES: Final = (
    *((game, board, 18, 0.2) for game, board in (("yodd", "hex4"), ("xodd", "square6"))),
    *((game, board, 20, 1.0) for game, board in (("yodd", "hex4"), ("xodd", "square6"))),
    *((game, "hex4", 20, 0.2) for game in ("odd", "yoin")),
    *((game, "hex4", 22, 1.0) for game in ("odd", "yoin")),
)
"""Game, board, empty cells, seconds a turn."""


def _won(game: str, board: str, empty: int) -> Iterator[tuple[NativePosition, frozenset[Turn]]]:
    """Positions of random games that the player to move wins, with the turns that keep the win."""
    rules = make_rules(game, board)
    for seed in count():
        position, rng = NativePosition(rules), native().Rng(seed)
        while position.cells.count(None) > empty and not position.is_over:
            position.play(turn_of(rules, position.board.sample_turn(rng)))
        if position.is_over or position.cells.count(None) != empty:
            continue
        sweep = make_sweep(position, distances=False)
        wins = frozenset(one.turn for one in sweep.turns(position) if one.wins) if sweep else ()
        if wins:
            yield position, frozenset(wins)


def _kept(name: str, game: str, board: str, empty: int, seconds: float) -> Figure:
    """The percentage of won positions in which the engine's turn keeps the win."""
    budget = Budget(seconds=seconds, threads=1)
    kept = sum(
        MctsSearcher().search(position, budget, 1, lambda: False).turn in wins
        for position, wins in islice(_won(game, board, empty), _POSITIONS)
    )
    return Figure(name, 100 * kept / _POSITIONS, "%")


def _all() -> Mapping[str, Callable[[], Figure]]:
    figures: dict[str, Callable[[], Figure]] = {}
    for game, board, empty, seconds in _CASES:
        name = f"endings.kept.{game}.{board}.e{empty}.{seconds:g}s"
        figures[name] = partial(_kept, name, game, board, empty, seconds)
    return figures


FIGURES: Final = _all()
