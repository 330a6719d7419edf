"""Logs of engine processes: every byte that is written to one or read from it, with times."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from yoddd.daemon.base.clock import wall
from yoddd.daemon.play.confinement import Launch

WAYS: Final = {">": "to its standard input", "<": "from its output", "!": "from its standard error"}
"""The marks of a line and what its bytes are; ``=`` is how the process ended."""

LIMIT: Final = 64 << 20
"""Characters of a log; what comes after them is left out, but for the end of the process."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


class EngineLog:
    """The log of one process, written line by line.

    A line has the seconds since the start, a mark of `WAYS`, and the bytes as Python writes them.
    """

    def __init__(self, folder: Path, launch: Launch, pid: int, now: Callable[[], float]) -> None:
        """Begin the file ``NAME-PID.log`` in a folder, which is made if it is missing.

        ``now`` is a monotonic clock in seconds.

        Raises:
            OSError: the file cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{_UNSAFE.sub('_', launch.name)}-{pid}.log"
        self._now, self._begun = now, now()
        self._size = 0
        self._file: IO[str] | None = self.path.open("w", encoding="ascii", buffering=1)
        self._file.write(f"# {wall()} {ascii(launch.command)[1:-1]}\n")

    def note(self, way: str, data: bytes) -> None:
        """Add bytes, a line for each line of them."""
        if self._file is None:
            return
        seconds = self._now() - self._begun
        for line in data.splitlines(keepends=True):
            if self._size > LIMIT:
                return
            text = f"{seconds:12.6f} {way} {ascii(line)[2:-1]}\n"
            self._size += len(text)
            self._file.write(text)
            if self._size > LIMIT:
                self._file.write(f"# over {LIMIT >> 20} MiB: the rest is left out\n")

    def end(self, status: str) -> None:
        """Add how the process ended, and close the file."""
        if self._file is not None:
            self._file.write(f"{self._now() - self._begun:12.6f} = {ascii(status)[1:-1]}\n")
            self._file.close()
            self._file = None
