"""The memory of sessions of real processes, and control groups where this machine has them."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.programs import Program
from yoddd.daemon.play.confinement import FREE, LAUNCHER
from yoddd.daemon.play.memory_limits import (
    MIB,
    ControlGroup,
    EngineMemory,
    delegated,
    kept_by,
    own_group,
    resident,
    share,
)
from yoddd.daemon.play.processes import signal_engine

USE = """
import mmap, os, sys, time
data = bytearray(b"x") * (64 << 20)
reserved = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
if os.fork():
    print(flush=True)
time.sleep(600)
"""


@pytest.fixture
def user() -> Iterator[Program]:
    """The keeper of a process that uses 64 MiB, which its child shares, and reserves 4 GiB."""
    words = [sys.executable, "-I", "-S", LAUNCHER, FREE.settings(), sys.executable, "-S", "-c", USE]
    with Program(words) as process:
        process.stdout.readline()
        yield process
        signal_engine(process.pid, signal.SIGKILL)


@pytest.mark.process
@pytest.mark.gate
def test_engine_memory_counts_what_is_used_and_not_what_is_reserved(
    user: Program,
) -> None:
    memory = EngineMemory(user.pid)
    assert memory.exceeds(200 * MIB) is None
    used = memory.exceeds(40 * MIB)
    assert used is not None
    assert 60 * MIB < used < 200 * MIB


@pytest.mark.process
@pytest.mark.whole
def test_engine_memory_counts_shared_pages_once(user: Program) -> None:
    engine, *_ = kept_by(user.pid)
    rollup = Path(f"/proc/{engine}/smaps_rollup")
    if "Pss:" not in rollup.read_text() or share(engine) > 0.9 * resident(engine):
        pytest.skip("the kernel does not tell how many processes share a page")
    assert EngineMemory(user.pid).exceeds(110 * MIB) is None


def test_own_group_is_found_below_its_mount(tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("4:memory:/old\n0::/user.slice/run.scope\n")
    mount = "36 25 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
    (tmp_path / "mountinfo").write_text(mount)
    assert own_group(tmp_path) == Path("/sys/fs/cgroup/user.slice/run.scope")
    (tmp_path / "mountinfo").write_text(mount.replace(" / /", " /user.slice /"))
    assert own_group(tmp_path) == Path("/sys/fs/cgroup/run.scope")
    (tmp_path / "mountinfo").write_text(mount.replace(" / /", " /other /"))
    assert own_group(tmp_path) is None
    (tmp_path / "cgroup").write_text("4:memory:/old\n")
    assert own_group(tmp_path) is None


@pytest.mark.process
@pytest.mark.whole
def test_control_group_kills_a_process_over_its_limit() -> None:
    if delegated() is None:
        pytest.skip("no control group (cgroup v2) is delegated to this process")
    group = ControlGroup.make(32 * MIB)
    assert group is not None
    enter = f"open({str(group.path / 'cgroup.procs')!r}, 'w').write('0');"
    use = "data = bytearray(b'x') * (64 << 20)"
    done = subprocess.run([sys.executable, "-c", enter + use], check=False)
    assert done.returncode == -9
    assert group.was_exceeded
    group.remove()
    assert not group.path.exists()
