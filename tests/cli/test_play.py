"""``yoddd play`` up to where the terminal begins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from yoddd.cli import main
from yoddd.cli.play import _new_file, _seat
from yoddd.daemon.base.tables import TablePaths, write_table
from yoddd.engine import LEVELS, NO_TABLES, STRONGEST, Budget, Levelled, solve_by_tables
from yoddd.extras import missing_text
from yoddd.kernel.table import build, file_name
from yoddd.notation import parse_position
from yoddd.rules import make_rules
from yoddd.terminal.seats import Opponent, Seats


def play(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["play", *arguments], prog_name="yoddd")


def test_play_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    monkeypatch.delitem(sys.modules, "yoddd.terminal.app", raising=False)
    result = play()
    assert result.exit_code == 1
    assert result.output == f"Error: {missing_text('yoddd play', 'tui')}\n"


def test_play_with_an_unreadable_position_is_refused() -> None:
    result = play("--position", "yodd hex4 nonsense b 0 1")
    assert result.exit_code == 2
    assert "--position" in result.output


def test_play_with_an_unknown_engine_is_refused() -> None:
    assert play("--black", "unknown").exit_code == 2


def test_seat_limits_an_engine_to_its_level() -> None:
    seat = _seat("uct", 3, Budget(5), 0, NO_TABLES)
    assert seat is not None
    searcher = seat.make()
    assert isinstance(searcher, Levelled)
    assert (searcher.name, searcher.level) == ("uct", LEVELS[2])


def test_play_strongest_engine_and_hints_use_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app = pytest.importorskip("yoddd.terminal.app")
    rules = make_rules("xodd", "square3")
    write_table(tmp_path / file_name(rules), list(build(rules, "tests")))
    position = parse_position("xodd square3 3/1b1/3 w 0 2")
    table = solve_by_tables(TablePaths("none", print).open(str(tmp_path)), position)
    assert table is not None
    best = table.line[0]
    made: list[Opponent] = []

    class App:
        def __init__(self, _start: object, seats: Seats, adviser: Opponent, _file: Path) -> None:
            made.extend([adviser, *filter(None, seats)])

        def run(self) -> None:
            for one in made:
                found = one.make().search(position, Budget(1), 0, lambda: False)
                assert found.turn == best

    monkeypatch.setattr(app, "PlayApp", App)
    options = ["--white", STRONGEST, "--tables", str(tmp_path), "--build-tables", "none"]
    result = play(*options, "--position", "xodd square3 3/1b1/3 w 0 2")
    assert result.exit_code == 0, result.exception
    assert len(made) == 2


def test_new_file_never_overwrites(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    rules = make_rules("yodd", "hex4")
    assert _new_file(rules) == Path("yodd-hex4.sgf")
    Path("yodd-hex4.sgf").touch()
    assert _new_file(rules) == Path("yodd-hex4-2.sgf")
