"""Conditions of a tournament: what is stopped, what is repeated, and how it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from twisted.logger import capturedLogs

import yoddd
from tests.daemon.conftest import ENGINE_COMMAND, engine
from tests.daemon.runs.test_run import run
from tests.support.programs import YODDD
from yoddd.cli import main
from yoddd.daemon.base.clock import monotonic
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.transcripts import EngineLog
from yoddd.daemon.runs.archive import STARTS
from yoddd.daemon.runs.run_folder import read_starts
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


@pytest.mark.process
@pytest.mark.whole
def test_end_of_a_run_with_faults_names_their_folder(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(
        out, (engine(marker), engine(marker, "--fault", "crash", "--turn", "2", "--name", "Bob"))
    )
    assert done.stdout.splitlines()[-1] == f"faults: 2 in {out / 'faults'}"
    for command in (["pause"], ["stop"], ["set", "concurrency=2"]):
        refused = CliRunner().invoke(main, [command[0], str(out), *command[1:]])
        assert refused.exit_code == 1
        message = f"Error: {out}: this run is not running: all of its games are played\n"
        assert refused.stderr == message
    watched = CliRunner().invoke(main, ["status", str(out), "--watch"])
    assert (watched.exit_code, "not running" in watched.stdout) == (0, True)


def test_pause_of_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    refused = CliRunner().invoke(main, ["pause", str(tmp_path)])
    assert refused.exit_code == 1
    assert "this run is not running: " in refused.stderr
    assert "No such file or directory" in refused.stderr


LINE = re.compile(r" *\d+\.\d{6} [<>!=] .*")


def texts(folder: Path) -> list[str]:
    """The logs of a folder, without the lines that say what was started."""
    found = []
    for file in sorted(folder.iterdir()):
        first, *lines = file.read_text("ascii").splitlines()
        assert first.startswith("# 20")
        assert all(LINE.fullmatch(line) for line in lines)
        found.append("\n".join(line.split(maxsplit=1)[1] for line in lines))
    return found


def test_engine_log_has_lines_as_python_writes_them(tmp_path: Path) -> None:
    launch = Launch(command="./bot --level 3", name="my bot/1")
    log = EngineLog(tmp_path / "new", launch, 7, monotonic)
    log.note(">", b"1 name\n")
    log.note("<", b"=1 \xff\n\n")
    log.end("exit status 0")
    log.note("<", b"late")
    assert log.path.name == "my_bot_1-7.log"
    assert "./bot --level 3" in log.path.read_text("ascii")
    assert texts(tmp_path / "new") == ["> 1 name\\n\n< =1 \\xff\\n\n< \\n\n= exit status 0"]


def test_engine_log_that_a_full_disk_does_not_take_ends(tmp_path: Path) -> None:
    """An error in the reader of its pipe would close it, and the engine would lose."""
    (tmp_path / "engine-7.log").symlink_to("/dev/full")
    with capturedLogs() as logged:
        log = EngineLog(tmp_path, Launch(command="./bot"), 7, monotonic)
        log.note("<", b"=1\n\n")
        log.end("exit status 0")
    assert [(one["path"], one["error"]) for one in logged] == [
        (log.path, "No space left on device")
    ]


@pytest.mark.process
@pytest.mark.whole
def test_match_log_has_every_byte_and_standard_error(marker: str, tmp_path: Path) -> None:
    engines = (engine(marker, "--name", "Ada"), engine(marker, "--fault", "crash", "--turn", "3"))
    done = run(tmp_path / "run", engines, "--log", str(tmp_path / "logs"))
    assert done.returncode == 0, done.stderr
    first, *others = texts(tmp_path / "logs")
    assert "> 1 protocol_version\\n\n< =1 2\\n\n< \\n\n" in first
    assert "genmove b" in first
    assert any("! Traceback: the test engine crashes on cue\\n" in text for text in others)
    assert any("= exit status 3" in text for text in others)
    assert any(file.name.startswith("Ada-") for file in (tmp_path / "logs").iterdir())


@pytest.mark.process
@pytest.mark.gate
def test_check_log_has_a_file_for_each_start(tmp_path: Path) -> None:
    words = [*YODDD, "check", "--log", str(tmp_path / "logs"), "--only", "ids", *ENGINE_COMMAND]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 0
    assert sum("007 protocol_version" in text for text in texts(tmp_path / "logs")) == 1
