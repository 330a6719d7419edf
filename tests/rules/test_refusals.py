"""Reasons for which a turn or a position is refused, besides those of the vectors."""

import pytest

from tests.support.games import Implementation, set_up, stones, turn_of
from yoddd.rules import (
    PASS,
    RESIGN,
    CannotUndo,
    Colour,
    GameOver,
    IllegalPosition,
    IllegalTurn,
    PositionLike,
    Rules,
    Stone,
    Turn,
    TurnKind,
    WrongTotal,
    make_rules,
)

YODD = make_rules("yodd", "hex3")
YOPP = make_rules("yodd", "hex3", {"own_colour": "on"})
FULL = make_rules("yodd", "hex2", {"end_on_full": "on"})
YOIN = make_rules("yoin", "hex2")
PRODUCT = make_rules("product", "hex2")


@pytest.mark.parametrize(
    ("rules", "played", "token", "reason"),
    [
        (YODD, "1c3 resign", "1a1,1a3", "the game is over"),
        (YODD, "1c3 resign", "resign", "the game is over"),
        (YOPP, "1c3", "1c4,1d3", "White may place only white stones"),
        (YOIN, "a1 swap", "swap", "swap is White's choice on turn 2 only"),
        (PRODUCT, "1a1", "2a2,1a2", "a2 twice"),
        (PRODUCT, "1a1", "2a1,1a2", "a1 is occupied"),
        (FULL, "1b2 1a1 1a2 1b1 1b3 1c1 1c2", "pass", "the game is over"),
    ],
)
def test_illegal_turn_is_refused_with_its_reason(
    implementation: Implementation, rules: Rules, played: str, token: str, reason: str
) -> None:
    position = implementation(rules)
    for past in played.split():
        position.play(turn_of(position, past))
    check_refused(position, turn_of(position, token), reason)


def check_refused(position: PositionLike, turn: Turn, reason: str) -> None:
    """Check that a turn is refused with its reason, and that nothing changes."""
    assert position.illegality(turn) == reason
    assert not position.is_legal(turn)
    before = (position.cells, position.player, position.number, position.history)
    with pytest.raises(IllegalTurn) as caught:
        position.play(turn)
    assert caught.value.reason == str(caught.value) == reason
    kinds = {"even": WrongTotal, "over": GameOver}
    assert type(caught.value) is kinds.get(reason.rsplit(maxsplit=1)[-1], IllegalTurn)
    assert (position.cells, position.player, position.number, position.history) == before


def test_a_turn_has_one_or_two_stones(implementation: Implementation) -> None:
    position = set_up(implementation, YODD, "1c3")
    three = Turn.drop(*stones(YODD, "1a1 1a2 1a3"))
    assert position.illegality(three) == "3 stones: this turn is one or two stones"
    none = Turn(TurnKind.DROP)
    assert position.illegality(none) == "0 stones: this turn is one or two stones"


@pytest.mark.parametrize("cell", [-1, 19, 10**12])
def test_a_stone_of_another_board_is_refused(implementation: Implementation, cell: int) -> None:
    position = set_up(implementation, YODD, "1c3", Colour.WHITE)
    stone = Stone(Colour.BLACK, cell)
    assert position.illegality(Turn.drop(stone)) == f"no cell {cell}: hex3 has 19"
    with pytest.raises(IllegalTurn):
        position.play(Turn.drop(stone, Stone(Colour.WHITE, 3)))
    assert not position.completable(stone)
    assert position.legal_seconds(stone) == []


def test_undo_without_history_raises(implementation: Implementation) -> None:
    with pytest.raises(CannotUndo, match="no turn to take back"):
        implementation(YODD).undo()
    with pytest.raises(CannotUndo):
        set_up(implementation, YODD, "1c3", passes=1).undo()


def test_perft_after_a_resignation_counts_the_position_alone(
    implementation: Implementation,
) -> None:
    position = implementation(YODD)
    position.play(RESIGN)
    assert [position.perft(depth) for depth in range(3)] == [1, 0, 0]


def test_perft_of_negative_depth_raises(implementation: Implementation) -> None:
    assert implementation(YODD).perft(0) == 1
    with pytest.raises(ValueError, match="perft -1: expected a depth of 0 or more"):
        implementation(YODD).perft(-1)


@pytest.mark.parametrize(
    ("rules", "text", "passes", "number", "reason", "about"),
    [
        (YODD, "1c3", -1, 9, "passes -1: expected 0, 1 or 2", "passes"),
        (YODD, "1c3", 2, 2, "passes 2: too many for turn 2", "passes"),
        (YODD, "1c3 1a1", 2, 9, "2 groups, even, in a finished game", "placement"),
        (YODD, "1c3", 0, 0, "turn 0: turns count from 1", "turn"),
    ],
)
def test_illegal_position_is_refused_with_its_reason(
    implementation: Implementation,
    rules: Rules,
    text: str,
    passes: int,
    number: int,
    reason: str,
    about: str,
) -> None:
    with pytest.raises(IllegalPosition) as caught:
        set_up(implementation, rules, text, Colour.BLACK, passes, number)
    assert (str(caught.value), caught.value.about) == (reason, about)


def test_a_position_has_the_cells_of_its_board(implementation: Implementation) -> None:
    with pytest.raises(IllegalPosition, match="3 cells, hex3 has 19"):
        implementation.set_up(YODD, [None] * 3, Colour.BLACK, 0, 1)


def test_a_set_up_of_turn_1_may_have_any_count_that_leaves_a_turn(
    implementation: Implementation,
) -> None:
    position = set_up(implementation, YODD, "1c3 1a1", Colour.BLACK, 0, 1)
    assert position.illegality(PASS) == "2 groups, even"
    assert position.illegality(turn_of(position, "1e1")) is None
    odd = set_up(implementation, YODD, "1c3", Colour.WHITE, 0, 1)
    assert odd.illegality(PASS) == "the first turn is never a pass"
    assert odd.illegality(turn_of(odd, "1a1,1a3")) == "2 stones: this turn is one stone"
