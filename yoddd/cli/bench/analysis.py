"""Figures of ``yoddd analysis``: a game of 50 turns at 2,000 visits a position."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import attrs

from yoddd.cli.bench.measure import Figure
from yoddd.engine import Budget
from yoddd.engine.uniform import UniformSearcher
from yoddd.kernel import best_position
from yoddd.notation import format_turn
from yoddd.rules import make_rules

_TURNS: Final = 50
_VISITS: Final = 2000
_REPETITIONS: Final = 5


@attrs.frozen
class _Engine:
    """The analysis engine in a process of its own; it keeps no searches."""

    process: subprocess.Popen[str]

    def send(self, query: Mapping[str, Any]) -> None:
        """Send a query."""
        assert self.process.stdin is not None  # noqa: S101 — a pipe
        self.process.stdin.write(json.dumps(query) + "\n")
        self.process.stdin.flush()

    def answers(self, count: int) -> None:
        """Read so many answers, each the last one about its position."""
        assert self.process.stdout is not None  # noqa: S101 — a pipe
        for _ in range(count):
            answer = json.loads(self.process.stdout.readline())
            if "moveInfos" not in answer:
                raise RuntimeError(answer)


@contextmanager
def _engine(threads: int) -> Iterator[_Engine]:
    process = subprocess.Popen(
        [sys.executable, "-m", "yoddd", "analysis", "--kept", "0", "--threads", str(threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield _Engine(process)
    finally:
        process.communicate()


def _query(board: str) -> dict[str, Any]:
    """The query about all positions of a game of random turns but the last."""
    position, turns = best_position()(make_rules("yodd", board)), []
    for number in range(_TURNS):
        turn = UniformSearcher().search(position, Budget(), number, lambda: False).turn
        turns.append(format_turn(turn, position.rules))
        position.play(turn)
    return {
        "id": "game",
        "game": "yodd",
        "board": board,
        "turns": turns,
        "analyzeTurns": list(range(_TURNS)),
        "maxVisits": _VISITS,
    }


def _at_once(engine: _Engine, query: Mapping[str, Any]) -> float:
    """Seconds for the game as one query."""
    begun = time.perf_counter()
    engine.send(query)
    engine.answers(_TURNS)
    return time.perf_counter() - begun


def _in_turn(engine: _Engine, query: Mapping[str, Any]) -> float:
    """Seconds for the game if each position waits for the answer about the one before."""
    begun = time.perf_counter()
    for turn in query["analyzeTurns"]:
        engine.send({**query, "analyzeTurns": [turn]})
        engine.answers(1)
    return time.perf_counter() - begun


def _positions(name: str, board: str, threads: int) -> Figure:
    query = _query(board)
    with _engine(threads) as engine:
        _at_once(engine, query)
        seconds = [_at_once(engine, query) for _ in range(_REPETITIONS)]
    return Figure(name, _TURNS / statistics.median(seconds), "positions/s")


def _speedup(name: str, board: str, threads: int) -> Figure:
    """The speed of a game as one query, in times that of position after position.

    Both are measured alternately.
    """
    query = _query(board)
    with _engine(threads) as engine:
        _at_once(engine, query)
        factors = [_in_turn(engine, query) / _at_once(engine, query) for _ in range(_REPETITIONS)]
    return Figure(name, statistics.median(factors), f"times, on {threads} threads")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    **{
        name: partial(_positions, name, "hex8", threads)
        for threads in (1, 2)
        for name in [f"analysis.positions.yodd.hex8.t{threads}"]
    },
    **{
        name: partial(_speedup, name, "hex8", threads)
        for threads in (2, 4)
        for name in [f"analysis.speedup.yodd.hex8.t{threads}"]
    },
}
