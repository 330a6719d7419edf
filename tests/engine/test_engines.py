"""The builtin engines: legal, reproducible, and the searcher better than chance."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from tests.support.games import ODD_RULES, never, rules_id, won_by_passing
from yoddd.engine import (
    ENGINES,
    LEVELS,
    STRONGEST,
    Budget,
    Insight,
    Levelled,
    NoLegalTurn,
    Searcher,
    analyze,
)
from yoddd.kernel import best_position
from yoddd.notation import parse_position
from yoddd.rules import PASS, Colour, Position, Rules, make_rules


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    ("game", "board"), [("yodd", "hex2"), ("xodd", "square3"), ("odd", "hex2"), ("yoin", "hex2")]
)
def test_engines_play_legal_games_to_the_end(name: str, game: str, board: str) -> None:
    position = Position(make_rules(game, board))
    for seed in itertools.count():
        if position.is_over:
            break
        result = ENGINES[name]().search(position, Budget(playouts=20), seed, never)
        position.play(result.turn)
    assert position.outcome() is not None


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
        insights: list[Insight] = []
        analyze(engine, position, Budget(playouts=50), 1, never, insights.append)
        best = insights[-1].candidates[0]
        assert (best.turn, best.winrate, best.distance) == (PASS, 1.0, 1)


@pytest.mark.parametrize("player", Colour)
def test_no_level_answers_a_pass_by_a_pass_that_loses(player: Colour) -> None:
    rules = make_rules("yodd", "hex4")
    position = won_by_passing(best_position(), rules, player)
    position = best_position().set_up(rules, position.cells, player.opponent, 1, position.number)
    for seed, level in enumerate(LEVELS):
        found = Levelled(ENGINES[STRONGEST](), level).search(position, Budget(50), seed, never)
        assert found.turn != PASS
