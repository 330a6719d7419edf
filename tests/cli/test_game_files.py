"""``--game-file``: descriptions are judged before the command, which then takes their games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import yoddd
from tests.notation.test_drawn import drawn_record
from tests.rules.test_drawn import reading_of
from tests.support.descriptions import drawn_game
from tests.support.reading import State
from yoddd.notation import dump_record, format_position
from yoddd.rules import Position

REFUSED = [
    ("format = 1", "format = 2", "line 1: format: 2 is newer than 1"),
    ('wins = "more"', 'wins = "most"', "line 13: score.wins: 'most': expected"),
    ('name = "many"', 'name = "odd"', "line 2: name: 'odd' is taken: choose another name"),
    ("stones", "stone", "line 8: turn.stone: no such key"),
]
MANY = """\
format = 1
name = "many"
title = "Many"
designer = "Example"
boards = { hex = [2, 10] }
board = "hex3"
[turn]
stones = [1, 1]
colour = "own"
[score]
count = "points"
value = "size"
wins = "more"
ties = ["white"]
"""


@pytest.mark.parametrize(("old", "new", "text"), REFUSED)
def test_refused_description_ends_with_status_2_and_its_place(
    tmp_path: Path, old: str, new: str, text: str
) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(MANY)
    bad.write_text(MANY.replace(old, new))
    for words in (["perft"], ["serve", "--print-config"]):
        found = yoddd("--game-file", good, "--game-file", bad, *words)
        assert found.exit_code == 2
        assert f"bad.toml, {text}" in found.stderr
    found = yoddd("--game-file", tmp_path / "none.toml", "perft")
    assert (found.exit_code, "none.toml' does not exist" in found.stderr) == (2, True)


@pytest.mark.parametrize("seed", range(6))
def test_commands_take_a_game_by_its_file(tmp_path: Path, seed: int) -> None:
    game, rules = drawn_game(seed)
    file, games = tmp_path / "drawn.json", tmp_path / "games.jsonl"
    file.write_text(json.dumps(game.description()))
    record = drawn_record(rules, seed)
    games.write_text(f"{dump_record(record)}\n")
    options = [f"--option={name}={text}" for name, text in rules.options().items()]
    reading, line = reading_of(rules), format_position(Position(rules))
    turns = len(reading.turns(State((None,) * rules.geometry.cells)))

    def run(*words: str | Path) -> str:
        found = yoddd("--game-file", file, *words)
        assert found.exit_code == 0, found.output
        return found.stdout

    board = ["--game", "drawn", "--board", rules.geometry.name]
    assert run("perft", *board, *options, "--depth", "1").split() == [str(turns)]
    assert line in run("show", line)
    assert run("render", line, "--out", tmp_path / "board.svg") == ""
    assert "&lt;b&gt;" in (tmp_path / "board.svg").read_text()
    answer = run("show", games)
    assert "Ada" in answer
    # The game of a record is known without its file.
    assert yoddd("show", games).stdout == answer
    copy = tmp_path / "games.sgf"
    assert yoddd("convert", games, copy).exit_code == 0
    assert yoddd("convert", copy, tmp_path / "again.jsonl").exit_code == 0
    assert (tmp_path / "again.jsonl").read_text() == games.read_text()


def test_game_new_file_is_read_told_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "wrote mine.toml" in yoddd("game", "--new", "mine").output
    again = yoddd("game", "--new", "mine")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
    for name in ("yodd", "Mine", "a b", "../mine2", ""):
        assert yoddd("game", "--new", name).exit_code == 2
        assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml"]
    words = [
        "mine.toml",
        "--board",
        "hex2",
        "--games",
        "3",
        "--playouts",
        "10",
        "--concurrency",
        "1",
    ]
    found = json.loads(yoddd("game", *words, "--json", "--kit", "kit").stdout)
    assert found["solved"].keys() == {"hex2", "hex3"}
    assert [found["measures"][name]["games"] for name in found["measures"]] == [2, 1]
    text = yoddd("game", "mine.toml", "--games", "0").output
    assert all(line in text for line in [*found["rules"], found["drawless"]])
    assert len(list((tmp_path / "kit").iterdir())) == 6
    assert yoddd("game", *words, "--kit", "kit").exit_code == 2
    assert yoddd("game").exit_code == yoddd("game", "none.toml").exit_code == 2
    assert (
        "No game is drawn: the number of groups is odd"
        in yoddd("game", "yodd", "--games", "0").output
    )
