"""The launcher confines a program before it starts: real programs, and steps that are recorded."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE
from yoddd.daemon.play import launch
from yoddd.daemon.play.confinement import LAUNCHER, Confinement
from yoddd.daemon.runs.preparation import cpu_share
from yoddd.system import INHERITED_FILES


class Exited(Exception):
    """The process would have exited with a status."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The calls so far."""
    calls: list[tuple[object, ...]] = []

    def leave(status: int) -> None:
        raise Exited(status)

    def execute(program: str, command: list[str]) -> None:
        if program == "missing":
            raise FileNotFoundError(2, "No such file or directory")
        calls.append(("exec", *command))

    def limit(number: int, values: tuple[int, int]) -> None:
        if values[0] > 1000:
            raise ValueError("not allowed to raise maximum limit")
        calls.append((number, values))

    monkeypatch.setattr(os, "setsid", lambda: calls.append(("setsid",)))
    monkeypatch.setattr(os, "sched_setaffinity", lambda _pid, cpus: calls.append(tuple(cpus)))
    monkeypatch.setattr(os, "execvp", execute)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(resource, "setrlimit", limit)
    return calls


def test_launcher_leads_a_session_within_limits_and_becomes_the_program(
    calls: list[tuple[object, ...]],
) -> None:
    words = ["parent=1", "cpu=30", "usual_files=20", "cpus=1,2"]
    launch.main([*words, "--", "engine", "--", "--fast"])
    files = (20, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    limits = [(resource.RLIMIT_CPU, (30, 30)), (resource.RLIMIT_NOFILE, files)]
    assert calls == [("setsid",), *limits, (1, 2), ("exec", "engine", "--", "--fast")]


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["--", "missing"], launch.NOT_FOUND, "missing: No such file or directory\n"),
        (["files=2000", "--", "engine"], launch.NOT_CONFINED, "cannot be confined: not allowed"),
    ],
)
def test_launcher_that_starts_nothing_tells_the_referee(
    calls: list[tuple[object, ...]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: list[str],
    status: int,
    text: str,
) -> None:
    with (tmp_path / "report").open("wb") as report, pytest.raises(Exited, match=f"^{status}$"):
        launch.main([f"report={report.fileno()}", *words])
    assert (tmp_path / "report").read_bytes() == b"not started"
    assert capsys.readouterr().err.startswith(text)
    assert calls == [("setsid",)]


SHOW = """
import json, os, resource
names = ("CPU", "NOFILE")
limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in names]
print(json.dumps([limits, sorted(os.sched_getaffinity(0)), os.getsid(0) == os.getpid()]))
"""


def launched(
    confinement: Confinement, *command: str, **more: object
) -> subprocess.CompletedProcess[str]:
    words = [*LAUNCHER, *confinement.settings(**more), "--", *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.process
@pytest.mark.gate
def test_launcher_sets_limits_cpus_session_and_control_group(tmp_path: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    confinement = Confinement(cpu=30, files=40, cpus=(cpu,))
    group = tmp_path / "cgroup.procs"
    group.touch()
    done = launched(confinement, sys.executable, "-c", SHOW, group=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[30, 40], [cpu], True]
    assert group.read_text() == "0"
    done = launched(Confinement(), sys.executable, "-c", SHOW, usual_files=50)
    assert json.loads(done.stdout)[0][1] == 50


@pytest.mark.process
@pytest.mark.gate
def test_engine_without_a_limit_of_files_gets_the_one_of_the_user() -> None:
    assert f"usual_files={INHERITED_FILES}" in Confinement().settings()
    assert not [word for word in Confinement(files=40).settings() if word.startswith("usual_")]


@pytest.mark.process
@pytest.mark.gate
def test_launcher_whose_parent_has_died_starts_nothing() -> None:
    done = launched(Confinement(), "echo", "started", parent=1)
    assert (done.returncode, done.stdout) == (0, "")


def test_cpu_share_divides_the_cpus_among_the_games() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    assert cpu_share(0, 1) == tuple(cpus)
    shares = [cpu_share(table, len(cpus)) for table in range(len(cpus))]
    assert sorted(sum(shares, ())) == cpus
    assert len(cpu_share(7, 1000)) == 1
