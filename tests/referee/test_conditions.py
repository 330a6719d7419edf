"""Conditions of a run, as text."""

from __future__ import annotations

import pytest

from yoddd.referee.conditions import conditions, source_of
from yoddd.referee.config import OpeningsConfig, parse_toml

TOML = """
game = "odd"
board = "hex4"
format = "swiss"
rounds = 3
pairs = 1
clock = "10+0.1"
ponder = false
[adjudication]
turns = 50
resign = {movecount = 3, score = 0.05}
[[engine]]
engine = "./one"
[[engine]]
engine = "./two"
[[engine]]
engine = "./three"
"""


def test_conditions_have_what_a_swiss_tournament_sets() -> None:
    found = dict(conditions(parse_toml(TOML)))
    assert found["game"] == "odd on hex4 min_group=5"
    assert found["format"] == "swiss, 3 rounds, 1 pair per encounter"
    assert found["pondering"] == "off"
    assert found["adjudication"].startswith("turns=50 resign(")
    assert found["openings"] == "the empty board"


@pytest.mark.parametrize(
    ("openings", "text"),
    [
        (OpeningsConfig(), ""),
        (
            OpeningsConfig(generate=8, fill=0.25),
            "8 generated, 25% of the cells filled, within 0.05 of even for mcts with 200 playouts",
        ),
        (
            OpeningsConfig(file="book.sgf", turns=4, shuffle=True),
            "8 of book.sgf, 4 turns of each, shuffled",
        ),
        (OpeningsConfig(file="book.sgf"), "8 of book.sgf"),
    ],
)
def test_source_of_openings_says_where_they_come_from(openings: OpeningsConfig, text: str) -> None:
    assert source_of(openings, 8) == text
