"""Descriptions of games: how they are read, and every way in which they are refused."""

from __future__ import annotations

import json
import random
import time
import tomllib
from contextlib import suppress
from importlib.resources import files
from typing import Any

import pytest

from tests.support.descriptions import table_of
from yoddd.rules import GAMES, RulesError, make_rules
from yoddd.rules.description import LARGEST, DescriptionError, read_game
from yoddd.rules.facts import nested
from yoddd.rules.game import rules_of

MANY = """\
format = 1
name = "many"
title = "Many"
designer = "Example"
boards = { hex = [4, 10] }
board = "hex6"
pie = true

[turn]
stones = [1, 1]
colour = "own"

[score]
count = "points"
wins = "more"
ties = ["size"]

[options.pie]
sets = "pie"
words = { off = false, on = true }
help = "White may swap sides instead of turn 2"
"""
"""The example of the format."""

YODD = {
    "pie": False,
    "score": {"count": "points", "ties": [], "value": "one", "wins": "fewer"},
    "turn": {
        "colour": "either",
        "first": 1,
        "first_colour": "either",
        "full_ends": False,
        "groups": "odd",
        "pass": "free",
        "stones": [1, 2],
    },
}


def changed(old: str, new: str) -> str:
    assert old in MANY
    return MANY.replace(old, new, 1)


def test_game_read_from_toml_is_that_read_from_its_own_description_as_json() -> None:
    game = read_game(MANY, "many.toml")
    assert read_game(json.dumps(game.description()), "many.json") == game
    assert rules_of(game, None, {}).options() == {"pie": "on"}
    assert game.own_colour


@pytest.mark.parametrize("name", GAMES)
def test_built_in_game_is_the_file_of_its_name(name: str) -> None:
    path = files("yoddd.rules").joinpath("data", f"{name}.toml")
    assert read_game(path.read_text("utf-8"), path.name) == GAMES[name]
    assert GAMES[name].description() == tomllib.loads(path.read_text("utf-8"))


def test_hash_is_that_of_the_facts_and_of_no_name_or_board() -> None:
    rules = make_rules("yodd")
    assert rules.facts.hash == "159061a29ec807fe14495aa773bef3b3cdb3d5f5e2e1d226310a756ad3a21718"
    assert make_rules("xodd").facts == rules.facts
    plain = {**GAMES["yodd"].description(), "name": "other", "options": {}}
    assert rules_of(read_game(json.dumps(plain), "x"), "hex4", {}).facts.hash == rules.facts.hash
    assert make_rules("yodd", None, {"own_colour": "on"}).facts.hash != rules.facts.hash


def test_facts_by_key_are_those_that_have_a_meaning() -> None:
    assert nested(make_rules("yodd").facts.by_key) == YODD


LINE = 'designer = "Example"'
COUNT = 'count = "points"'
TURN = 'colour = "own"'
REFUSED = [
    ("format = 1", "format = 2", 1, "format", "2 is newer than 1"),
    ("format = 1", "", 1, "format", "expected format = 1"),
    ("format = 1", "format = true", 1, "format", "expected format = 1"),
    ('"many"', '"Many"', 2, "name", "lower-case"),
    ('"many"', '"startpos"', 2, "name", "choose another name"),
    ('"many"', '"yodd"', 2, "name", "choose another name"),
    ('"Many"', '"Ma\\u202eny"', 3, "title", "one line"),
    ('"Many"', '"a\\nb"', 3, "title", "one line"),
    ('"Example"', f'"{"x" * 61}"', 4, "designer", "60"),
    (LINE, "", 1, "designer", "is missing"),
    (LINE, LINE + '\nsource = "http://x"', 5, "source", "https://"),
    (LINE, LINE + '\ndate = "2011"', 5, "date", "year"),
    (LINE, LINE + "\nowner = 1", 5, "owner", "no such key"),
    ("[4, 10]", "[4, 14]", 5, "boards.hex", "2 to 13"),
    ("[4, 10]", "[10, 4]", 5, "boards.hex", "smallest"),
    ("{ hex", "{ cube", 5, "boards.cube", "no such key"),
    ("hex6", "hex99", 6, "board", "hex boards are 2 to 13"),
    ("hex6", "square6", 6, "board", "hex"),
    ("pie = true", "pie = 1", 7, "pie", "false or true"),
    ("[1, 1]", "[2, 1]", 10, "turn.stones", "[1, 1], [1, 2] or [2, 2]"),
    ("[1, 1]", "[1.0, 1]", 10, "turn.stones", "[1, 1]"),
    (TURN, 'colour = "mine"', 11, "turn.colour", "either or own"),
    (TURN, "", 9, "turn.colour", "is missing"),
    (TURN, TURN + '\ngroups = "odd"', 9, "turn.pass", '"free"'),
    (TURN, TURN + '\npass = "free"', 12, "turn.pass", 'groups = "any"'),
    (TURN, TURN + '\ngroups = "even"\npass = "free"', 9, "turn.first", "expected 2"),
    (TURN, TURN + "\nfull_ends = true", 12, "turn.full_ends", "leave it out"),
    (TURN, TURN + "\nfirst = 3", 12, "turn.first", "1 or 2"),
    (COUNT, COUNT + "\nk = 5", 15, "score.k", "leave it out"),
    (COUNT, COUNT + '\nvalue = "large"', 13, "score.k", "from 1 to 999"),
    (COUNT, COUNT + '\nvalue = "large"\nk = 1000', 16, "score.k", "from 1 to 999"),
    (COUNT, COUNT + "\nlone = 0", 15, "score.lone", "leave it out"),
    (COUNT, 'count = "area"\nvalue = "one"', 15, "score.value", "leave it out"),
    ('"more"', '"odd"', 16, "score.ties", "leave it out"),
    ('["size"]', '["white", "size"]', 16, "score.ties", "leave it out"),
    ('["size"]', '["draw"]', 16, "score.ties", "a list of size"),
    ('["size"]', "[]", 16, "score.ties", '["white"]'),
    ('sets = "pie"', 'sets = "name"', 19, "options.pie.sets", "expected one of pie"),
    ("[options.pie]", "[options.seed]", 18, "options.seed", "choose another name"),
    ("[options.pie]", "[options.Pie]", 18, "options.Pie", "lower-case"),
    ("on = true }", "on = 1 }", 20, "options.pie.words.on", "false or true"),
    ("off = false, on = true", "off = false", 20, "options.pie.words", "the default"),
    ("words = { off = false, on = true }", "range = [0, 1]", 20, "options.pie.range", "false"),
    ('help = "White', 'hint = "White', 21, "options.pie.hint", "no such key"),
    ('sets = "pie"', 'sets = "score.k"', 19, "options.pie.sets", "give it"),
    ("[turn]", "[turn", 9, "", "no TOML"),
]


