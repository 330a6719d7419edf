"""One minute of the siege: honest games among all attackers. The bench runs it for longer."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.timeout(600)]


def test_siege_of_a_minute_loses_no_honest_game() -> None:
    command = [sys.executable, "-m", "tests.bench.siege", "--seconds", "60", "--games", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
