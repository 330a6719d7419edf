"""The socket of a run that can only be read, for the page and the command line.

It is in the folder of the run and takes::

    status
    playing
    playing GAME
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from yoddd.daemon.runs.control import NotRunning, ask_socket

__all__ = ["SOCKET", "NotRunning", "read_run"]

SOCKET: Final = "status.sock"


def read_run(folder: Path, *words: str) -> dict[str, Any]:
    """Ask the run in ``folder`` and return its answer; see `ask_socket`."""
    return ask_socket(folder / SOCKET, *words)
