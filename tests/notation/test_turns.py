"""Turns as tokens."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from yoddd.notation import NotationError, format_stone, format_turn, parse_turn
from yoddd.rules import Colour, Stone, Turn, make_rules

YODD = make_rules("yodd", "hex4")
YOIN = make_rules("yoin", "hex4")


def read(text: str, player: Colour) -> Turn | NotationError:
    try:
        return parse_turn(text, YODD, player)
    except NotationError as error:
        return error


@given(st.text("12bwacdeg ,0379\n", max_size=9), st.sampled_from(Colour))
def test_parse_turn_any_text_gives_turn_or_placed_error(text: str, player: Colour) -> None:
    found = read(text, player)
    if isinstance(found, NotationError):
        assert found.line == 1
        assert 1 <= found.column <= len(text) + 1
    else:
        assert parse_turn(format_turn(found, YODD), YODD, player) == found


def test_format_stone_is_bare_in_one_colour_games() -> None:
    stone = Stone(Colour.WHITE, 18)
    assert format_stone(stone, YODD) == "2d4"
    assert format_stone(stone, YOIN) == "d4"


def test_notation_error_has_line_and_column() -> None:
    error = NotationError("odd", column=3).moved(line=4, column=10)
    assert str(error) == "line 5, column 13: odd"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 — our own bytes
    assert (again.reason, str(again)) == ("odd", str(error))
