"""The texts of turns: short, and such that they can be typed back."""

from __future__ import annotations

import pytest

import yoddd
import yoddd.rules
from yoddd.notation import parse_turn
from yoddd.rules import PASS, RESIGN, SWAP, Colour, Position, Stone, Turn, make_rules


@pytest.mark.parametrize("token", ["1d4", "1d4,2c3", "pass", "swap", "resign"])
def test_str_of_a_turn_that_was_read_is_its_text(token: str) -> None:
    rules = make_rules("yodd", "hex4")
    turn = parse_turn(token, rules, Colour.BLACK)
    assert str(turn) == ",".join(sorted(token.split(","), key=lambda one: one[0]))
    assert repr(turn) == (f"<Turn {turn}>" if turn.stones else token.upper())


def test_str_of_a_turn_in_a_game_of_own_colours_is_bare() -> None:
    rules = make_rules("yoin", "hex4")
    assert str(parse_turn("d4", rules, Colour.BLACK)) == "d4"


def test_str_of_a_listed_turn_is_its_text() -> None:
    board = yoddd.Board("yodd", "hex2")
    assert str(next(iter(board.legal_turns))) == "1a1"
    assert str(next(Position(board.rules).legal_turns())) == "1a1"
    assert str(board.push("2b2")) == "2b2"


def test_turn_without_its_game_is_equal_and_has_the_repr_as_its_text() -> None:
    turn = Turn.drop(Stone(Colour.BLACK, 0))
    assert str(turn) == repr(turn) == "Turn.drop(Stone(Colour.BLACK, 0))"
    assert turn == parse_turn("1a1", make_rules("yodd", "hex2"), Colour.BLACK)
    assert [repr(one) for one in (PASS, SWAP, RESIGN)] == ["PASS", "SWAP", "RESIGN"]
