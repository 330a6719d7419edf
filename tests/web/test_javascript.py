"""The board's own modules, outside a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
TESTS = Path(__file__).parent / "js"


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="no node on the PATH")
def test_rules_notation_and_records_in_node() -> None:
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--test", str(TESTS / "board.test.mjs")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
