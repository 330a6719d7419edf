"""An engine whose results a test decides, and which keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from tests.support.games import never
from yoddd.engine import Budget, Insight, Searcher, SearchResult, StopFlag, analyze
from yoddd.rules import PositionLike, Turn


def reported(
    searcher: Searcher,
    position: PositionLike,
    budget: Budget,
    seed: int = 1,
    stop: StopFlag = never,
) -> tuple[SearchResult, Insight]:
    """The result of a search, and its last report."""
    seen: list[Insight] = []
    found = analyze(searcher, position, budget, seed, stop, seen.append)
    return found, seen[-1]


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
