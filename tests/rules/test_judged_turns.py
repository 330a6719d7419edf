"""A turn is judged once: what was judged is played without being judged again, and only there."""

from __future__ import annotations

import pytest

from tests.support.games import Implementation, turn_of
from yoddd.rules import PASS, RESIGN, IllegalTurn, PositionLike, Turn, make_rules

YODD = make_rules("yodd", "hex3")


def begun(implementation: Implementation) -> PositionLike:
    """A position after a first black stone."""
    position = implementation(YODD)
    position.play(turn_of(position, "1c3"))
    return position


@pytest.mark.parametrize("token", ["1a1,2e3", "pass", "resign"])
def test_play_of_a_judged_turn_is_as_of_the_turn(
    implementation: Implementation, token: str
) -> None:
    judged, plain = begun(implementation), begun(implementation)
    turn = turn_of(judged, token)
    judged.play(judged.judge(turn))
    plain.play(turn)
    assert (judged.cells, judged.history) == (plain.cells, plain.history)
    assert (judged.player, judged.resigned) == (plain.player, plain.resigned)
    assert judged.undo() == turn


def test_judge_of_an_illegal_turn_refuses_with_its_reason(implementation: Implementation) -> None:
    position = begun(implementation)
    turn = turn_of(position, "2a1")
    with pytest.raises(IllegalTurn, match="2 groups, even"):
        position.judge(turn)
    assert position.illegality(turn) == "2 groups, even"


def test_play_of_a_judged_turn_does_not_judge_it(implementation: Implementation) -> None:
    judged: list[Turn] = []

    class Counting(implementation):  # type: ignore[valid-type, misc]  # a parameter of the test
        __slots__ = ()

        def problem(self, turn: Turn) -> IllegalTurn | None:
            judged.append(turn)
            found: IllegalTurn | None = super().problem(turn)
            return found

        def is_legal(self, turn: Turn) -> bool:
            judged.append(turn)
            return bool(super().is_legal(turn))

    position = Counting(YODD)
    legal = position.judge(turn_of(position, "1c3"))
    assert judged
    judged.clear()
    position.play(legal)
    assert position.number == 2
    assert not judged


@pytest.mark.parametrize("changed", ["play", "undo", "both"])
def test_play_of_a_turn_judged_before_a_change_raises(
    implementation: Implementation, changed: str
) -> None:
    position = begun(implementation)
    legal = position.judge(PASS)
    if changed != "undo":
        position.play(PASS)
    if changed != "play":
        position.undo()
    with pytest.raises(ValueError, match="judged for another position"):
        position.play(legal)


def test_play_of_a_judged_turn_elsewhere_raises(implementation: Implementation) -> None:
    position, other = begun(implementation), begun(implementation)
    legal = position.judge(RESIGN)
    for place in (other, implementation(YODD)):
        place.judge(RESIGN)
        with pytest.raises(ValueError, match="judged for another position"):
            place.play(legal)


def test_play_of_a_judged_turn_on_a_copy_leaves_the_position(
    implementation: Implementation,
) -> None:
    position = begun(implementation)
    legal, again = position.judge(PASS), position.judge(RESIGN)
    twin = position.copy()
    twin.play(legal)
    assert (twin.number, position.number) == (3, 2)
    position.play(again)
    assert position.is_over
