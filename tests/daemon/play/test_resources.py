"""The memory of real engines, the watch of all, control groups, and waits for a processor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import attrs
import pytest
from twisted.internet.task import Clock

from tests.daemon.conftest import until
from tests.support.programs import PATIENCE, Program
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play import resources
from yoddd.daemon.play.confinement import FREE, LAUNCHER, Confinement, Launch
from yoddd.daemon.play.processes import signal_engine
from yoddd.daemon.play.resources import (
    LOOK,
    SHARE,
    WATCH,
    ControlGroup,
    Family,
    RunQueue,
    Watch,
    delegated,
    excess,
    kept_by,
    own_group,
    resident,
    share,
)
from yoddd.daemon.runs.introduction import why_unstartable

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
    words = [*LAUNCHER, *FREE.settings(), "--", sys.executable, "-S", "-c", USE]
    with Program(words) as process:
        process.stdout.readline()
        yield process
        signal_engine(process.pid, signal.SIGKILL)


@pytest.mark.process
@pytest.mark.gate
def test_engine_memory_counts_what_is_used_and_not_what_is_reserved(
    user: Program,
) -> None:
    assert excess(Confinement(memory=200), kept_by(user.pid)) is None
    text = excess(Confinement(memory=40), kept_by(user.pid))
    assert text is not None
    assert 60 < int(text.removeprefix("more than 40 MiB of memory: ")) < 200


@pytest.mark.process
@pytest.mark.whole
def test_engine_memory_counts_shared_pages_once(user: Program) -> None:
    engine, *_ = kept_by(user.pid)
    rollup = Path(f"/proc/{engine}/smaps_rollup")
    if "Pss:" not in rollup.read_text() or share(engine) > 0.9 * resident(engine):
        pytest.skip("the kernel does not tell how many processes share a page")
    assert excess(Confinement(memory=110), kept_by(user.pid)) is None


@pytest.mark.process
@pytest.mark.whole
def test_engine_memory_of_an_ended_process_is_nothing() -> None:
    with Program(["/bin/true"], new_session=True) as process:
        process.wait(PATIENCE)
    assert excess(Confinement(memory=0), [process.pid]) is None


def process(proc: Path, pid: int, parent: int, name: str = "engine") -> None:
    """Write a process into a folder that stands for /proc."""
    (proc / str(pid)).mkdir(exist_ok=True)
    (proc / str(pid) / "stat").write_text(f"{pid} ({name}) S {parent} 7 7 0\n")


def test_family_reads_what_is_new_or_has_lost_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_PROC", tmp_path)
    (tmp_path / "self").mkdir()
    for pid, parent in ((1, 0), (10, 1), (11, 10), (12, 11), (13, 12)):
        process(tmp_path, pid, parent, name="a) S 9 (b")
    family = Family()
    family.look()
    assert family.descendants(10) == [11, 12, 13]
    assert family.descendants(10, below=2) == [12, 13]
    process(tmp_path, 11, 1)  # it is known, and not read again
    (tmp_path / "12" / "stat").unlink()
    (tmp_path / "12").rmdir()
    process(tmp_path, 13, 10)
    process(tmp_path, 14, 13)
    family.look()
    assert family.descendants(10) == [11, 13, 14]


def test_watch_measures_all_engines_in_one_look_and_pauses_by_its_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, looks = Clock(), [0]

    def look(_family: Family) -> None:
        looks[0] += 1

    monkeypatch.setattr(resources, "processor_clock", lambda: lambda: 0.01)
    monkeypatch.setattr(Family, "look", look)
    monkeypatch.setattr(Family, "descendants", lambda _family, guard, **_words: [1] * guard)
    watch, told = Watch(cast("Reactor", clock)), list[str]()
    for guard in (2, 3, 4):
        watch.add(guard, Confinement(processes=3), told.append)
    clock.advance(WATCH)
    assert (looks, told) == ([1], ["more than 3 processes"])
    clock.advance(0.01 / SHARE - 0.01)
    assert looks == [1]
    clock.advance(0.01)
    assert (looks, len(told)) == ([2], 1)
    for guard in (2, 3, 4):
        watch.remove(guard)
    assert clock.getDelayedCalls() == []


@pytest.mark.parametrize(
    ("limits", "keepers", "namespaces", "group", "reason"),
    [
        (FREE, False, False, None, None),
        (Confinement(cpu=1, files=9), False, False, None, None),
        (Confinement(memory=1), False, False, None, "only on Linux"),
        (Confinement(processes=1), False, False, None, "only on Linux"),
        (Confinement(network=False), False, False, None, "only on Linux"),
        (Confinement(memory=1, network=False), True, False, None, None),
        (Confinement(processes=1), True, False, None, "neither PID namespaces nor"),
        (Confinement(processes=1), True, True, None, None),
        (Confinement(processes=1), True, False, Path(), None),
    ],
)
def test_limit_that_cannot_be_kept_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    limits: Confinement,
    keepers: bool,
    namespaces: bool,
    group: Path | None,
    reason: str | None,
) -> None:
    monkeypatch.setattr(resources, "HAS_KEEPERS", keepers)
    monkeypatch.setattr(resources, "has_namespaces", lambda: namespaces)
    monkeypatch.setattr(resources, "delegated", lambda: group)
    found = why_unstartable(Launch(command="sh", confinement=limits))
    assert found is None if reason is None else reason in str(found)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("{0}/missing --fast", "/missing: no such file"),
        ("{0}", ": a folder, not a program"),
        ("{0}/plain", "/plain: not executable; try chmod +x"),
        (".\\bots\\mine", ".botsmine: no such program in PATH (a backslash quotes"),
        ("no-such-program", "no-such-program: no such program in PATH"),
        (sys.executable, None),
        ("sh", None),
    ],
)
def test_why_unstartable_tells_what_is_wrong(
    tmp_path: Path, command: str, reason: str | None
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    found = why_unstartable(Launch(command=command.format(tmp_path)))
    assert found is None if reason is None else reason in (found or "")


def test_engine_on_a_file_system_that_starts_no_programs_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "plain").chmod(0o755)
    monkeypatch.setattr(os, "access", lambda *_args: False)
    monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_flag=os.ST_NOEXEC))
    assert "/plain: its file system starts no programs (noexec)" in str(
        why_unstartable(Launch(command=f"{tmp_path}/plain"))
    )


@pytest.mark.parametrize(
    ("enabled", "members", "has_part", "after"),
    [
        ("cpu memory pids", "1\n", False, "cpu memory pids"),
        ("", "4711\n", True, "+memory +pids"),
        ("cpu memory", "1\n4711\n", None, "cpu memory"),
    ],
)
def test_delegated_group_is_one_in_which_others_can_be_limited(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    enabled: str,
    members: str,
    has_part: bool | None,
    after: str,
) -> None:
    monkeypatch.setattr(resources, "own_group", lambda _proc: tmp_path)
    monkeypatch.setattr(os, "getpid", lambda: 4711)
    (tmp_path / "cgroup.subtree_control").write_text(enabled)
    (tmp_path / "cgroup.procs").write_text(members)
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
    assert delegated.__wrapped__() == (None if has_part is None else tmp_path)
    assert (tmp_path / "cgroup.subtree_control").read_text() == after
    assert (tmp_path / "yoddd-referee").is_dir() == bool(has_part)


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
    group = ControlGroup.make(Confinement(memory=32))
    assert group is not None
    enter = f"open({str(group.path / 'cgroup.procs')!r}, 'w').write('0');"
    use = "data = bytearray(b'x') * (64 << 20)"
    done = subprocess.run([sys.executable, "-c", enter + use], check=False)
    assert done.returncode == -9
    assert group.excess == "more than 32 MiB of memory"
    group.remove()
    assert not group.path.exists()


# -- waits for a processor -------------------------------------------------------------------


MILLISECOND = 1_000_000
LEADER = 77


@attrs.define
class Machine:
    """A folder like /proc with one process, and a clock."""

    proc: Path
    now: float = 100.0

    def set(
        self, thread: int, ran: int, waited: int, state: str = "S", process: str = "77"
    ) -> None:
        """Write the times of a thread in milliseconds."""
        folder = self.proc / process / "task" / str(thread)
        folder.mkdir(parents=True, exist_ok=True)
        times = f"{ran * MILLISECOND} {waited * MILLISECOND} 5\n"
        (folder / "schedstat").write_text(times)
        (folder / "stat").write_text(f"{thread} (a) b) {state} 1 77 77")

    def queue(self) -> RunQueue:
        """A turn that begins now."""
        queue = RunQueue(LEADER, lambda: self.now, self.proc)
        queue.begin()
        return queue


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(resources, "_processors", lambda _pid: 2)
    monkeypatch.setattr(resources, "kept_by", lambda pid: [pid])
    return Machine(tmp_path)


def test_run_queue_adds_up_the_waits_of_engine_and_referee(machine: Machine) -> None:
    machine.set(77, 100, 10)
    machine.set(78, 100, 10)
    machine.set(os.getpid(), 5, 1, process="self")
    queue = machine.queue()
    machine.now += 0.1
    machine.set(77, 110, 25)
    machine.set(78, 130, 30)
    machine.set(79, 1, 2)  # begun in this turn
    machine.set(os.getpid(), 6, 4, process="self")
    assert queue.waited() == pytest.approx(0.041)  # of it 1 ms that the referee has run


def test_run_queue_threads_that_wait_for_each_other_are_not_the_machines(machine: Machine) -> None:
    for thread in (77, 78, 79):
        machine.set(thread, 0, 0)
    queue = machine.queue()
    machine.now += 0.1
    for thread in (77, 78, 79):  # two processors, all of whose time the engine had
        machine.set(thread, 66, 33)
    assert queue.waited() == pytest.approx(0.1 - 0.198 / 2)


def test_run_queue_machine_that_does_not_count_is_unknown(machine: Machine) -> None:
    queue = machine.queue()
    assert queue.waited() is None
    assert queue.look(1.0) == 0.0


def test_run_queue_wait_that_goes_on_is_seen_by_a_thread_without_progress(machine: Machine) -> None:
    machine.set(77, 50, 0)
    queue = machine.queue()
    machine.now += 0.1
    machine.set(77, 60, 20, "R")
    assert queue.look(0.0) == pytest.approx(0.020 + LOOK)
    machine.now += 0.1
    assert queue.look(0.08) == pytest.approx(0.08 + LOOK)
    machine.now += LOOK
    machine.set(77, 61, 139, "R")  # it has run again: the wait is counted now
    assert queue.look(0.1) == pytest.approx(0.139)


@pytest.mark.parametrize("state", ["R", "S", "T"])
def test_run_queue_engine_that_computes_or_sleeps_gets_one_look_at_most(
    machine: Machine, state: str
) -> None:
    machine.set(77, 0, 0)
    queue = machine.queue()
    machine.now += 0.1
    machine.set(77, 90, 0, state)
    assert queue.look(0.01) == (pytest.approx(0.01 + LOOK) if state == "R" else 0.0)
    machine.now += LOOK
    machine.set(77, 90 + (20 if state == "R" else 0), 0, state)
    assert queue.look(0.01 + LOOK) == 0.0


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="not counted here")
def test_run_queue_of_two_processes_on_one_processor_sees_their_waits() -> None:
    cpu = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, [{cpu}]); print(flush=True)\nwhile True: pass"
    words = [sys.executable, "-S", "-c", code]
    with Program(words, new_session=True) as one, Program(words, new_session=True) as other:
        assert one.stdout.readline() == other.stdout.readline() == "\n"
        queue = RunQueue(one.pid, time.monotonic)
        begun = time.monotonic()
        queue.begin()
        until(lambda: (queue.waited() or 0) > 0.1)
        waited = queue.waited()
        assert waited is not None
        assert waited <= time.monotonic() - begun
