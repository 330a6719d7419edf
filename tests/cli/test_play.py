"""``yoddd play`` up to where the terminal begins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from yoddd.cli import main
from yoddd.cli.play import _new_file, _seat
from yoddd.engine import LEVELS, Budget, Levelled
from yoddd.extras import missing_text
from yoddd.rules import make_rules


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
    assert play("--black", "nobody").exit_code == 2


def test_seat_limits_an_engine_to_its_level() -> None:
    seat = _seat("uct", 3, Budget(5), 0)
    assert seat is not None
    searcher = seat.make()
    assert isinstance(searcher, Levelled)
    assert (searcher.name, searcher.level) == ("uct", LEVELS[2])


def test_new_file_never_overwrites(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    rules = make_rules("yodd", "hex4")
    assert _new_file(rules) == Path("yodd-hex4.sgf")
    Path("yodd-hex4.sgf").touch()
    assert _new_file(rules) == Path("yodd-hex4-2.sgf")
