"""Levels: from random turns to the engine itself, the same for the same seed."""

from __future__ import annotations

import itertools

import attrs
import pytest

from tests.games import never
from yoddd.engine import (
    ENGINES,
    HIGHEST,
    LEVELS,
    Budget,
    Level,
    Levelled,
    SearchResult,
    StopFlag,
)
from yoddd.rules import Position, PositionLike, make_rules


@attrs.define
class Asked:
    """An engine that only notes what it may spend."""

    name: str = "asked"
    budgets: list[Budget] = attrs.Factory(list)

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        del seed, stop
        self.budgets.append(budget)
        return SearchResult(next(position.legal_turns()))


def start() -> PositionLike:
    return Position(make_rules("yodd", "hex3"))


def test_only_the_highest_level_is_full() -> None:
    assert [level.is_full for level in LEVELS] == [False] * (HIGHEST - 1) + [True]
    assert not Level(None, 0.1).is_full


def test_levels_rise() -> None:
    assert len(LEVELS) == HIGHEST == 10
    assert LEVELS[0].blunder == 1.0
    assert LEVELS[-1].is_full
    assert not any(level.is_full for level in LEVELS[:-1])
    for lower, higher in itertools.pairwise(LEVELS):
        assert lower.blunder >= higher.blunder
        assert lower.playouts is not None
        assert lower.playouts <= (higher.playouts or lower.playouts)
        assert lower != higher


def test_a_level_limits_what_the_engine_may_spend() -> None:
    asked = Asked()
    for budget in (Budget(), Budget(playouts=5), Budget(seconds=1.0)):
        Levelled(asked, Level(40, 0.0)).search(start(), budget, 1, never)
    assert asked.budgets == [Budget(playouts=40), Budget(playouts=5), Budget(40, seconds=1.0)]
    Levelled(asked, Level(None, 0.0)).search(start(), Budget(seconds=1.0), 1, never)
    assert asked.budgets[-1] == Budget(seconds=1.0)


def test_the_share_of_random_turns_is_that_of_the_level() -> None:
    asked = Asked()
    for seed in range(400):
        Levelled(asked, Level(1, 0.25)).search(start(), Budget(), seed, never)
    assert 260 < len(asked.budgets) < 340  # 300 give or take five standard deviations


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_the_same_seed_plays_the_same_turn(level: Level) -> None:
    engine = ENGINES["mcts" if "mcts" in ENGINES else "uct"]
    turns = {
        Levelled(engine(), attrs.evolve(level, playouts=20))
        .search(start(), Budget(), 7, never)
        .turn
        for _ in range(2)
    }
    assert len(turns) == 1
