"""Resignation, and the list of turns of a large board; test_drawn has the course of games."""

from tests.support.games import Implementation, set_up, turn_of
from yoddd.notation import format_turn
from yoddd.rules import RESIGN, Colour, Outcome, Stone, make_rules

B, W = Colour.BLACK, Colour.WHITE


def test_resigning_loses_on_any_board(implementation: Implementation) -> None:
    position = implementation(make_rules("yodd", "hex3"))
    position.play(turn_of(position, "1c3"))
    position.play(RESIGN)
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


def test_the_list_is_lazy_and_long_on_the_default_board(implementation: Implementation) -> None:
    position = set_up(implementation, make_rules("yodd"), "1h8", Colour.WHITE, 0, 2)
    turns = position.legal_turns()
    assert format_turn(next(turns), position.rules) == "1a1,1a3"
    assert position.count_turns() == 53_275
