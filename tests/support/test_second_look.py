"""The second look at tests that failed, on artificial cases."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.changes import changed_in
from tests.support.second_look import Failed, Ledger, judge

ROOT = Path(__file__).parents[2]

CASES = """
import os, time
from pathlib import Path
import pytest

def nth(name):
    path = Path(__file__).with_name(name)
    with path.open("a") as file:
        file.write("x")
    return len(path.read_text())

def test_good(): pass
def test_flake(): assert nth("flake") > 1, "raced"
def test_real(): assert 1 == 2
def test_worker_dies():
    if nth("dies") == 1:
        os._exit(9)
@pytest.fixture
def flaky(): assert nth("fixture") > 1
def test_set_up(flaky): pass
@pytest.mark.invariant
def test_invariant(): assert nth("invariant") > 1, "an acknowledged turn is missing"
@pytest.mark.timeout(2)
def test_hangs(): time.sleep(60)
"""


def failed(test: str, root: str = "", *, is_invariant: bool = False) -> Failed:
    return Failed(test, root or test, is_invariant, f"{test} failed")


def reasons(found: list[Failed], *, changed: set[str] | None = None, again: str = "") -> list[str]:
    """Why each stays red, where all that run alone end like ``again``."""
    return [one.why for one in judge(found, 3, lambda: changed or set(), lambda _: again)]


def test_judge_passes_what_passes_alone() -> None:
    assert reasons([failed("a.py::test_a"), failed("a.py::test_b[1]")]) == ["", ""]
    assert reasons([failed("a.py::test_a")], again="failed again") == ["failed again"]


def test_judge_excuses_no_invariant_and_no_changed_function() -> None:
    found = [failed("a.py::test_a", is_invariant=True), failed("a.py::test_b[x]")]
    changed = {"a.py::test_b"}
    first, second = reasons(found, changed=changed)
    assert first == "checks an invariant"
    assert second == "was added or edited by this change"
    assert reasons([failed("a.py::test_bb")], changed=changed) == [""]


def test_judge_counts_roots_and_not_tests() -> None:
    assert set(reasons([failed(f"a.py::test_{n}", "daemon 7") for n in range(9)])) == {""}
    four = reasons([failed(f"a.py::test_{n}") for n in range(4)])
    assert four == ["4 roots failed, at most 3 are excused"] * 4


def test_changed_functions_of_a_diff_are_those_that_its_lines_touch(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "import os\n\ndef test_one():\n    pass\n\n@mark\ndef test_two():\n    pass\n\n"
        "class Group:\n    def test_three(self):\n        pass\n"
    )
    head = "+++ b/test_a.py\n"
    assert changed_in(f"{head}@@ -1 +1 @@\n", tmp_path) == set()
    assert changed_in(f"{head}@@ -6 +6 @@\n", tmp_path) == {"test_a.py::test_two"}
    assert changed_in(f"{head}@@ -12 +12,1 @@\n", tmp_path) == {"test_a.py::Group::test_three"}
    both = changed_in(f"{head}@@ -3,5 +4,4 @@\n", tmp_path)
    assert both == {"test_a.py::test_one", "test_a.py::test_two"}


@pytest.mark.gate
@pytest.mark.process
def test_second_look_at_artificial_cases(tmp_path: Path) -> None:
    (tmp_path / "test_cases.py").write_text(CASES)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    invariant\n")
    ledger = tmp_path / "ledger"
    environment = {
        **os.environ,
        "YODDD_SECOND_LOOK": str(ledger),
        "YODDD_MOST_FLAKES": "9",
        "YODDD_RUN": "one",
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_PLUGINS": "xdist.plugin,pytest_timeout",
    }
    command = [sys.executable, "-m", "pytest", "-p", "tests.support.second_look"]
    done = subprocess.run(
        [*command, "-n", "1", "-q", "-c", str(tmp_path / "pytest.ini"), str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    said = {}
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("RED", "FLAKY"):
            test, _, why = rest.partition(" ")
            said[test.partition("::")[2]] = (word, why)
    assert said == {
        "test_flake": ("FLAKY", ""),
        "test_real": ("RED", "failed again when it ran alone"),
        "test_worker_dies": ("FLAKY", ""),
        "test_set_up": ("FLAKY", ""),
        "test_invariant": ("RED", "checks an invariant"),
        "test_hangs": ("RED", "failed again when it ran alone"),
    }
    assert Ledger(ledger).excused("one") == 3
    assert sum("1 of 1 runs" in line for line in Ledger(ledger).table()) == 3
    assert "raced" in next(ledger.glob("*flake*/first.log")).read_text()
