"""The JavaScript modules of the page, outside a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.gate

NODE = shutil.which("node")
SLOW = {"large.test.mjs"}
FILES = [
    pytest.param(path, id=path.name, marks=[pytest.mark.whole] if path.name in SLOW else [])
    for path in sorted((Path(__file__).parent / "js").glob("*.test.mjs"))
]


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="no node on the PATH")
@pytest.mark.parametrize("path", FILES)
def test_javascript_modules_in_node_pass_their_tests(path: Path) -> None:
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--test-reporter=tap", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("^# pass [1-9]", done.stdout, re.MULTILINE), done.stdout
