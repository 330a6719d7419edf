"""The JavaScript modules of the page, outside a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
TESTS = Path(__file__).parent / "js"


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="no node on the PATH")
def test_javascript_modules_in_node_pass_their_tests() -> None:
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--test", *map(str, sorted(TESTS.glob("*.test.mjs")))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
