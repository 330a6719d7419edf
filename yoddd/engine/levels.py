"""Levels of play for humans, from nearly random turns to full strength."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
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
from yoddd.kernel import policy
from yoddd.kernel.position import turn_of
from yoddd.rules import PASS, Colour, PositionLike, Rules, Stone, Turn

_SALT: Final = 0x5EED

_NATS: Final = 40
"""What a difference of 1 between the worths of half turns counts where no value was learned."""

Logs = Mapping[int, float]
"""For half turns, as the kernel numbers them, logarithms of how likely they are."""


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
    name: str = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.name = self.searcher.name

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
        if weights:
            turn = self._draw(position.rules, lambda first: policy(position, weights, first), seed)
            return SearchResult(turn)
        insights: list[Insight] = []
        found = analyze(self.searcher, position, budget, seed, stop, insights.append)
        insight = insights[-1]
        if not insight.lent:
            return found
        turn = self._draw(position.rules, lambda first: _logs(position, insight, first), seed)
        return attrs.evolve(found, turn=turn)

    def _draw(self, rules: Rules, logs_after: Callable[[Stone | None], Logs], seed: int) -> Turn:
        """Draw a turn, half turn by half turn."""
        rng = random.Random(seed ^ _SALT)
        cells = rules.geometry.cells
        moves = [self._pick(logs_after(None), rng)]
        if rules.two_stones and moves[0] < 2 * cells:
            colour, cell = divmod(moves[0], cells)
            moves.append(self._pick(logs_after(Stone(Colour(colour), cell)), rng))
        return turn_of(rules, [move for move in moves if move != 2 * cells])

    def _pick(self, logs: Logs, rng: random.Random) -> int:
        most = max(logs.values())
        weights = [math.exp((log - most) / self.level.spread) for log in logs.values()]
        return rng.choices(list(logs), weights)[0]


def _logs(position: PositionLike, insight: Insight, first: Stone | None) -> dict[int, float]:
    """The same by what a search made of the stones, as if it were their learned value."""
    cells = position.rules.geometry.cells
    if first is None:
        return {move: _NATS * one for move, one in insight.lent.items()}
    seconds = [stone.colour * cells + stone.cell for stone in position.legal_seconds(first)]
    # What may not begin a turn may still complete one; it is taken to be worth the mean.
    logs = {move: _NATS * insight.lent.get(move, insight.winrate) for move in seconds}
    if position.is_legal(Turn.drop(first)):
        logs[2 * cells] = _NATS * insight.winrate
    return logs
