"""The JavaScript modules of the page, outside a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
SLOW = {"large.test.mjs"}
FILES = sorted((Path(__file__).parent / "js").rglob("*.test.mjs"))

pytestmark = [pytest.mark.process, pytest.mark.skipif(NODE is None, reason="no node on the PATH")]


@pytest.mark.gate
def test_javascript_modules_in_node_pass_their_tests() -> None:
    check([path for path in FILES if path.name not in SLOW])


@pytest.mark.whole
def test_javascript_modules_on_large_boards_pass_their_tests() -> None:
    check([path for path in FILES if path.name in SLOW])


def check(paths: list[Path]) -> None:
    """Fail unless the tests of all files pass, and each file has some."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--test", "--test-reporter=tap", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)", done.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= len(paths) > 0, done.stdout
