"""The launcher confines a program before it starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE, Program
from yoddd.daemon.play.confinement import LAUNCHER, Confinement
from yoddd.daemon.play.launch import descendants
from yoddd.daemon.play.processes import kill_marked
from yoddd.daemon.runs.preparation import cpu_share

SHOW = """
import json, os, resource
names = ("CPU", "NOFILE")
limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in names]
print(json.dumps([limits, sorted(os.sched_getaffinity(0)), os.getsid(0) == os.getpid()]))
"""


def launch(confinement: Confinement, *command: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-I", "-S", LAUNCHER, confinement.settings(), *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.process
@pytest.mark.gate
def test_launcher_sets_limits_cpus_and_session() -> None:
    cpu = min(os.sched_getaffinity(0))
    confinement = Confinement(cpu=30, files=40, cpus=(cpu,))
    done = launch(confinement, sys.executable, "-c", SHOW)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[30, 40], [cpu], True]


def test_cpu_share_divides_the_cpus_among_the_games() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    assert cpu_share(0, 1) == tuple(cpus)
    shares = [cpu_share(table, len(cpus)) for table in range(len(cpus))]
    assert sorted(sum(shares, ())) == cpus
    assert len(cpu_share(7, 1000)) == 1


@pytest.mark.process
@pytest.mark.whole
def test_processes_are_found_by_descent_and_by_environment(tmp_path: Path) -> None:
    with Program(
        [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"],
        env={**os.environ, "YODDD_TEST": str(tmp_path)},
        new_session=True,
    ) as process:
        process.stdout.readline()  # a process that is only beginning shows no environment yet
        assert process.pid in descendants(os.getpid())
        assert kill_marked("YODDD_TEST", str(tmp_path)) == 1
        assert process.wait(PATIENCE) == -9
