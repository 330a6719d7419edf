"""The part of a turn that the machine takes: from counts in a folder like /proc, and real ones."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import attrs
import pytest

from tests.daemon.conftest import until
from tests.support.programs import Program
from yoddd.daemon.play import resources
from yoddd.daemon.play.resources import LOOK, RunQueue

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
