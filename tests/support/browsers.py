"""The browsers of this machine, as Playwright starts them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PROGRAMS: Final = {"chromium": "chromium", "firefox": "firefox-esr"}

QUIET: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
"""What Chromium needs where it has neither a display nor a network."""


def launch_options(name: str, folder: Path) -> dict[str, Any] | None:
    """Options that launch Debian's Chromium or its Firefox ESR; None if it is not on the PATH.

    Args:
        name: chromium or firefox.
        folder: an empty one for a program that starts Firefox.
    """
    found = shutil.which(PROGRAMS[name])
    if found is None:
        return None
    if name == "chromium":
        return {"executable_path": found, "args": QUIET}
    starter = folder / "start"
    relay = ROOT / "tests/web/firefox.py"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{relay}" "{found}" "$@"\n')
    starter.chmod(0o755)
    return {"channel": "moz-firefox", "executable_path": str(starter)}
