"""Pictures show the position and need no font."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from yoddd.board import geometry
from yoddd.notation import parse_position, parse_turn
from yoddd.pictures import THEMES, Coordinates, Style, draw
from yoddd.pictures.board import layout, signs, text
from yoddd.rules import Colour, Position, make_rules

SVG = "{http://www.w3.org/2000/svg}"
LINE = "yodd hex4 4/bb3/6/3b3/3w2/5/4 w 0 4"


def elements(svg: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(SVG + name))  # noqa: S314 — our own picture


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_draw_each_stone_is_disc_in_its_colour(theme: str) -> None:
    picture = draw(parse_position(LINE), style=Style(theme=THEMES[theme]))
    fills = [circle.get("fill") for circle in elements(picture, "circle")]
    stones = THEMES[theme].stones
    assert fills.count(stones[Colour.BLACK].fill) == 3
    assert fills.count(stones[Colour.WHITE].fill) == 1


def test_draw_neighbours_of_a_colour_have_bond() -> None:
    edge = THEMES["light"].stones[Colour.BLACK].edge
    drawn = [
        path.get("d") or ""
        for path in elements(draw(parse_position(LINE)), "path")
        if path.get("stroke") == edge
    ]
    assert len(drawn) == 1
    assert drawn[0].count("M") == 1


def test_draw_stones_of_last_turn_have_ring() -> None:
    position = Position(make_rules("yodd", "hex4"))
    for token in ("1d4", "2a1,2g4"):
        position.play(parse_turn(token, position.rules, position.player))
    rings = [
        circle
        for circle in elements(draw(position), "circle")
        if circle.get("stroke") == THEMES["light"].accent
    ]
    assert len(rings) == 2


def test_draw_groups_are_numbered_by_colour() -> None:
    position = parse_position(LINE)
    plain, numbered = draw(position), draw(position, style=Style(groups=True))
    assert len(elements(numbered, "g")) - len(elements(plain, "g")) == len(position.groups())


def test_draw_patterns_theme_marks_stones_with_bars_and_rings() -> None:
    picture = draw(parse_position(LINE), style=Style(theme=THEMES["patterns"]))
    rings = [circle for circle in elements(picture, "circle") if circle.get("fill") == "none"]
    bars = [path for path in elements(picture, "path") if (path.get("d") or "").count("h") == 3]
    assert (len(rings), len(bars)) == (1, 3)


def test_draw_mark_replaces_cell_name() -> None:
    position = parse_position(LINE)
    names = Style(coordinates=Coordinates.CELLS)
    marked = Style(coordinates=Coordinates.CELLS, marks={0: "A", 18: "B"})
    bare = Style(coordinates=Coordinates.NONE)
    assert len(elements(draw(position, style=names), "g")) == 37 - 4
    assert len(elements(draw(position, style=marked), "g")) == 37 - 4 + 1
    assert elements(draw(position, style=bare), "g") == []


@pytest.mark.parametrize("name", ["hex2", "hex5", "square2", "square9"])
def test_layout_neighbours_are_one_unit_apart(name: str) -> None:
    board = geometry(name)
    spots = layout(board).spots
    for one, (x, y) in enumerate(spots):
        for other, (a, b) in enumerate(spots):
            distance = ((x - a) ** 2 + (y - b) ** 2) ** 0.5
            assert (other in board.neighbours[one]) == (abs(distance - 1) < 1e-9)


@pytest.mark.parametrize("name", ["hex4", "square7"])
def test_layout_border_names_every_row_and_column(name: str) -> None:
    board = geometry(name)
    words = [word for word, _ in layout(board).labels]
    assert {label[0] for label in board.labels} == {word for word in words if word.isalpha()}
    assert {label[1:] for label in board.labels} == {word for word in words if word.isdigit()}


def test_glyphs_cover_every_label_of_every_board() -> None:
    for name in ("hex13", "square25"):
        assert set("".join(geometry(name).labels)) <= signs()
    assert "<text" not in draw(parse_position(LINE), style=Style(coordinates=Coordinates.CELLS))
    with pytest.raises(KeyError):
        text("?", 0, 0, 10, "black")
