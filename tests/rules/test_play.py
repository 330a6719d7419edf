"""The course of a game: whose turn it is, when it ends and who has won."""

from tests.support.games import Implementation, set_up, turn_of
from yoddd.rules import PASS, RESIGN, SWAP, Colour, Outcome, PositionLike, Rules, Stone, make_rules

B, W = Colour.BLACK, Colour.WHITE


def played(implementation: Implementation, rules: Rules, tokens: str) -> PositionLike:
    position = implementation(rules)
    for token in tokens.split():
        position.play(turn_of(position, token))
    return position


def test_a_game_begins_with_black_on_an_empty_board(implementation: Implementation) -> None:
    position = implementation(make_rules("yodd", "hex3"))
    assert (position.player, position.passes, position.number) == (B, 0, 1)
    assert position.cells == (None,) * 19
    assert position.groups() == ()
    assert position.outcome() is None
    assert not position.is_over
    assert not position.is_full


def test_end_on_full_omits_the_passes_and_changes_no_winner(implementation: Implementation) -> None:
    full = "1a1 2a2 1b1 2b2 1b3 2c1 2c2"
    at_once = set_up(
        implementation, make_rules("yodd", "hex2", {"end_on_full": "on"}), full, W, 0, 5
    )
    plain = set_up(implementation, make_rules("yodd", "hex2"), full, W, 2, 7)
    assert at_once.is_over
    assert at_once.outcome() == plain.outcome() == Outcome(W, "groups", 1)
    assert list(at_once.legal_turns()) == []
    early = played(
        implementation, make_rules("yodd", "hex3", {"end_on_full": "on"}), "1c3 pass pass"
    )
    assert early.is_over


def test_own_colour_allows_a_pass_only_when_nothing_can_be_dropped(
    implementation: Implementation,
) -> None:
    rules = make_rules("yodd", "hex2", {"own_colour": "on"})
    # Three groups and a1 empty: a white stone there would be a fourth, a black one joins Black's.
    text = "1a2 1b1 1b2 1c2 2b3 2c1"
    white = set_up(implementation, rules, text, W, 0, 5)
    assert list(white.legal_turns()) == [PASS]
    assert white.is_legal(PASS)
    black = set_up(implementation, rules, text, B, 0, 5)
    assert list(black.legal_turns()) == [turn_of(black, "1a1")]
    assert black.illegality(PASS) == "a stone can be dropped"


def test_resigning_loses_on_any_board(implementation: Implementation) -> None:
    position = played(implementation, make_rules("yodd", "hex3"), "1c3 resign")
    assert position.resigned is W
    assert position.is_over
    assert position.outcome() == Outcome(B, "resign", 0)
    assert list(position.legal_turns()) == []
    assert position.legal_stones() == []
    assert not position.completable(Stone(B, 3))
    assert position.legal_seconds(Stone(B, 3)) == []
    assert position.copy().outcome() == Outcome(B, "resign", 0)
    assert position.undo() == RESIGN
    assert position.outcome() is None
    assert (position.player, position.number) == (W, 2)


def test_a_swap_lets_white_move_again_and_keeps_the_stone(implementation: Implementation) -> None:
    rules = make_rules("yoin", "hex2")
    position = played(implementation, rules, "b2")
    assert list(position.legal_turns())[-1] == SWAP
    position.play(SWAP)
    assert (position.player, position.number) == (W, 3)
    assert position.cells.count(B) == 1
    position.play(turn_of(position, "a1"))
    assert (position.player, position.number) == (B, 4)
    assert position.cells.count(W) == 1
    assert (position.seat_of(W), position.seat_of(B)) == (B, W)
    position.undo()
    assert position.undo() == SWAP
    assert position.seat_of(W) is W
    assert (position.player, position.number) == (W, 2)
