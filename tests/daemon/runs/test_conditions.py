"""Every report of a run states the conditions that its games were played under."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import yoddd
from tests.daemon.conftest import engine
from tests.daemon.runs.test_run import run
from yoddd.daemon.runs.starts import STARTS, read_starts
from yoddd.notation import parse_sgf

NAMES = ["game", "format", "clock", "openings", "seed", "adjudication", "crash"]


@pytest.mark.process
@pytest.mark.whole
def test_reports_of_a_run_state_its_conditions(marker: str, tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("1c3\n")
    out = tmp_path / "run"
    options = ["--clock", "60+1", "--openings", str(book), "--solve", "4", "--games", "1"]
    engines = (engine(marker, "--name", "Ada"), engine(marker, "--name", "Bob"))
    assert run(out, engines, *options, "--first", "memory=900").returncode == 0
    found = json.loads((out / "report.json").read_text())["conditions"]
    assert list(found)[:7] == NAMES
    assert found["game"].startswith("yodd on hex3 ")
    assert (found["clock"], found["seed"]) == ("60+1,margin=0.1", "5")
    assert found["openings"] == f"1 of {book}"
    assert found["adjudication"] == "solve=4"
    assert found["engine Ada"] == f"version 1; {engines[0]}; memory: 900 MiB"
    assert found["command"].endswith(f"--out {out} {' '.join(options)} --first memory=900")
    assert f"yoddd {yoddd.__version__} (" in found["program"]
    assert " threads" in found["machine"]
    assert found["concurrency"] == "1"
    text, page = (out / "report.txt").read_text(), (out / "report.html").read_text()
    ((game,), _) = parse_sgf(next(out.glob("*.sgf")).read_text())
    for name in ("clock", "openings", "engine Bob", "machine", "command", "started"):
        assert found[name] in text
        assert found[name].replace("'", "&#x27;") in page
        assert f"{name}: {found[name]}" in (game.text("GC") or "")
    assert game.text("EV") == "Ada, Bob"
    options[-1] = "2"
    assert run(out, engines, *options, "--first", "memory=900").returncode == 0
    found = json.loads((out / "report.json").read_text())["conditions"]
    assert ("--games 1" in found["command 1"], "--games 2" in found["command 2"]) == (True, True)


def test_read_starts_leaves_out_what_is_none(tmp_path: Path) -> None:
    assert read_starts(tmp_path) == []
    (tmp_path / STARTS).write_text(f'{{"x": 1}}{os.linesep}nothing{os.linesep}')
    assert read_starts(tmp_path) == []
