"""Transcripts of the bytes to and from engines: those of a game, and the logs of processes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

import attrs
from twisted.logger import Logger

from yoddd.daemon.base.clock import wall
from yoddd.daemon.connections.engine_link import Tap
from yoddd.daemon.play.confinement import Launch
from yoddd.referee import Seat

# -- of a game ------------------------------------------------------------------------------

TRANSCRIPT_LIMIT: Final = 256 * 1024
"""Bytes that are kept of one game; the oldest are dropped first."""

_CHUNK: Final = 4096
"""Bytes of one piece that are kept: the beginning of a flood is enough to explain it."""


class Piece(NamedTuple):
    """Bytes that were sent or received at one moment.

    Attributes:
        when: on the referee's clock.
        seat: the seat of the engine.
        way: ``>`` to it, ``<`` from it.
        data: the first of the bytes.
        size: how many bytes there were.
    """

    when: float
    seat: Seat
    way: str
    data: bytes
    size: int


@attrs.define(eq=False)
class Transcript:
    """The bytes of one game, both ways."""

    # The referee's clock.
    _now: Callable[[], float]
    # When the transcript began; the times of its text count from here.
    _start: float = attrs.Factory(lambda self: self._now(), takes_self=True)
    # The pieces that are kept, the oldest first.
    _pieces: deque[Piece] = attrs.Factory(deque)
    # How many bytes the kept pieces have, which `TRANSCRIPT_LIMIT` bounds.
    _size: int = 0
    # How many pieces were dropped to keep within `TRANSCRIPT_LIMIT`.
    _dropped: int = 0

    def tap(self, seat: Seat) -> Tap:
        """The tap of the link of a seat's engine."""

        def record(way: str, data: bytes) -> None:
            piece = Piece(self._now(), seat, way, data[:_CHUNK], len(data))
            self._pieces.append(piece)
            self._size += len(piece.data)
            while self._size > TRANSCRIPT_LIMIT:
                self._size -= len(self._pieces.popleft().data)
                self._dropped += 1

        return record

    def text(self) -> str:
        """One line per piece: seconds, seat, way, and the bytes as Python writes them."""
        lines = [f"{self._dropped} earlier pieces dropped"] if self._dropped else []
        for piece in self._pieces:
            shown = ascii(piece.data)[2:-1]
            more = f" … {piece.size} bytes" if piece.size > len(piece.data) else ""
            seconds = piece.when - self._start
            lines.append(f"{seconds:12.6f} {piece.seat.key} {piece.way} {shown}{more}")
        return "\n".join([*lines, ""])


# -- of a process ---------------------------------------------------------------------------

LOG_LIMIT: Final = 64 << 20
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
            if self._size > LOG_LIMIT:
                return
            text = f"{seconds:12.6f} {way} {ascii(line)[2:-1]}\n"
            self._size += len(text)
            self._write(text)
            if self._size > LOG_LIMIT:
                self._write(f"# over {LOG_LIMIT >> 20} MiB: the rest is left out\n")

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
