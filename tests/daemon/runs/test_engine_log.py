"""Logs of the bytes to and from engines, of every command that starts some."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.daemon.conftest import ENGINE_COMMAND, engine
from tests.daemon.runs.test_run import run
from tests.support.programs import YODDD
from yoddd.daemon.base.clock import monotonic
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.engine_log import EngineLog

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
