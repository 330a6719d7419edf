"""Makes the two small design reports that the documentation links to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

REPORTS = (("yodd", "hex3"), ("odd", "hex3"))
"""Games and boards that take some seconds each."""

LIMITS = ("--games", "10", "--playouts", "64")


def make_reports(app: Sphinx, exception: Exception | None) -> None:
    """Write ``reports/GAME-BOARD.html`` beside the pages, unless an earlier build has done so."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "reports"
    folder.mkdir(exist_ok=True)
    for game, board in REPORTS:
        page = folder / f"{game}-{board}.html"
        if not page.exists():
            words = [sys.executable, "-m", "yoddd", "report", f"{game}@{board}", *LIMITS]
            subprocess.run([*words, "--out", str(page)], check=True, stdout=subprocess.DEVNULL)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.connect("build-finished", make_reports)
    return {"version": "1", "parallel_read_safe": True}
