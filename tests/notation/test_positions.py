"""Positions as lines, and boards as plain text."""

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd.board import Shape, geometry_of, sizes_of
from yoddd.notation import NotationError, diagram, format_position, parse_position, parse_turn
from yoddd.rules import PASS, Colour, Position, PositionLike, make_rules


def read(line: str) -> PositionLike | NotationError:
    try:
        return parse_position(line)
    except NotationError as error:
        return error


@given(
    st.lists(st.text("bw123/", max_size=12), min_size=0, max_size=2),
    st.text("bwx ", max_size=3),
    st.text("0123 -", max_size=3),
    st.text("0129 =abc", max_size=12),
)
def test_parse_position_any_line_gives_position_or_placed_error(
    placement: list[str], player: str, passes: str, rest: str
) -> None:
    line = f"yodd hex2 {'/'.join(placement)} {player} {passes} {rest}"
    found = read(line)
    if isinstance(found, NotationError):
        assert 1 <= found.column <= len(line) + 1
    else:
        canonical = format_position(found)
        assert format_position(parse_position(canonical)) == canonical


@given(st.tuples(*[st.integers(0, 2)] * 7), st.sampled_from("bw"), st.integers(0, 2))
def test_parse_position_any_placement_gives_position_or_count_error(
    contents: tuple[int, ...], player: str, passes: int
) -> None:
    filled = "".join(".bw"[content] for content in contents)
    rows = f"{filled[:2]}/{filled[2:5]}/{filled[5:]}"
    placement = re.sub(r"\.+", lambda run: str(len(run[0])), rows)
    found = read(f"yodd hex2 {placement} {player} {passes} 7")
    if isinstance(found, NotationError):
        assert "even" in found.reason
        assert found.column == 11
    else:
        assert sum(found.count()) % 2 == 1


@pytest.mark.parametrize(
    ("placement", "reason"),
    [
        ("2/3/" + "999" * 1_000_000, "row '9999999999999999999999999'… has more than 25 cells"),
        ("2/" * 1_000_000, "1000001 rows, hex2 has 3"),
    ],
)
def test_parse_position_endless_row_is_refused(placement: str, reason: str) -> None:
    tracemalloc.start()
    try:
        found = read(f"yodd hex2 {placement} b 0 1")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, NotationError)
    assert found.reason == reason
    assert peak < 10 * len(placement)


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
