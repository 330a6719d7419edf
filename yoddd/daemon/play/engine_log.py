"""Logs of engine processes: every byte that is written to one or read from it, with times."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from twisted.logger import Logger

from yoddd.daemon.base.clock import wall
from yoddd.daemon.play.confinement import Launch

LIMIT: Final = 64 << 20
"""Characters of a log; what comes after them is left out, but for the end of the process."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


class EngineLog:
    """The log of one process, written line by line.

    A line has the seconds since the start, a mark, and the bytes as Python writes them. The mark is
    ``>`` for standard input, ``<`` for output, ``!`` for standard error, and ``=`` for the end.
    A log that cannot be written ends with a warning: no engine loses its game by a full disk.
    """

    log = Logger()

    def __init__(self, folder: Path, launch: Launch, pid: int, now: Callable[[], float]) -> None:
        """Begin the file ``NAME-PID.log`` in a folder, which is made if it is missing.

        ``now`` is a monotonic clock in seconds.
        """
        self.path = folder / f"{_UNSAFE.sub('_', launch.name)}-{pid}.log"
        self._now, self._begun = now, now()
        self._size = 0
        # None once nothing more is written.
        self._file: IO[str] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w", encoding="ascii", buffering=1)
        except OSError as error:
            self._fail(error)
        self._write(f"# {wall()} {ascii(launch.command)[1:-1]}\n")

    def note(self, way: str, data: bytes) -> None:
        """Add bytes, a line for each line of them."""
        seconds = self._now() - self._begun
        for line in data.splitlines(keepends=True) if self._file is not None else ():
            if self._size > LIMIT:
                return
            text = f"{seconds:12.6f} {way} {ascii(line)[2:-1]}\n"
            self._size += len(text)
            self._write(text)
            if self._size > LIMIT:
                self._write(f"# over {LIMIT >> 20} MiB: the rest is left out\n")

    def end(self, status: str) -> None:
        """Add how the process ended, and close the file."""
        self._write(f"{self._now() - self._begun:12.6f} = {ascii(status)[1:-1]}\n")
        self._close()

    def _write(self, text: str) -> None:
        try:
            if self._file is not None:
                self._file.write(text)
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.log.warn("the log {path} ends: {error}", path=self.path, error=error.strerror)
        self._close()

    def _close(self) -> None:
        file, self._file = self._file, None
        with suppress(OSError):  # of what a full disk has not taken
            if file is not None:
                file.close()
