"""The list of legal turns: its order, and that it is lazy; test_drawn has what is in it."""

from tests.support.games import Implementation, set_up
from yoddd.notation import format_turn
from yoddd.rules import Colour, make_rules


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
