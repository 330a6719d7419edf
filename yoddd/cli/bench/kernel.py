"""Figures of the native kernel."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Final

from yoddd.cli.bench.measure import Figure, rate, seconds
from yoddd.engine.uniform import random_turn
from yoddd.kernel import make_sweep, solve
from yoddd.kernel.backend import native
from yoddd.kernel.position import NativePosition
from yoddd.rules import Rules, make_rules

_STONES: Final = 15_000_000
"""Stones placed in a repetition, about: some 0.3 s."""

_COUNTS: Final = 3000
_SOLVER_NODES: Final = 200_000
_SWEEPS: Final = 3

_seeds: Final = count(1)
"""Seeds; each repetition plays other games, since branch prediction adapts to repeated ones."""

_BOARDS: Final = (
    *(("yodd", f"hex{size}") for size in (6, 8, 10)),
    ("xodd", "square12"),
    *(("odd", board) for board in ("hex6", "hex8", "hex10", "square12")),
    *((game, f"hex{size}") for game in ("yoin", "product") for size in (6, 8, 10)),
)


def _run_playouts(rules: Rules) -> tuple[int, int]:
    """The number of playouts, and of the stones that they dropped."""
    wanted = _STONES // rules.geometry.cells
    _, stones = NativePosition(rules).board.playouts(wanted, next(_seeds))
    return wanted, stones


def _playouts(name: str, game: str, board: str) -> Figure:
    rules = make_rules(game, board)
    return Figure(name, rate(lambda: _run_playouts(rules)[0]), "1/s")


def _nanoseconds_per_stone(name: str, game: str, board: str) -> Figure:
    rules = make_rules(game, board)
    return Figure(name, 1e9 / rate(lambda: _run_playouts(rules)[1]), "ns")


def _count_turns(name: str) -> Figure:
    """Microseconds to count the legal turns of a hex8 board that is half full."""
    board = _endgame("yodd", "hex8", 85).board

    def work() -> int:
        for _ in range(_COUNTS):
            board.count_turns()
        return _COUNTS

    return Figure(name, 1e6 / rate(work), "us")


def _perft(name: str, game: str, board: str, depth: int) -> Figure:
    position = NativePosition(make_rules(game, board))
    return Figure(name, rate(lambda: position.perft(depth)), "nodes/s")


def _solver(name: str) -> Figure:
    rules = make_rules("yodd", "hex3")
    turns = list(NativePosition(rules).legal_turns())

    def work() -> int:
        position = NativePosition(rules)
        position.play(turns[next(_seeds) % len(turns)])
        return solve(position, nodes=_SOLVER_NODES).nodes

    return Figure(name, rate(work), "nodes/s")


def _endgame(game: str, board: str, empty: int) -> NativePosition:
    """A position of a random game with so many empty cells."""
    rules = make_rules(game, board)
    position = NativePosition(rules)
    rng = random.Random(1)
    while position.cells.count(None) > empty:
        turn = random_turn(position, rng)
        if position.cells.count(None) - len(turn.stones) >= empty:
            position.play(turn)
    return position


def _sweep(name: str, game: str, board: str, empty: int, threads: int) -> Figure:
    """Seconds to solve a random endgame with so many empty cells."""
    position = _endgame(game, board, empty)
    return Figure(name, seconds(lambda: make_sweep(position, threads=threads), _SWEEPS), "s")


def _compact_sweep(name: str, game: str, board: str, empty: int, threads: int) -> Figure:
    """Seconds to find the winners only."""
    position = _endgame(game, board, empty)
    took = seconds(lambda: make_sweep(position, distances=False, threads=threads), _SWEEPS)
    return Figure(name, took, "s")


def _bytes(name: str) -> Figure:
    return Figure(name, float(native().BOARD_BYTES), "bytes")


def _all() -> Mapping[str, Callable[[], Figure]]:
    figures: dict[str, Callable[[], Figure]] = {}
    for game, board in _BOARDS:
        name = f"kernel.playouts.{game}.{board}"
        figures[name] = partial(_playouts, name, game, board)
    for game, board in _BOARDS[:4]:
        name = f"kernel.stone.{game}.{board}"
        figures[name] = partial(_nanoseconds_per_stone, name, game, board)
    for game, board, depth in (("yodd", "hex3", 3), ("xodd", "square3", 4), ("yoin", "hex3", 4)):
        name = f"kernel.perft.{game}.{board}.d{depth}"
        figures[name] = partial(_perft, name, game, board, depth)
    for game, board, empty, threads in (
        *(("yodd", "hex4", empty, threads) for empty in (14, 16, 17) for threads in (1, 2)),
        *((game, "hex4", 16, 2) for game in ("odd", "yoin", "product")),
        ("xodd", "square6", 16, 2),
    ):
        name = f"kernel.sweep.{game}.{board}.e{empty}.t{threads}"
        figures[name] = partial(_sweep, name, game, board, empty, threads)
    for game, board, empty, threads in (
        *(("yodd", "hex4", empty, 2) for empty in (14, 16, 18, 19)),
        *((game, "hex4", 18, 2) for game in ("odd", "yoin", "product")),
        ("xodd", "square6", 18, 2),
    ):
        name = f"kernel.compact.{game}.{board}.e{empty}.t{threads}"
        figures[name] = partial(_compact_sweep, name, game, board, empty, threads)
    for name, measure in (
        ("kernel.count_turns.yodd.hex8", _count_turns),
        ("kernel.solver.yodd.hex3", _solver),
        ("kernel.board.bytes", _bytes),
    ):
        figures[name] = partial(measure, name)
    return figures


FIGURES: Final = _all()
