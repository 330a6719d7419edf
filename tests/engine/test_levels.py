"""Levels: from nearly random turns to the engine itself, the same for the same seed."""

from __future__ import annotations

import itertools

import attrs
import pytest

from tests.support.engines import Answering
from tests.support.games import never
from yoddd.engine import ENGINES, HIGHEST, LEVELS, STRONGEST, Budget, Level, Levelled, NoLegalTurn
from yoddd.engine.weights import weights_for
from yoddd.kernel import backend, policy
from yoddd.rules import Position, PositionLike, make_rules


def start() -> PositionLike:
    return Position(make_rules("yodd", "hex3"))


def test_only_the_highest_level_is_full() -> None:
    assert [level.is_full for level in LEVELS] == [False] * (HIGHEST - 1) + [True]
    assert not Level(None, 0.1).is_full


def test_levels_rise() -> None:
    assert len(LEVELS) == HIGHEST == 10
    for lower, higher in itertools.pairwise(LEVELS):
        assert lower.spread >= higher.spread
        assert lower.playouts is not None
        assert lower.playouts <= (higher.playouts or lower.playouts)
        assert lower != higher


def test_a_level_limits_what_the_engine_may_spend() -> None:
    asked = Answering()
    for budget in (Budget(), Budget(playouts=5), Budget(seconds=1.0)):
        Levelled(asked, Level(40, 0.0)).search(start(), budget, 1, never)
    assert asked.budgets == [Budget(playouts=40), Budget(playouts=5), Budget(40, seconds=1.0)]
    Levelled(asked, Level(None, 0.0)).search(start(), Budget(seconds=1.0), 1, never)
    assert asked.budgets[-1] == Budget(seconds=1.0)


def test_a_level_with_a_spread_over_a_searcher_without_policy_plays_what_it_finds() -> None:
    asked = Answering()
    position = Position(make_rules("odd", "hex3"))
    found = Levelled(asked, Level(40, 1.0)).search(position, Budget(), 1, never)
    assert found.turn == next(position.legal_turns())


@pytest.mark.parametrize("game", ["yodd", "yoin", "odd"])
def test_a_level_with_a_spread_plays_legal_turns_to_the_end(game: str) -> None:
    position = Position(make_rules(game, "hex3"))
    player = Levelled(ENGINES[STRONGEST](), Level(30, 1.0))
    for seed in itertools.count():
        if position.is_over:
            break
        position.play(player.search(position, Budget(), seed, never).turn)
    with pytest.raises(NoLegalTurn):
        player.search(position, Budget(), 0, never)


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_a_small_spread_plays_what_the_learned_value_likes_best() -> None:
    rules = make_rules("yodd", "hex4")
    position = Position(rules)
    position.play(next(position.legal_turns()))
    logs = policy(position, weights_for(rules))
    firsts = {move for move, log in logs.items() if log == 0}
    turn = Levelled(Answering(), Level(1, 1e-3)).search(position, Budget(), 5, never).turn
    assert {stone.colour * 37 + stone.cell for stone in turn.stones} & firsts


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_a_wider_spread_plays_more_different_turns() -> None:
    def variety(spread: float) -> int:
        player = Levelled(Answering(), Level(1, spread))
        return len({player.search(start(), Budget(), seed, never).turn for seed in range(60)})

    assert variety(1e-3) < variety(1.0) < variety(50.0)


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_the_same_seed_plays_the_same_turn(level: Level) -> None:
    turns = {
        Levelled(ENGINES[STRONGEST](), attrs.evolve(level, playouts=20))
        .search(start(), Budget(), 7, never)
        .turn
        for _ in range(2)
    }
    assert len(turns) == 1
