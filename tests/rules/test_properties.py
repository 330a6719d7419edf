"""Properties of every game, on random ones."""

import pickle
from collections.abc import Callable
from operator import methodcaller

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.games import (
    ODD_RULES,
    SMALL_RULES,
    Implementation,
    again,
    outcome_of,
    play_random,
    rules_id,
    seeds,
    total_after,
)
from yoddd.rules import Colour, PositionLike, Rules, Stone, Turn, TurnKind

pytestmark = pytest.mark.property

any_rules = pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
odd_rules = pytest.mark.parametrize("rules", ODD_RULES, ids=rules_id)
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


@odd_rules
@given(seed=seeds())
def test_the_count_is_odd_after_every_turn(
    implementation: Implementation, rules: Rules, seed: int
) -> None:
    position = play_random(implementation, rules, seed)
    while position.history:
        assert sum(position.count()) % 2 == 1
        position.undo()


@any_rules
@given(seed=seeds(), turns=lengths)
def test_a_drop_changes_the_count_by_one_less_the_groups_it_touches(
    implementation: Implementation, rules: Rules, seed: int, turns: int
) -> None:
    position = play_random(implementation, rules, seed, turns)
    for cell in (cell for cell, content in enumerate(position.cells) if content is None):
        for stone in (Stone(colour, cell) for colour in Colour):
            touched = {
                group
                for group in position.groups()
                if group.colour is stone.colour
                and not set(group.cells).isdisjoint(rules.geometry.neighbours[cell])
            }
            assert total_after(position, [stone]) == len(position.groups()) + 1 - len(touched)
            assert len(touched) <= (3 if rules.geometry.shape == "hex" else 4)


@any_rules
@given(seed=seeds())
def test_no_game_is_drawn(implementation: Implementation, rules: Rules, seed: int) -> None:
    position = play_random(implementation, rules, seed)
    outcome = outcome_of(position)
    assert outcome.reason == "groups"
    assert outcome.score >= 1
    assert list(position.legal_turns()) == []
    assert position.count_turns() == 0
    assert position.legal_stones() == []
    if rules.has_pass:
        black, white = position.count()
        assert outcome.score == abs(black - white)
        assert outcome.winner.letter == ("b" if black < white else "w")


@odd_rules
@given(seed=seeds(), turns=st.integers(1, 6), pick=st.integers(0))
def test_both_orders_of_a_pair_are_one_turn(
    implementation: Implementation, rules: Rules, seed: int, turns: int, pick: int
) -> None:
    position = play_random(implementation, rules, seed, turns)
    pairs = [turn for turn in position.legal_turns() if len(turn.stones) == 2]
    if pairs:
        turn = pairs[pick % len(pairs)]
        swapped = Turn.drop(*reversed(turn.stones))
        assert swapped == turn
        other = again(implementation, position)
        position.play(turn)
        other.play(swapped)
        assert state(other)[:5] == state(position)[:5]


@any_rules
@given(seed=seeds(), turns=lengths)
def test_taking_turns_back_restores_everything(
    implementation: Implementation, rules: Rules, seed: int, turns: int
) -> None:
    played = play_random(implementation, rules, seed, turns).history
    position = implementation(rules)
    states = [state(position)]
    for turn in played:
        position.play(turn)
        states.append(state(position))
    for turn in reversed(played):
        assert state(position) == states.pop()
        assert position.undo() == turn
    assert state(position) == states.pop()


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


Question = Callable[[PositionLike], object]


@any_rules
@pytest.mark.parametrize(
    "ask",
    [
        methodcaller("legal_stones"),
        methodcaller("legal_seconds", Stone(Colour.BLACK, 0)),
        methodcaller("groups"),
        methodcaller("outcome"),
        lambda position: list(position.legal_turns()),
    ],
    ids=["legal_stones", "legal_seconds", "groups", "outcome", "legal_turns"],
)
def test_queries_change_nothing(
    implementation: Implementation, rules: Rules, ask: Question
) -> None:
    position = play_random(implementation, rules, 1, 3)
    before = state(position)
    ask(position)
    assert state(position) == before
