"""The kernel is compiled through ccache where that works, and by the compiler alone elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.whole]

SOURCE = Path(__file__).parents[2] / "yoddd" / "kernel"


@pytest.mark.parametrize(("script", "works"), [('exec "$@"', True), ("exit 1", False)])
def test_build_uses_a_ccache_that_works(tmp_path: Path, script: str, works: bool) -> None:
    program, build, bin_ = tmp_path / "ccache", tmp_path / "build", Path(sys.executable).parent
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    env = {name: text for name, text in os.environ.items() if "LAUNCHER" not in name}
    env["PATH"] = os.pathsep.join([str(tmp_path), str(bin_), env["PATH"]])
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True)
    where = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.strip()}"]
    words = ["cmake", "-S", str(SOURCE), "-B", str(build), "-G", "Ninja", *where]
    subprocess.run(words, env=env, check=True)
    rules = (build / "build.ninja").read_text(encoding="utf-8")
    assert (f"{program} " in rules) is works
    # The headers of pip's folder for one build would make each source another one.
    assert (f"-I{nanobind.strip().removesuffix('/cmake')}" in rules) is not works
