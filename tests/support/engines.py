"""An engine whose results a test decides, and which keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.engine import Budget, SearchResult, StopFlag
from yoddd.rules import PositionLike, Turn


def first_turn(position: PositionLike, _budget: Budget) -> SearchResult:
    return SearchResult(next(position.legal_turns()))


@attrs.define
class Answering:
    """An engine whose result ``find`` gives; by default it plays the first legal turn.

    Attributes:
        budgets: of its searches, in order.
        seeds: likewise.
    """

    find: Callable[[PositionLike, Budget], SearchResult] = first_turn
    name: str = "first"
    budgets: list[Budget] = attrs.Factory(list)
    seeds: list[int] = attrs.Factory(list)

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        del stop
        self.budgets.append(budget)
        self.seeds.append(seed)
        return self.find(position, budget)


def fixed(turn: Turn) -> Answering:
    """An engine that always plays the same turn, legal or not."""
    return Answering(lambda _position, _budget: SearchResult(turn), "fixed")
