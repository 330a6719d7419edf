"""Skips in CI: which fail, and which may stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SKIPS = """
import pytest

def test_call():
    pytest.skip("no node on the PATH")

@pytest.mark.skipif(True, reason="no native kernel")
def test_mark(): ...

@pytest.mark.skipif(True, reason="needs fish")
def test_allowed(): ...

@pytest.mark.xfail
def test_expected_failure():
    assert False
"""
MODULE = 'import pytest; pytest.importorskip("no_such_module")'


def run(folder: Path, ci: str) -> str:
    """The last lines of pytest for the tests of a folder."""
    (folder / "test_skips.py").write_text(SKIPS)
    (folder / "test_module.py").write_text(MODULE)
    options = ["-q", "-c", os.devnull, "--rootdir", str(folder), "-p", "tests.support.skips"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--continue-on-collection-errors", str(folder)],
        cwd=ROOT,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.gate
@pytest.mark.process
def test_skip_in_ci_fails_unless_it_is_allowed(tmp_path: Path) -> None:
    output = run(tmp_path, "true")
    assert "skipped in CI: no node on the PATH" in output
    assert "skipped in CI: no native kernel" in output
    assert "skipped in CI: could not import 'no_such_module'" in output
    assert "1 failed, 1 skipped, 1 xfailed, 2 errors" in output


@pytest.mark.gate
@pytest.mark.process
def test_skip_elsewhere_stays_a_skip(tmp_path: Path) -> None:
    assert "4 skipped, 1 xfailed" in run(tmp_path, "")
