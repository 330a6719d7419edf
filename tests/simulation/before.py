"""Runs a plan that fails with the daemon from before the change that is tested."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from tests.simulation.plan import Plan
from tests.support.changes import ROOT, base
from yoddd.kernel import _native

LIMIT: Final = 300.0
"""Seconds for one plan."""


def verdict(plan: Plan, commit: str | None = None) -> str:
    """Whether a plan that fails also failed before, with the ``yoddd`` of the merge base.

    The simulation is that of today, and the compiled kernel, too.
    """
    commit = base() if commit is None else commit
    command = ["/usr/bin/env", "git", "archive", commit, "yoddd"]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if not commit or packed.returncode:
        return "no commit before this change is known"
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        built = Path(_native.__file__)
        (Path(folder) / "yoddd" / "kernel" / built.name).symlink_to(built)
        # Without `site` no editable installation comes first.
        paths = [folder, str(ROOT), *(one for one in sys.path if "site-packages" in one)]
        done = subprocess.run(
            [sys.executable, "-S", "-m", "tests.simulation", "--show", str(plan)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    last = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1]
    if done.returncode == 0:
        return f"this change brings it: with yoddd of {commit[:8]}, {last}"
    if not done.stdout:
        return f"unknown: yoddd of {commit[:8]} does not run in this simulation: {last}"
    return f"it was there: with yoddd of {commit[:8]}, {last}"
