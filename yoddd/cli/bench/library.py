"""Figures of the library as reinforcement learning uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from yoddd.cli.bench.measure import Figure, rate
from yoddd.extras import needs_extra

with needs_extra("yoddd bench library", "rl"):
    import numpy as np

    from yoddd.library.batch import GameBatch

_GAMES: Final = 1024
_STEPS: Final = 100


class Walk:
    """A batch under a random policy; a finished game is followed by another."""

    def __init__(self, board: str, threads: int, *, observe: bool) -> None:
        self.batch = GameBatch(_GAMES, "yodd", board, threads=threads)
        self.mask = self.batch.legal_actions_mask()
        self.planes = self.batch.observation_tensor() if observe else None
        self.actions = np.empty(_GAMES, np.int64)
        self.rng = np.random.default_rng(1)

    def __call__(self) -> int:
        """Take some steps and return the number of actions."""
        for _ in range(_STEPS):
            self.batch.random_actions(self.rng.random(_GAMES), self.actions)
            self.batch.step(self.actions)
            self.batch.legal_actions_mask(self.mask)
            if self.planes is not None:
                self.batch.observation_tensor(self.planes)
        return _STEPS * _GAMES


def _steps(name: str, board: str, threads: int, *, observe: bool) -> Figure:
    return Figure(name, rate(Walk(board, threads, observe=observe)), "steps/s")


def _all() -> Mapping[str, Callable[[], Figure]]:
    figures: dict[str, Callable[[], Figure]] = {}
    for board in ("hex6", "hex8"):
        for threads in (1, 2):
            for what in ("steps", "steps_and_planes"):
                name = f"library.batch.{what}.yodd.{board}.n{_GAMES}.t{threads}"
                observe = what != "steps"
                figures[name] = partial(_steps, name, board, threads, observe=observe)
    return figures


FIGURES: Final = _all()
