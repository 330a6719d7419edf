"""The constants of the search: they reach the tree, and every extreme of them plays."""

from __future__ import annotations

import attrs
import pytest

from tests.support.games import never
from yoddd.engine import CONSTANTS, UNTUNED, Budget, MctsSearcher, Tuning
from yoddd.engine.weights import shipped, weights_for
from yoddd.kernel import backend
from yoddd.rules import Position, make_rules

YODD = make_rules("yodd", "hex3")
FEW = Budget(playouts=400)


def test_tuning_constants_have_defaults_within_their_ranges() -> None:
    for name, constant in CONSTANTS.items():
        assert constant.low <= getattr(UNTUNED.tree, name) <= constant.high
        assert 0 < constant.step < constant.high - constant.low


def test_tuning_settings_use_the_weights_of_the_game_only() -> None:
    plain = UNTUNED.settings(YODD, threads=1, memory=1 << 20)
    assert plain.weights == weights_for(YODD) != ()
    assert Tuning(learned=False).settings(YODD, threads=1, memory=1 << 20).weights == ()
    yoin = shipped("yoin")
    assert yoin is not None
    other = Tuning(weights=yoin).settings(YODD, threads=1, memory=1 << 20)
    assert other == plain
    own = Tuning(weights=attrs.evolve(yoin, game="yodd")).settings(YODD, threads=1, memory=1 << 20)
    assert own.weights == yoin.rows(YODD.geometry.cells) != plain.weights


@pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")
def test_mcts_searcher_changed_constant_replaces_the_tree() -> None:
    searcher, position = MctsSearcher(), Position(YODD)
    position.play(searcher.search(position, FEW, 1, never).turn)
    kept = searcher.search(position, FEW, 1, never)
    searcher.tuning = UNTUNED.with_constant("expand_visits", 50)
    again = searcher.search(position, attrs.evolve(FEW, resume=True), 1, never)
    assert kept.visits > 400
    assert again.visits == 400


@pytest.mark.whole
@pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")
@pytest.mark.parametrize("extreme", ["low", "high"])
@pytest.mark.parametrize("name", CONSTANTS)
def test_mcts_searcher_plays_at_every_extreme(name: str, extreme: str) -> None:
    constant = CONSTANTS[name]
    value = getattr(constant, extreme)
    chosen = UNTUNED.with_constant(name, int(value) if constant.is_whole else value)
    position = Position(YODD)
    found = MctsSearcher(tuning=chosen).search(position, FEW, 1, never)
    assert position.is_legal(found.turn)
    assert found.winrate is not None
    assert 0 <= found.winrate <= 1
