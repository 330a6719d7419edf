"""A program in a reactor of its own, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from tests.support.programs import PATIENCE

pytestmark = [pytest.mark.process, pytest.mark.whole]


def run_program(body: str, start: str = "run(program)") -> subprocess.CompletedProcess[str]:
    code = "import sys\nfrom yoddd.daemon.base.process.reactor_runner import run\n"
    code += "async def program(reactor):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    code += f"\nsys.exit({start})\n"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.gate
def test_run_that_is_interrupted_twice_is_quiet() -> None:
    done = run_program(
        """
        import os, signal
        from twisted.internet.defer import Deferred
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        await Deferred()
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_run_of_several_programs_is_in_one_reactor() -> None:
    done = run_program(
        """
        from twisted.internet.utils import getProcessValue
        print(id(reactor))
        return await getProcessValue("/bin/sh", ["-c", "exit 7"])
        """,
        "run(program, last=False) + run(program, last=False) + run(program)",
    )
    assert done.returncode == 21, done.stderr
    assert len({*done.stdout.split()}) == 1


def test_run_that_is_not_the_last_is_cancelled_by_a_signal_and_restores_its_handlers() -> None:
    done = run_program(
        """
        import os, signal
        from twisted.internet.defer import CancelledError, Deferred
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await Deferred()
        except CancelledError:
            return 7
        """,
        "[run(program, last=False), __import__('signal').raise_signal(2)]",
    )
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
