"""Legal turns, stones and their numbers against a brute force that shares no code with them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.games import (
    SMALL_RULES,
    Implementation,
    brute_force_turns,
    play_random,
    rules_id,
    seeds,
    set_up,
)
from yoddd.notation import format_turn
from yoddd.rules import RESIGN, Colour, Rules, Stone, make_rules


@pytest.mark.invariant
@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
@settings(max_examples=40)
@given(seed=seeds(), turns=st.integers(0, 20))
def test_listing_and_counting_agree_with_brute_force(
    implementation: Implementation, rules: Rules, seed: int, turns: int
) -> None:
    position = play_random(implementation, rules, seed, turns)
    expected = brute_force_turns(position)
    listed = list(position.legal_turns())
    assert listed == expected
    first = seed % (len(expected) + 2)
    assert list(position.legal_turns(first)) == expected[first:]
    assert position.count_turns() == position.perft(1) == len(expected)
    assert all(position.is_legal(turn) for turn in listed)
    assert RESIGN not in listed
    contained = sorted({stone for turn in expected for stone in turn.stones})
    assert position.legal_stones() == contained
    partners: dict[Stone, list[Stone]] = {}
    for one, other in (turn.stones for turn in expected if len(turn.stones) == 2):
        partners.setdefault(one, []).append(other)
        partners.setdefault(other, []).append(one)
    for colour in Colour:
        for cell in range(rules.geometry.cells):
            stone = Stone(colour, cell)
            assert position.completable(stone) is (stone in contained)
            assert position.legal_seconds(stone) == sorted(partners.get(stone, []))


def test_turns_are_listed_in_canonical_order(implementation: Implementation) -> None:
    position = set_up(implementation, make_rules("yodd", "hex2"), "1b2", Colour.WHITE, 0, 2)
    tokens = [format_turn(turn, position.rules) for turn in position.legal_turns()]
    assert len(tokens) == 31
    assert tokens[:6] == ["1a1", "1a1,1a2", "1a1,1b1", "1a1,1b3", "1a1,1c1", "1a1,1c2"]
    assert tokens[-6:] == ["2a2,2c1", "2a2,2c2", "2b1,2b3", "2b1,2c2", "2b3,2c1", "pass"]


def test_the_list_is_lazy_and_long_on_the_default_board(implementation: Implementation) -> None:
    position = set_up(implementation, make_rules("yodd"), "1h8", Colour.WHITE, 0, 2)
    turns = position.legal_turns()
    assert format_turn(next(turns), position.rules) == "1a1,1a3"
    assert position.count_turns() == 53_275
