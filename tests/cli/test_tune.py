"""`yoddd tune` with real engine processes: it resumes, and it finds the better value."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.daemon.conftest import ENGINE_COMMAND
from tests.support.programs import PATIENCE, YODDD, Program
from yoddd.cli import main
from yoddd.cli.tuning_file import TuningFile
from yoddd.client.tuning import Described, described

TUNABLE = (sys.executable, "-m", "tests.programs.tunable")
SMALL = ("--board", "hex2", "--rate", "0.2")


def tune(out: Path, *options: str, engine: tuple[str, ...] = TUNABLE) -> Result:
    small = SMALL[2:] if "--board" in options else SMALL
    return CliRunner().invoke(main, ["tune", *small, "--out", str(out), *options, *engine])


def content(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def results_in(file: Path) -> int:
    return len(content(file)["results"]) if file.exists() else 0


def test_described_reads_numbers_and_skips_the_rest() -> None:
    text = (
        "a 3 int 0..10/2 it has a step\n"
        "b 0.5 float -1..1 it has none\n"
        "c default int 1..9|default its value is a word\n"
        "d on enum on|off no number\n"
        "broken\n"
        "e 1 int some numbers"
    )
    assert described(text) == {
        "a": Described(3, 0, 10, 2, whole=True),
        "b": Described(0.5, -1, 1, None, whole=False),
        "c": Described(None, 1, 9, None, whole=True),
    }


@pytest.mark.process
@pytest.mark.whole
def test_tune_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    done = tune(whole, "--param", "greed", "--games", "24")
    assert done.exit_code == 0, done.output
    knob = {"name": "greed", "start": 0, "low": 0, "high": 100, "step": 10, "whole": True}
    assert content(whole)["spsa"]["knobs"] == [knob]
    results = content(whole)["results"]
    assert len(results) == 12
    # What a process that was killed after five pairs has left.
    parts.write_text(json.dumps({**content(whole), "results": results[:5]}), encoding="utf-8")
    again = tune(parts, "--param", "greed", "--games", "24")
    assert content(parts) == content(whole)
    assert again.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
    assert done.stdout.splitlines()[-1].startswith("24 games: greed=")
    assert tune(parts, "--param", "greed", "--games", "24").stdout.startswith("24 games: greed=")


@pytest.mark.process
@pytest.mark.whole
def test_tune_killed_at_any_time_leaves_a_file_to_go_on_from(tmp_path: Path) -> None:
    out = tmp_path / "tuning.json"
    options = ["--param", "greed", "--games", "4000", "--out", str(out), *SMALL]
    for sent in (signal.SIGKILL, signal.SIGINT):
        before = results_in(out)
        with Program([*YODDD, "tune", *options, *TUNABLE], stdout=subprocess.DEVNULL) as process:
            while results_in(out) < before + 3:
                assert process.poll() is None, process.error_text()
                time.sleep(0.05)
            process.send_signal(sent)
            process.wait(PATIENCE)
        assert len(TuningFile.read(out).results) >= before + 3
    assert f"interrupted; run the same command to continue from {out}" in process.error_text()


@pytest.mark.process
@pytest.mark.whole
def test_tune_finds_the_better_value(tmp_path: Path) -> None:
    out = tmp_path / "tuning.json"
    done = tune(out, "--param", "greed", "--games", "200", "--board", "hex3", "--concurrency", "2")
    assert done.exit_code == 0, done.output
    (greed,) = TuningFile.read(out).values
    assert greed > 40


@pytest.mark.process
@pytest.mark.whole
def test_tune_another_tuning_is_not_mixed_into_a_file(tmp_path: Path) -> None:
    out = tmp_path / "tuning.json"
    assert tune(out, "--param", "greed", "--games", "2").exit_code == 0
    before = out.read_bytes()
    other = tune(out, "--param", "greed=50", "--games", "2")
    assert other.exit_code == 1
    assert "holds another tuning: knobs is" in other.output
    out.write_text("{}", encoding="utf-8")
    assert "is no file of a tuning" in tune(out, "--param", "greed", "--games", "2").output
    out.write_bytes(before)
    assert tune(out, "--param", "greed", "--games", "2").exit_code == 0


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize(
    ("options", "engine", "message"),
    [
        (("--param", "greed=200"), TUNABLE, "expected min <= START <= max"),
        (("--param", "greed,step=0"), TUNABLE, "a step within that range"),
        (("--param", "greed,low=0"), TUNABLE, "'low=0': expected min=, max= or step="),
        (("--param", "courage"), TUNABLE, "'courage' is not a number of list_params"),
        (("--param", "greed", "--param", "greed=5"), TUNABLE, "given twice"),
        (("--param", "x=1,min=0,max=9"), tuple(ENGINE_COMMAND), "syntax error"),
        (("--param", "greed", "--each", "param.courage=1"), TUNABLE, "syntax error"),
        (("--param", "greed"), ("/nowhere/engine",), "/nowhere/engine"),
        (("--param", "greed"), ("tcp:127.0.0.1:9",), "yoddd tune starts two"),
    ],
)
def test_tune_bad_input_is_refused(
    tmp_path: Path, options: tuple[str, ...], engine: tuple[str, ...], message: str
) -> None:
    result = tune(tmp_path / "tuning.json", *options, "--games", "2", engine=engine)
    assert result.exit_code != 0
    assert message in result.output
    assert not (tmp_path / "tuning.json").exists()
