"""Engines and their levels: legal games, the same turn from the same seed."""

from __future__ import annotations

import itertools
from collections import Counter

import attrs
import pytest

from tests.support.engines import Answering, reported
from tests.support.games import ODD_RULES, never, rules_id, won_by_passing
from yoddd.engine import (
    ENGINES,
    HIGHEST,
    LEVELS,
    STRONGEST,
    Budget,
    Level,
    Levelled,
    NoLegalTurn,
    Searcher,
)
from yoddd.engine.weights import weights_for
from yoddd.kernel import backend, best_position, policy
from yoddd.notation import parse_position
from yoddd.rules import PASS, Colour, Position, PositionLike, Rules, make_rules


@pytest.mark.parametrize("name", ENGINES)
def test_the_same_seed_gives_the_same_turn_and_leaves_the_position_alone(name: str) -> None:
    position = Position(make_rules("yodd", "hex3"))
    before = position.cells
    searcher = ENGINES[name]()
    results = [searcher.search(position, Budget(playouts=30), 5, never) for _ in range(2)]
    assert results[0] == results[1]
    assert position.cells == before
    assert {searcher.search(position, Budget(1), seed, never).turn for seed in range(20)} != {
        results[0].turn
    }


@pytest.mark.parametrize("name", ENGINES)
def test_search_in_a_finished_game_raises(name: str) -> None:
    position = parse_position("yodd hex2 2/b2/2 w 2 4")
    with pytest.raises(NoLegalTurn):
        ENGINES[name]().search(position, Budget(), 1, never)


def test_random_draws_each_turn_equally_often() -> None:
    position = Position(make_rules("yodd", "hex2"))
    draws = 14 * 200
    seen = Counter(
        ENGINES["random"]().search(position, Budget(), seed, never).turn for seed in range(draws)
    )
    assert len(seen) == 14
    # Chi-square with 13 degrees of freedom: 34.5 is exceeded once in a thousand.
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 34.5


def test_uct_stopped_at_once_still_answers() -> None:
    position = Position(make_rules("yodd", "hex3"))
    result = ENGINES["uct"]().search(position, Budget(playouts=10**9), 1, lambda: True)
    assert 1 <= result.playouts < 10**9
    assert position.is_legal(result.turn)


WITH_PASSES = [*ODD_RULES, make_rules("yodd", "hex8"), make_rules("xodd", "square12")]


@pytest.mark.parametrize("player", Colour)
@pytest.mark.parametrize("rules", WITH_PASSES, ids=rules_id)
def test_every_level_answers_a_pass_by_a_pass_that_wins(rules: Rules, player: Colour) -> None:
    position = won_by_passing(best_position(), rules, player)
    engines: list[Searcher] = [ENGINES[name]() for name in ("uct", STRONGEST)]
    found = [
        Levelled(engine, level).search(position, Budget(playouts=50), seed, never)
        for engine in engines
        for seed, level in enumerate(LEVELS)
    ]
    assert {(one.turn, one.winrate) for one in found} == {(PASS, 1.0)}
    for engine in engines:
        best = reported(engine, position, Budget(playouts=50))[1].candidates[0]
        assert (best.turn, best.winrate, best.distance) == (PASS, 1.0, 1)


@pytest.mark.parametrize("player", Colour)
def test_no_level_answers_a_pass_by_a_pass_that_loses(player: Colour) -> None:
    rules = make_rules("yodd", "hex4")
    position = won_by_passing(best_position(), rules, player)
    position = best_position().set_up(rules, position.cells, player.opponent, 1, position.number)
    for seed, level in enumerate(LEVELS):
        found = Levelled(ENGINES[STRONGEST](), level).search(position, Budget(50), seed, never)
        assert found.turn != PASS


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
