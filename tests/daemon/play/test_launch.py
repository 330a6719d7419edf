"""The launcher confines a program before it starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE
from yoddd.daemon.play.confinement import LAUNCHER, Confinement
from yoddd.daemon.runs.preparation import cpu_share

SHOW = """
import json, os, resource
names = ("CPU", "NOFILE")
limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in names]
print(json.dumps([limits, sorted(os.sched_getaffinity(0)), os.getsid(0) == os.getpid()]))
"""


def launch(
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
    done = launch(confinement, sys.executable, "-c", SHOW, group=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[30, 40], [cpu], True]
    assert group.read_text() == "0"


@pytest.mark.process
@pytest.mark.gate
def test_launcher_whose_parent_has_died_starts_nothing() -> None:
    done = launch(Confinement(), "echo", "started", parent=1)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.process
@pytest.mark.gate
def test_launcher_that_cannot_start_or_confine_reports_it() -> None:
    done = launch(Confinement(), "/no/such/program")
    assert (done.returncode, done.stderr) == (127, "/no/such/program: No such file or directory\n")
    done = launch(Confinement(cpus=(99_999,)), "true")
    assert done.returncode == 126
    assert "cannot be confined" in done.stderr


def test_cpu_share_divides_the_cpus_among_the_games() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    assert cpu_share(0, 1) == tuple(cpus)
    shares = [cpu_share(table, len(cpus)) for table in range(len(cpus))]
    assert sorted(sum(shares, ())) == cpus
    assert len(cpu_share(7, 1000)) == 1
