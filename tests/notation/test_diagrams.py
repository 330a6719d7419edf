"""Boards as plain text."""

import pytest

from yoddd.board import Shape, geometry_of, sizes_of
from yoddd.notation import diagram, parse_position, parse_turn
from yoddd.rules import PASS, Colour, Position, make_rules


def test_diagram_hexhex_row_has_letter_and_last_number() -> None:
    position = parse_position("yodd hex3 2w/4/1b1w1/b3/3 w 0 4")
    assert diagram(position).splitlines() == [
        "  e . . O 3",
        " d . . . . 4",
        "c . X . O . 5",
        " b X . . . 4",
        "  a . . . 3",
    ]


def test_diagram_square_has_numbers_left_and_letters_below() -> None:
    position = parse_position("xodd square10 b9/10/10/10/10/10/10/10/10/9w w 0 1")
    lines = diagram(position).splitlines()
    assert lines[0] == "10 X . . . . . . . . ."
    assert lines[9] == " 1 . . . . . . . . . O"
    assert lines[10] == "   a b c d e f g h i j"


def test_diagram_last_turn_is_in_brackets() -> None:
    position = parse_position("yodd hex3 3/4/2bbb/4/3 b 0 4")

    def middle(token: str) -> str:
        turn = parse_turn(token, position.rules, Colour.BLACK)
        return diagram(position, turn).splitlines()[2]

    assert middle("1c3") == "c . .(X)X X 5"
    assert middle("1c3,1c5") == "c . .(X)X(X) 5"
    assert middle("1c4,1c5") == "c . . X(X(X) 5"
    assert diagram(position, PASS) == diagram(position)


@pytest.mark.parametrize("shape", Shape)
def test_diagram_any_board_has_no_empty_line_or_trailing_space(shape: Shape) -> None:
    for size in sizes_of(shape):
        board = geometry_of(shape, size)
        lines = diagram(Position(make_rules("odd", board.name))).splitlines()
        assert all(line.strip() and line == line.rstrip() for line in lines)
        assert sum(line.count(".") for line in lines) == board.cells
