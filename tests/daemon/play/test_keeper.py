"""The end of an engine is the end of all that it has started: real processes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.daemon.conftest import processes_with, until
from tests.support.programs import PATIENCE, Program
from yoddd.daemon.play.confinement import FREE, LAUNCHER, Confinement, has_namespaces
from yoddd.daemon.play.processes import END
from yoddd.daemon.play.resources import excess, kept_by

pytestmark = [pytest.mark.process, pytest.mark.whole]

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


@pytest.fixture(params=[False, True], ids=["keepers", "namespace"])
def namespace(request: pytest.FixtureRequest) -> bool:
    """Whether the engine has a PID namespace of its own."""
    if request.param and not has_namespaces():
        pytest.skip("no PID namespaces here")
    return bool(request.param)


def keep(mark: str, *, namespace: bool = False, keeper: str = "") -> Program:
    """The guard of a program that has left its helper, and ends when a line is written to it."""
    settings = (f"parent={os.getpid()}", f"namespace={int(namespace)}", "--")
    process = Program(
        [*LAUNCHER, *settings, sys.executable, "-S", LEAVER, mark],
        stdin=True,
        env={**os.environ, "KEEPER": keeper},
    )
    assert process.stdout.readline()
    if not keeper:
        until(lambda: processes_with(mark)[2:] != [])  # guard, keeper, program, or helper
    return process


def test_helper_ends_though_its_engine_kills_the_keeper(mark: str, namespace: bool) -> None:
    with keep(mark, namespace=namespace, keeper="kill") as guard:
        if namespace:  # the keeper cannot be killed, and the program goes on to its end
            guard.stdin.write("\n")
        assert guard.wait(PATIENCE) == (0 if namespace else -signal.SIGKILL)
        assert processes_with(mark) == []


def test_helper_ends_though_its_guard_is_killed(mark: str, namespace: bool) -> None:
    with keep(mark, namespace=namespace) as guard:
        guard.kill()
        until(lambda: processes_with(mark) == [])


@pytest.mark.gate
def test_engine_in_a_namespace_sees_only_itself_and_its_keeper() -> None:
    if not has_namespaces():
        pytest.skip("no PID namespaces here")
    code = "import os; print(os.getpid(), *sorted(n for n in os.listdir('/proc') if n.isdigit()))"
    with Program([*LAUNCHER, *FREE.settings(), "--", sys.executable, "-c", code]) as guard:
        assert guard.rest() == (f"{guard.pid} 1 {guard.pid}\n", "")


def test_engines_and_their_children_have_pids_of_their_own() -> None:
    if not has_namespaces():
        pytest.skip("no PID namespaces here")
    script = "echo $$; for n in 1 2 3; do sh -c 'echo $$; read x'; done"
    words = [*LAUNCHER, *FREE.settings(), "--", "sh", "-c", script]
    with ExitStack() as stack:
        guards = [stack.enter_context(Program(words, stdin=True)) for _ in range(4)]
        pids = {guard.pid: [int(pid) for pid in guard.rest()[0].split()] for guard in guards}
    assert [own for own, *_ in pids.values()] == [*pids]
    assert len(set().union(*pids.values())) == 16


@pytest.mark.gate
@pytest.mark.parametrize("number", [None, END, signal.SIGTERM])
def test_helper_ends_with_its_engine_or_the_order_to_end(
    mark: str, namespace: bool, number: signal.Signals | None
) -> None:
    with keep(mark, namespace=namespace) as guard:
        if number is None:
            guard.stdin.write("\n")
        else:
            guard.send_signal(number)
        status = {None: 0, END: -signal.SIGKILL, signal.SIGTERM: -signal.SIGTERM}[number]
        assert guard.wait(PATIENCE) == status
        assert processes_with(mark) == []


@pytest.mark.gate
def test_helper_ends_with_the_referee(mark: str, namespace: bool) -> None:
    code = (
        "import subprocess, sys, os, time\n"
        f"sys.path.insert(0, {str(Path.cwd())!r})\n"
        "from tests.daemon.play.test_keeper import keep\n"
        f"kept = keep({mark!r}, namespace={namespace})\n"
        "print('started', flush=True)\n"
        "time.sleep(600)\n"
    )
    with Program([sys.executable, "-c", code]) as referee:
        assert referee.stdout.readline() == "started\n", referee.rest()
        referee.kill()
        until(lambda: processes_with(mark) == [])


def test_helper_counts_for_the_limits(mark: str, namespace: bool) -> None:
    with keep(mark, namespace=namespace) as guard:
        until(lambda: excess(Confinement(processes=1), kept_by(guard.pid)) is not None)
        until(lambda: excess(Confinement(memory=200), kept_by(guard.pid)) is not None)
        guard.send_signal(END)
        guard.wait(PATIENCE)
