"""The end of an engine is the end of all that it has started: real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.conftest import ENGINE, PATIENCE, YODDD, processes_with, until
from yoddd.daemon.play.launch import END
from yoddd.daemon.play.memory_limits import MIB, EngineMemory, kept_by
from yoddd.daemon.play.processes import FREE, LAUNCHER, Confinement

pytestmark = pytest.mark.process

LEAVER = str(Path(__file__).parents[2] / "programs" / "leaver.py")


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A word in the command line of each helper; none may outlive the test."""
    word = f"--mark={tmp_path.name}"
    yield word
    left = processes_with(word)
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)
    assert left == []


def keep(mark: str, seconds: str, confinement: Confinement = FREE) -> subprocess.Popen[bytes]:
    """The keeper of a program that has left its helper."""
    words = [sys.executable, "-I", "-S", LAUNCHER, confinement.settings()]
    process = subprocess.Popen(
        [*words, sys.executable, "-S", LEAVER, mark, seconds], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    helper = int(process.stdout.readline())
    until(lambda: processes_with(mark) == [str(helper)] or processes_with(mark)[1:] != [])
    return process


def test_helper_ends_with_its_engine(mark: str) -> None:
    with keep(mark, "0.1") as keeper:
        assert keeper.wait(PATIENCE) == 0
        assert processes_with(mark) == []


@pytest.mark.parametrize("number", [END, signal.SIGTERM])
def test_helper_ends_with_the_order_to_end(mark: str, number: signal.Signals) -> None:
    with keep(mark, "600") as keeper:
        keeper.send_signal(number)
        assert keeper.wait(PATIENCE) == -(signal.SIGKILL if number == END else number)
        assert processes_with(mark) == []


def test_helper_ends_with_the_referee(mark: str) -> None:
    code = (
        "import subprocess, sys, os, time\n"
        f"sys.path.insert(0, {str(Path.cwd())!r})\n"
        "from tests.daemon.play.test_keeper import keep\n"
        f"keep({mark!r}, '600')\n"
        "print('started', flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == b"started\n"
        referee.kill()
        until(lambda: processes_with(mark) == [])


def test_helper_counts_for_the_limits(mark: str) -> None:
    with keep(mark, "600") as keeper:
        until(lambda: len(kept_by(keeper.pid)) == 2)
        until(lambda: EngineMemory(keeper.pid).exceeds(200 * MIB) is not None)
        keeper.send_signal(END)


@pytest.mark.slow
def test_match_leaves_no_helper_of_its_engines(mark: str, tmp_path: Path) -> None:
    engine = f"{sys.executable} -S {LEAVER} {mark} 0 {sys.executable} -S {ENGINE}"
    words = ["match", engine, engine, "--board", "hex2", "--pairs", "1"]
    begun = time.monotonic()
    done = subprocess.run(
        [*YODDD, *words, "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert processes_with(mark) == [], f"after {time.monotonic() - begun:.1f} s"
