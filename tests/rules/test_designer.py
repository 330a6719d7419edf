"""The designer's notes and examples, on positions made to fit."""

import pytest

from tests.support.games import Implementation, set_up, stones, total_after, turn_of
from yoddd.rules import PASS, Colour, PositionLike, make_rules

YODD = make_rules("yodd", "hex5")
XODD = make_rules("xodd", "square7")


def odd_position(implementation: Implementation, game: str, text: str) -> PositionLike:
    """White to move; one more white stone far away where the count would be even."""
    rules, far = (YODD, "2i1") if game == "yodd" else (XODD, "2g7")
    if total_after(implementation(rules), stones(rules, text)) % 2 == 0:
        text += f" {far}"
    return set_up(implementation, rules, text, Colour.WHITE)


def same_group(position: PositionLike, one: str, two: str) -> bool:
    cells = {position.rules.geometry.cell(one), position.rules.geometry.cell(two)}
    return any(cells <= set(group.cells) for group in position.groups())


@pytest.mark.parametrize(
    ("around", "safe"),
    [
        ("", True),
        ("2c3", False),
        ("2c3 2e4", True),
        ("2c3 2e4 2c5", False),
        ("2c3 2e4 2c5 2e6", True),
        ("2c3 2d3 2e4", False),
        ("2c5 2d6 2e6 2c3", True),
    ],
)
def test_a_diamond_is_safe_if_an_even_number_of_enemy_groups_touches_its_middle(
    implementation: Implementation, around: str, safe: bool
) -> None:
    # Black on the ends of a rhombus whose middle cells are d4 and d5: White cuts by taking both.
    position = odd_position(implementation, "yodd", f"1e5 1c4 {around}")
    assert position.is_legal(turn_of(position, "2d4,2d5")) is not safe


@pytest.mark.parametrize(
    ("around", "safe"),
    [
        ("", False),
        ("2d2", True),
        ("2d2 2e3", False),
        ("2d2 2e3 2b4", True),
        ("2d2 2e3 2b4 2c5", False),
        # One group around a corner touches both middle cells: they are joined through it.
        ("2e3 2e4 2e5 2d5 2c5", False),
    ],
)
def test_a_diagonal_of_xodd_is_safe_if_the_enemy_groups_are_odd_in_number_and_apart(
    implementation: Implementation, around: str, safe: bool
) -> None:
    position = odd_position(implementation, "xodd", f"1c3 1d4 {around}")
    assert position.is_legal(turn_of(position, "2d3,2c4")) is not safe


@pytest.mark.parametrize(
    ("game", "text", "one", "two", "bridge"),
    [
        ("yodd", "1e3 1e6", "e3", "e6", "1e4,1e5"),
        ("yodd", "1e3 1d3 1e6 1f5", "e3", "e6", "1e4,1e5"),
        ("xodd", "1b4 1e4", "b4", "e4", "1c4,1d4"),
    ],
)
def test_groups_two_empty_cells_apart_cannot_be_joined_in_one_turn(
    implementation: Implementation, game: str, text: str, one: str, two: str, bridge: str
) -> None:
    position = odd_position(implementation, game, text)
    assert position.illegality(turn_of(position, bridge)) == "2 groups, even"
    for turn in list(position.legal_turns()):
        position.play(turn)
        assert not same_group(position, one, two)
        position.undo()


def test_two_groups_can_be_joined_over_two_cells_where_a_third_comes_along(
    implementation: Implementation,
) -> None:
    position = odd_position(implementation, "yodd", "1e3 1e6 1d4")
    assert position.is_legal(turn_of(position, "1e4,1e5"))


def test_joining_three_groups_keeps_the_parity_and_may_stand_alone(
    implementation: Implementation,
) -> None:
    position = odd_position(implementation, "yodd", "1d4 1e6 1f4 2a1")
    assert sum(position.count()) == 5
    assert position.is_legal(turn_of(position, "1e5"))
    assert position.is_legal(turn_of(position, "1e5,2a2"))
    assert position.illegality(turn_of(position, "1e5,2c1")) == "4 groups, even"


@pytest.mark.parametrize(
    ("game", "text", "joint", "count"),
    [("yodd", "1e4 1e6 2a1", "1e5", 2), ("xodd", "1c4 1e4 1d3 1d5 2a1", "1d4", 2)],
)
def test_joining_two_or_four_groups_needs_a_second_stone_that_changes_parity(
    implementation: Implementation, game: str, text: str, joint: str, count: int
) -> None:
    position = odd_position(implementation, game, text)
    assert position.illegality(turn_of(position, joint)) == f"{count} groups, even"
    assert position.is_legal(turn_of(position, f"{joint},2b5"))
    assert position.completable(turn_of(position, joint).stones[0])


def test_the_last_join_fails_where_nothing_restores_the_parity(
    implementation: Implementation,
) -> None:
    # Only a1 is empty, between two white groups: joining them leaves one black and one white.
    rules = make_rules("yodd", "hex2")
    position = set_up(implementation, rules, "2a2 2b1 1b2 1b3 1c1 1c2", Colour.WHITE)
    assert position.illegality(turn_of(position, "2a1")) == "2 groups, even"
    assert list(position.legal_turns()) == [turn_of(position, "1a1"), PASS]
