"""The board in colours."""

from __future__ import annotations

import pytest

from yoddd.board import geometry
from yoddd.notation import parse_position
from yoddd.rules import Colour, Stone
from yoddd.terminal.drawing import LARGE, SMALL, Frame, Look, Scale, draw, fitting_frame

BOARDS = ("hex2", "hex8", "square5", "square12")


@pytest.mark.parametrize("scale", [SMALL, LARGE])
@pytest.mark.parametrize("name", BOARDS)
def test_draw_has_the_size_of_its_frame(name: str, scale: Scale) -> None:
    game = "yodd" if name.startswith("hex") else "xodd"
    board = geometry(name)
    rows = "/".join(str(len(row)) for row in reversed(board.rows))
    position = parse_position(f"{game} {name} {rows} b 0 1")
    frame = Frame(board, scale)
    lines = draw(frame, position, Look()).split("\n")
    assert len(lines) == frame.height
    assert max(line.cell_len for line in lines) <= frame.width


@pytest.mark.parametrize("scale", [SMALL, LARGE])
@pytest.mark.parametrize("name", BOARDS)
def test_cell_at_finds_each_drawn_cell(name: str, scale: Scale) -> None:
    frame = Frame(geometry(name), scale)
    found = {
        frame.cell_at(column, line) for line in range(frame.height) for column in range(frame.width)
    }
    assert found == {None, *range(frame.geometry.cells)}
    assert frame.cell_at(0, 0) is None
    assert frame.cell_at(frame.indent(frame.geometry.rows[-1]), 0) == frame.geometry.rows[-1][0]
    assert frame.cell_at(frame.indent(frame.geometry.rows[0]), frame.height + 1) is None


def test_fitting_frame_is_the_largest_that_fits() -> None:
    board = geometry("hex8")
    assert fitting_frame(board, 100, 40).scale is LARGE
    assert fitting_frame(board, 40, 22).scale is SMALL
    assert fitting_frame(board, 1, 1).scale is SMALL


def test_draw_marks_stones_completions_and_misfits() -> None:
    position = parse_position("yodd hex2 b1/3/2 w 0 2")
    look = Look(
        pending=(Stone(Colour.WHITE, 0),), fits=frozenset({Stone(Colour.BLACK, 1)}), shade=True
    )
    text = draw(Frame(position.rules.geometry, SMALL), position, look)
    grounds = {
        str(span.style).rpartition(" on ")[2] for span in text.spans if " on " in f" {span.style}"
    }
    assert len(grounds) >= 4  # pending, fitting, misfitting, plain
    assert text.plain.count("●") == 2
    assert text.plain.count("•") == 1


def test_draw_crosses_first_stones_without_a_turn() -> None:
    position = parse_position("yodd hex2 2/3/2 b 0 1")
    look = Look(fits=frozenset({Stone(Colour.BLACK, 0)}), shade=True)
    assert draw(Frame(position.rules.geometry, SMALL), position, look).plain.count("✗") == 13
