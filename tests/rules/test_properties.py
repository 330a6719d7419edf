"""Properties of every game, on random ones."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.games import (
    SMALL_RULES,
    Implementation,
    play_random,
    rules_id,
    seeds,
)
from yoddd.rules import PositionLike, Rules, Stone, Turn, TurnKind

pytestmark = pytest.mark.property

any_rules = pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
lengths = st.integers(0, 12)


def state(position: PositionLike) -> tuple[object, ...]:
    return (
        position.cells,
        position.player,
        position.passes,
        position.number,
        position.resigned,
        position.history,
        position.groups(),
        position.outcome(),
    )


@any_rules
@given(seed=seeds(), turns=lengths)
def test_a_copy_is_equal_and_independent(
    implementation: Implementation, rules: Rules, seed: int, turns: int
) -> None:
    position = play_random(implementation, rules, seed, turns)
    before = state(position)
    twin = position.copy()
    assert state(twin) == before
    for turn in list(twin.legal_turns())[:1]:
        twin.play(turn)
        assert state(twin) != before
    assert state(position) == before


@any_rules
@given(seed=seeds(), turns=lengths)
def test_a_pickled_position_is_equal_and_can_take_its_turns_back(
    implementation: Implementation, rules: Rules, seed: int, turns: int
) -> None:
    position = play_random(implementation, rules, seed, turns)
    twin = pickle.loads(pickle.dumps(position))  # noqa: S301 — our own
    assert state(twin) == state(position)
    while position.history:
        assert twin.undo() == position.undo()
        assert state(twin) == state(position)


def mapped(turn: Turn, symmetry: tuple[int, ...]) -> Turn:
    if turn.kind is not TurnKind.DROP:
        return turn
    return Turn.drop(*(Stone(stone.colour, symmetry[stone.cell]) for stone in turn.stones))


@any_rules
@settings(max_examples=20)
@given(seed=seeds(), turns=st.integers(0, 30))
def test_every_symmetry_of_the_board_is_one_of_the_game(
    implementation: Implementation, rules: Rules, seed: int, turns: int
) -> None:
    position = play_random(implementation, rules, seed, turns)
    legal = set(position.legal_turns())
    for symmetry in rules.geometry.symmetries:
        image = implementation(rules)
        for turn in position.history:
            image.play(mapped(turn, symmetry))
        assert image.count() == position.count()
        assert image.outcome() == position.outcome()
        assert set(image.legal_turns()) == {mapped(turn, symmetry) for turn in legal}