@pytest.mark.parametrize(("old", "new", "line", "key", "reason"), REFUSED)
def test_refusal_names_file_line_key_and_way_out(
    old: str, new: str, line: int, key: str, reason: str
) -> None:
    with pytest.raises(DescriptionError) as caught:
        read_game(changed(old, new), "many.toml", taken=GAMES)
    error = caught.value
    assert (error.line, error.key) == (line, key), str(error)
    assert reason in error.reason
    assert str(error).startswith(f"many.toml, line {line}: ")
    assert "\n" not in str(error)
    assert len(str(error)) < 500


HOSTILE: list[str | bytes] = [
    "x = 1\n" * LARGEST,
    "[" * 16000,
    "a = " + "[" * 16000,
    '{"format":' * 1600,
    "a" + ".a" * 8000 + " = 1",
    b"\xff\xfe",
    '{"format": 1, "format": 1}',
    '{"format": NaN}',
    "format = " + "9" * 16000,
    '{"format": 1' + "9" * 16000 + "}",
    "[]",
    "",
    "\0",
    '"a"' + ' . "a\\""' * 2000 + " = 1",
    *(
        changed(f"{line}\n", f"{line.split(' = ')[0]}{value}\n")
        for line in MANY.splitlines()
        if " = " in line
        for value in (" = 0x" + "f" * 15000, " = " + "[" * 400 + "]" * 400, ".a" * 7000 + " = 1")
    ),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_refused_at_once(text: str | bytes) -> None:
    begun = time.process_time()
    with pytest.raises(DescriptionError) as caught:
        read_game(text, "x")
    assert len(str(caught.value)) < 300
    assert time.process_time() - begun < 2


DAMAGE: list[Any] = [None, 0, -1, 1.5, True, "", "odd", [], {}, [[]], "\ud800"]


def test_any_damage_to_a_drawn_description_is_refused_or_read() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        table = table_of(rng.choice, rng.choice(["hex4", "square4"]))
        part: Any = table
        while isinstance(part, dict) and part and rng.random() < 0.8:
            inner = rng.choice(list(part))
            if not isinstance(part[inner], dict) or rng.random() < 0.3:
                part[inner] = rng.choice(DAMAGE)
                break
            part = part[inner]
        with suppress(DescriptionError):
            assert read_game(json.dumps(table), "drawn.json").facts


def test_option_that_fails_with_others_is_refused_when_it_is_chosen() -> None:
    text = MANY.replace('["size"]', '["size", "white"]') + (
        '[options.tie]\nsets = "score.ties"\nwords = { last = ["size", "white"], none = [] }\n'
    )
    game = read_game(text, "many.toml")
    assert rules_of(game, None, {"tie": "last"})
    with pytest.raises(RulesError, match=r"score.ties: .* may end in a draw: expected ties"):
        rules_of(game, None, {"tie": "none"})


def test_board_that_leaves_one_cell_for_a_turn_of_two_stones_is_refused_when_chosen() -> None:
    table = {**GAMES["product"].description(), "boards": {"square": [5, 7]}, "board": "square5"}
    game = read_game(json.dumps(table), "x")
    with pytest.raises(RulesError, match="choose another board") as caught:
        rules_of(game, "square6", {})
    assert caught.value.about == "board"
