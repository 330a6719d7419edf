"""Levels of play for humans, from random turns to full strength."""

from __future__ import annotations

import random
from typing import Final

import attrs

from yoddd.engine.searcher import Budget, Searcher, SearchResult, StopFlag
from yoddd.engine.uniform import UniformSearcher
from yoddd.rules import PositionLike

_SALT: Final = 0x5EED


@attrs.frozen
class Level:
    """A limit on the strength of play.

    Attributes:
        playouts: the most that a search may run; None for no limit of the level's own.
        blunder: how often a turn is drawn at random instead, 0 to 1.
    """

    playouts: int | None
    blunder: float

    @property
    def is_full(self) -> bool:
        """Whether the level limits nothing."""
        return self.playouts is None and self.blunder == 0

    def limit(self, budget: Budget) -> Budget:
        """The budget that this level leaves of ``budget``."""
        if self.playouts is None:
            return budget
        most = min(self.playouts, budget.playouts_or(self.playouts))
        return attrs.evolve(budget, playouts=most)

    def blunders(self, seed: int) -> bool:
        """Whether the turn of this seed is a random one."""
        return random.Random(seed ^ _SALT).random() < self.blunder  # noqa: S311 — play, not secrets


LEVELS: Final = (
    Level(1, 1.0),
    Level(12, 0.6),
    Level(12, 0.3),
    Level(20, 0.15),
    Level(40, 0.1),
    Level(80, 0.05),
    Level(160, 0.02),
    Level(500, 0.01),
    Level(2500, 0.0),
    Level(None, 0.0),
)
"""The levels 1 to 10; ``tests/bench/levels.py`` measures the steps between them."""

HIGHEST: Final = len(LEVELS)


@attrs.define
class Levelled:
    """A searcher with a limited strength; the same seed makes the same blunders.

    Attributes:
        searcher: chooses the turns that are no blunders.
        level: the limit.
        name: that of the searcher.
    """

    searcher: Searcher
    level: Level
    name: str = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.name = self.searcher.name

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Choose a turn as the level allows; see `Searcher.search`."""
        if self.level.blunders(seed):
            return UniformSearcher().search(position, budget, seed, stop)
        return self.searcher.search(position, self.level.limit(budget), seed, stop)
