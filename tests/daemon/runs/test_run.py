"""Runs as programs: archive, faults, limits, control, and recovery."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from tests.daemon.conftest import engine, engines_with, processes_with, until
from tests.daemon.runs.matches import records
from tests.support.programs import PATIENCE, YODDD, Program
from yoddd.cli import main
from yoddd.daemon.runs.control import command_run
from yoddd.daemon.runs.preparation import RUN_MARK
from yoddd.daemon.runs.status_socket import NotRunning, read_run

pytestmark = [pytest.mark.process, pytest.mark.whole]

SMALL = ["--board", "hex3", "--seed", "5"]


def waiting(marker: str, tmp_path: Path) -> tuple[str, str]:
    """Two engines that choose no turn before the test has made the file ``go``."""
    one = engine(marker, "--until", str(tmp_path / "go"))
    return one, one


def arguments(out: Path, engines: tuple[str, str], *options: str) -> list[str]:
    return [*YODDD, "match", *engines, *SMALL, "--out", str(out), *options]


def run(out: Path, engines: tuple[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments(out, engines, *options),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def resume(out: Path) -> subprocess.CompletedProcess[str]:
    words = [*YODDD, "resume", str(out)]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.gate
def test_run_writes_archive_and_reports_and_resumes(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(out, (engine(marker), engine(marker, "--seed", "2")), "--pairs", "3")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert {record.id for record in records(out)} == {f"r1t1p{p}.{g}" for p in "123" for g in "12"}
    assert all((out / f"{record.id}.sgf").exists() for record in records(out))
    assert json.loads((out / "report.json").read_text())["games"] == 6
    assert "<svg" in (out / "report.html").read_text()
    assert "6 of 6 games" in (out / "report.txt").read_text()
    again = run(
        out, (engine(marker), engine(marker, "--seed", "2")), "--pairs", "3", "--concurrency", "2"
    )
    assert again.returncode == 0
    assert "6 of 6 games are in the archive" in again.stdout
    assert len(records(out)) == 6


JVM: Final = """class Jvm { public static void main(String[] words) throws Exception {
    System.exit(new ProcessBuilder(words).inheritIO().start().waitFor());
} }"""
"""Runs a command, after the JVM has locked the file ``/tmp/hsperfdata_USER/PID``."""


@pytest.mark.parametrize("is_java", [False, True])
def test_run_of_engines_that_lock_files_named_by_their_pids_is_played(
    marker: str, tmp_path: Path, *, is_java: bool
) -> None:
    command = engine(marker, "--lock", str(tmp_path))
    if is_java:
        if shutil.which("javac") is None:
            pytest.skip("needs Java")
        (tmp_path / "Jvm.java").write_text(JVM)
        subprocess.run(["javac", "-d", tmp_path, tmp_path / "Jvm.java"], check=True)  # noqa: S607 — found on the PATH
        command = f"java -cp {tmp_path} Jvm {engine(marker)}"
    done = run(tmp_path / "run", (command, command), "--games", "4", "--concurrency", "2")
    assert done.returncode == 0, done.stderr
    assert [record.reason for record in records(tmp_path / "run")] == ["groups"] * 4


@pytest.mark.parametrize("lacks", ["sockets=1", "locks=37,folders=22,sockets=95"])
def test_run_on_a_poor_file_system_is_played_and_can_be_looked_at(
    tmp_path: Path, marker: str, lacks: str
) -> None:
    program = [sys.executable, "-m", "tests.support.poor_files", lacks]
    out, engines = tmp_path / "run", waiting(marker, tmp_path)
    with Program([*program, *arguments(out, engines, "--games", "1")[len(YODDD) :]]) as first:
        until(lambda: bool(processes_with(marker)) and (out / "starts.jsonl").exists())
        asked = subprocess.run(
            [*program, "run", "status", str(out)], capture_output=True, text=True, check=False
        )
        (tmp_path / "go").touch()
        _, errors = first.rest()
    assert asked.stdout.startswith("running; "), asked.stderr
    assert first.returncode == 0, errors
    assert [line.partition(" ")[0] for line in errors.splitlines()] == ["Warning:"] * (
        1 + ("locks" in lacks)
    )
    assert len(records(out)) == 1


def wait_for_begin(out: Path) -> None:
    """Until a game is being played; at first there is no socket."""

    def has_begun() -> bool:
        try:
            return bool(read_run(out, "status")["running"])
        except (NotRunning, OSError):
            return False

    until(has_begun)


def test_run_obeys_its_control_socket(marker: str, tmp_path: Path) -> None:
    out, engines = tmp_path / "run", waiting(marker, tmp_path)
    with Program(arguments(out, engines, "--pairs", "6")) as first:
        wait_for_begin(out)
        assert CliRunner().invoke(main, ["pause", str(out)]).exit_code == 0
        (tmp_path / "go").touch()
        until(lambda: read_run(out, "status")["running"] == 0)
        pause_and_resume(out)
        output, errors = first.rest()
    assert first.returncode == 0, errors
    assert "Games: 12" in output
    status = CliRunner().invoke(main, ["status", str(out)])
    assert status.output.startswith("not running\n")


def pause_and_resume(out: Path) -> None:
    """Command a run that is paused."""
    paused = len(records(out))
    assert read_run(out, "status")["paused"]
    with pytest.raises(ValueError, match="expected concurrency=N"):
        command_run(out, "set", "speed=9")
    with pytest.raises(ValueError, match="expected one of pause, resume, stop, set"):
        command_run(out, "dance")
    for command in ("pause", "resume", "stop", "set"):
        with pytest.raises(ValueError, match="expected one of status, playing"):
            read_run(out, command)
    command_run(out, "set", "concurrency=3")
    assert len(records(out)) == paused < 12
    assert resume(out).returncode == 0


@pytest.mark.gate
def test_run_that_is_killed_leaves_no_engine(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    stubborn = engine(marker, "--fault", "ignore-sigterm")
    slow, _ = waiting(marker, tmp_path)
    with Program(arguments(out, (slow, stubborn)), stdout=subprocess.DEVNULL):
        wait_for_begin(out)
        until(lambda: len(engines_with(marker)) >= 2)


@pytest.mark.gate
def test_run_kills_processes_that_a_killed_run_left(marker: str, tmp_path: Path) -> None:
    out, engines = tmp_path / "run", waiting(marker, tmp_path)
    with Program(arguments(out, engines, "--games", "2"), stdout=subprocess.DEVNULL):
        wait_for_begin(out)
    (tmp_path / "go").touch()
    # An engine that has stopped its guard and killed its keeper leaves something like this.
    with Program(
        [sys.executable, "-S", "-c", "import time; time.sleep(600)", marker],
        env={**os.environ, RUN_MARK: str(out.resolve())},
        new_session=True,
    ) as stray:
        until(lambda: str(stray.pid) in processes_with(marker))
        done = resume(out)
        assert done.returncode == 0, done.stderr
        assert "that an earlier run had left behind" in done.stdout
        assert stray.wait(PATIENCE) == -signal.SIGKILL


@pytest.mark.gate
def test_run_whose_output_is_closed_ends_and_blames_no_engine(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    engines = (engine(marker), engine(marker, "--seed", "2"))
    with Program(arguments(out, engines, "--games", "4", "--events", "-")) as process:
        for _ in range(3):
            process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 128 + signal.SIGPIPE
        errors = process.error_text()
    assert "Traceback" not in errors
    assert "Exception" not in errors
    done = resume(out)
    assert done.returncode == 0, done.stderr
    assert [record.reason for record in records(out)] == ["groups"] * 4


@pytest.mark.parametrize(
    ("name", "options", "reason", "detail"),
    [
        ("freeze", ["--first", "clock=move=0.5"], "time", "turn "),
        ("fork-bomb", ["--first", "processes=20"], "crash", "more than 20 processes"),
        pytest.param(
            *("memory", ["--first", "memory=256"], "crash", "more than 256 MiB of memory"),
            marks=pytest.mark.gate,
        ),
        ("dial", ["--first", "network=off"], "resign", ""),
        ("dial", [], "crash", "exit status 3"),
    ],
)
def test_limits_of_an_engine_are_enforced(
    marker: str, tmp_path: Path, name: str, options: list[str], reason: str, detail: str
) -> None:
    out = tmp_path / "run"
    bad = engine(marker, "--fault", name, "--turn", "2")
    done = run(out, (bad, engine(marker)), "--games", "1", *options)
    assert done.returncode == 0, done.stderr
    (record,) = records(out)
    assert (record.reason, record.winner) == (reason, "w")
    assert detail in record.detail


@pytest.mark.gate
def test_interrupt_stops_a_run_and_removes_its_socket(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with Program(arguments(out, waiting(marker, tmp_path)), stdout=subprocess.DEVNULL) as process:
        wait_for_begin(out)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 3
    assert list(out.glob("*.sock")) == []
