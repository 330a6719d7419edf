"""Figures of the native kernel."""

from __future__ import annotations

import random
from functools import partial
from itertools import count
from typing import Final

from yoddd.cli.bench import Figures, rate, seconds
from yoddd.engine.uniform import random_turn
from yoddd.kernel import make_sweep, solve
from yoddd.kernel.backend import native
from yoddd.kernel.position import NativePosition
from yoddd.rules import make_rules

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


def _playouts(game: str, board: str, *, counts: int) -> float:
    """Playouts in a second, or stones that these drop."""
    rules = make_rules(game, board)
    wanted = _STONES // rules.geometry.cells

    def work() -> int:
        _, stones = NativePosition(rules).board.playouts(wanted, next(_seeds))
        return (wanted, stones)[counts]

    return rate(work)


def _nanoseconds_per_stone(game: str, board: str) -> float:
    return 1e9 / _playouts(game, board, counts=1)


def _count_turns() -> float:
    """Microseconds to count the legal turns of a hex8 board that is half full."""
    board = _endgame("yodd", "hex8", 85).board

    def work() -> int:
        for _ in range(_COUNTS):
            board.count_turns()
        return _COUNTS

    return 1e6 / rate(work)


def _perft(game: str, board: str, depth: int) -> float:
    position = NativePosition(make_rules(game, board))
    return rate(lambda: position.perft(depth))


def _solver() -> float:
    rules = make_rules("yodd", "hex3")
    turns = list(NativePosition(rules).legal_turns())

    def work() -> int:
        position = NativePosition(rules)
        position.play(turns[next(_seeds) % len(turns)])
        return solve(position, nodes=_SOLVER_NODES).nodes

    return rate(work)


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


def _sweep(game: str, board: str, empty: int, threads: int, *, distances: bool) -> float:
    """Seconds to solve a random endgame with so many empty cells, or to find the winners only."""
    position = _endgame(game, board, empty)
    return seconds(lambda: make_sweep(position, distances=distances, threads=threads), _SWEEPS)


def _bytes() -> float:
    return float(native().BOARD_BYTES)


_ENDGAMES: Final = (
    *(("sweep", "yodd", "hex4", empty, threads) for empty in (14, 16, 17) for threads in (1, 2)),
    *(("sweep", game, "hex4", 16, 2) for game in ("odd", "yoin", "product")),
    ("sweep", "xodd", "square6", 16, 2),
    *(("compact", "yodd", "hex4", empty, 2) for empty in (14, 16, 18, 19)),
    *(("compact", game, "hex4", 18, 2) for game in ("odd", "yoin", "product")),
    ("compact", "xodd", "square6", 18, 2),
)

FIGURES: Final[Figures] = {
    **{
        f"kernel.playouts.{game}.{board}": (partial(_playouts, game, board, counts=0), "1/s")
        for game, board in _BOARDS
    },
    **{
        f"kernel.stone.{game}.{board}": (partial(_nanoseconds_per_stone, game, board), "ns")
        for game, board in _BOARDS[:4]
    },
    **{
        f"kernel.perft.{game}.{board}.d{depth}": (partial(_perft, game, board, depth), "nodes/s")
        for game, board, depth in (("yodd", "hex3", 3), ("xodd", "square3", 4), ("yoin", "hex3", 4))
    },
    **{
        f"kernel.{kind}.{game}.{board}.e{empty}.t{threads}": (
            partial(_sweep, game, board, empty, threads, distances=kind == "sweep"),
            "s",
        )
        for kind, game, board, empty, threads in _ENDGAMES
    },
    "kernel.count_turns.yodd.hex8": (_count_turns, "us"),
    "kernel.solver.yodd.hex3": (_solver, "nodes/s"),
    "kernel.board.bytes": (_bytes, "bytes"),
}
