"""The installation shows what it does."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml

from tests.support.programs import PATIENCE

pytestmark = pytest.mark.gate
ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "install.py"


@pytest.fixture
def progress() -> Callable[[Iterable[str]], Iterator[str]]:
    found = runpy.run_path(str(SCRIPT))["progress"]
    return cast("Callable[[Iterable[str]], Iterator[str]]", found)


def test_progress_names_packages_and_files_of_the_kernel(
    progress: Callable[[Iterable[str]], Iterator[str]],
) -> None:
    lines = [
        "Using pip 23.2.1 from /x/pip (python 3.11)\n",
        "Obtaining file:///x\n",
        "  Running command pip subprocess to install build dependencies\n",
        "Collecting attrs>=25.1 (from yoddd==0.1.0)\n",
        "Collecting attrs>=25.1 (from yoddd==0.1.0)\n",
        "  [3/24] Building CXX object CMakeFiles/_native.dir/src/board.cpp.o\n",
        "  [ 12%] Building CXX object CMakeFiles/_native.dir/Unity/unity_bindings_cxx.cxx.o\n",
        "  [24/24] Linking CXX shared module _native.abi3.so\n",
        "Installing collected packages: attrs, yoddd\n",
    ]
    assert list(progress(lines)) == [
        "preparing the build",
        "collecting attrs",
        "[3/24] compiling src/board",
        "[ 12%] compiling Unity/unity_bindings_cxx",
        "[24/24] linking _native",
        "installing attrs, yoddd",
    ]


@pytest.mark.whole
@pytest.mark.process
def test_install_that_fails_shows_the_output_of_pip(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--no-index", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "ERROR: Directory" in done.stderr


def test_makefile_installs_nothing_in_silence() -> None:
    targets = (ROOT / "Makefile").read_text(encoding="utf-8").partition("# Stamps")[2]
    assert "--quiet" not in targets
    assert targets.count("$(INSTALL)") >= 3


def test_release_publishes_nothing_until_it_is_switched_on() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    (publish,) = [job for job in jobs.values() if "environment" in job]
    assert "vars.PUBLISH == 'true'" in publish["if"]
    assert set(publish["needs"]) == set(jobs) - {"publish"}
    assert publish["permissions"]["id-token"] == "write"
    assert "secrets." not in text


def test_wheels_are_built_for_the_pythons_that_the_package_supports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    oldest = project["project"]["requires-python"].removeprefix(">=3.")
    built = project["tool"]["cibuildwheel"]["build"]
    stable = project["tool"]["scikit-build"]["wheel"]["py-api"]
    assert built == [f"cp3{oldest}-*", f"{stable}-*"]
    assert int(stable.removeprefix("cp3")) == int(oldest) + 1


def test_workflows_pin_every_action_by_its_commit() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
        assert used
        for action in used:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), action
