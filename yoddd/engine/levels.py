"""Levels of play for humans, from nearly random turns to full strength."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.engine.analysis import Insight, analyze
from yoddd.engine.searcher import (
    Budget,
    NoLegalTurn,
    Searcher,
    SearchResult,
    StopFlag,
    wins_by_passing,
)
from yoddd.engine.weights import weights_for
from yoddd.kernel import draw_turn
from yoddd.rules import PASS, PositionLike


@attrs.frozen
class Level:
    """A limit on the strength of play: less search, or a flatter choice instead of one.

    Attributes:
        playouts: the most that a search may run; None for no limit of the level's own.
        spread: how flat the choice is: 0 plays what the search found; else each half turn is drawn
            by what the learned value expects of it, with a probability that falls by a factor of e
            for so many nats.
    """

    playouts: int | None
    spread: float

    @property
    def is_full(self) -> bool:
        """Whether the level limits nothing."""
        return self.playouts is None and self.spread == 0

    def limit(self, budget: Budget) -> Budget:
        """The budget that this level leaves of ``budget``."""
        if self.playouts is None:
            return budget
        most = min(self.playouts, budget.playouts_or(self.playouts))
        return attrs.evolve(budget, playouts=most)


LEVELS: Final = (
    Level(1, 5.0),
    Level(4, 3.1),
    Level(8, 2.1),
    Level(16, 1.4),
    Level(32, 0.9),
    Level(64, 0.6),
    Level(100, 0.0),
    Level(300, 0.0),
    Level(2200, 0.0),
    Level(None, 0.0),
)
"""The levels 1 to 10, 170 to 350 Elo apart."""

HIGHEST: Final = len(LEVELS)


@attrs.define
class Levelled:
    """A searcher with a limited strength; the same seed plays the same turn.

    Attributes:
        searcher: finds the turns of the higher levels, and what half turns are worth in games
            without a learned value.
        level: the limit.
        name: that of the searcher.
    """

    searcher: Searcher
    level: Level
    name: str = attrs.field(init=False, default=attrs.Factory(lambda it: it.searcher.name, True))

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Choose a turn as the level allows; see `Searcher.search`."""
        budget = self.level.limit(budget)
        if not self.level.spread:
            return self.searcher.search(position, budget, seed, stop)
        if position.is_over:
            raise NoLegalTurn("the game is over")
        if wins_by_passing(position):
            return SearchResult(PASS, winrate=1.0)
        weights = weights_for(position.rules)
        insights, found = [Insight()], None
        if not weights:
            found = analyze(self.searcher, position, budget, seed, stop, insights.append)
            if not insights[-1].half_turn_winrates:
                return found
        turn = draw_turn(
            position,
            weights=weights,
            winrates=insights[-1].half_turn_winrates,
            winrate=insights[-1].winrate,
            spread=self.level.spread,
            seed=seed,
        )
        return SearchResult(turn) if found is None else attrs.evolve(found, turn=turn)
