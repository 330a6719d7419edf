"""The log on standard error: plain text, or one JSON object per line."""

from __future__ import annotations

import atexit
import gc
import json
import os
import re
import select
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from traceback import walk_tb
from typing import IO, Any, Final, TextIO, cast

import attrs
from twisted.logger import (
    FileLogObserver,
    ILogObserver,
    LogEvent,
    Logger,
    LogLevel,
    eventAsText,
    formatEventAsClassicLogText,
    globalLogBeginner,
)
from twisted.python.failure import Failure
from zope.interface import implementer

import yoddd
from yoddd.daemon.base.clock import monotonic, wall
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.systemd import writes_to_journal

PERIOD: Final = 60.0
"""Seconds in which the log shows the faults of one place once."""

CAPACITY: Final = 1 << 20
"""Characters of lines that wait to be written; further lines are dropped."""

LAST: Final = 2.0
"""Seconds that the end of the process waits at most until its lines are written."""

_PRIORITIES: Final = {"debug": 7, "info": 6, "warn": 4, "error": 3, "critical": 2}
"""The levels of syslog(3)."""

_NOISE: Final = re.compile(
    r"Unable to write to plugin cache|\S+ starting on |\((TCP|UNIX) Port .* Closed\)"
)

_OURS: Final = str(Path(yoddd.__file__).parent)
_PLAIN: Final = (str, int, float, bool, type(None))


def format_json(event: LogEvent) -> str:
    """Return an event as JSON: ``time``, ``level``, ``logger``, ``message`` and its own fields.

    Only fields with plain values are included: the text of an object may contain what a log must
    not.
    """
    text = eventAsText(event, includeTimestamp=False, includeSystem=False)
    level = event.get("log_level")
    line: dict[str, Any] = {
        "time": datetime.fromtimestamp(event["log_time"], UTC).isoformat(timespec="milliseconds"),
        "level": level.name if level is not None else "info",
        "logger": event.get("log_namespace", ""),
        "message": text,
    }
    for name, value in event.items():
        if not name.startswith("log_") and name not in line and isinstance(value, _PLAIN):
            line[name] = value
    return json.dumps(line, ensure_ascii=False)


def json_line(text: str) -> str:
    """A line that is printed, such as where the daemon listens, in the form of `format_json`."""
    line = {"time": wall(), "level": "info", "logger": "yoddd", "message": text}
    return json.dumps(line, ensure_ascii=False)


def _formatter(settings: CurrentSettings, *, to_journal: bool) -> Callable[[LogEvent], str | None]:
    """Return the function that writes an event as lines, for the journal with their level."""
    is_json = settings.value.log.format == "json"

    def form(event: LogEvent) -> str | None:
        text = f"{format_json(event)}\n" if is_json else formatEventAsClassicLogText(event)
        if not to_journal or text is None:
            return text
        level = _PRIORITIES.get(event.get("log_level", LogLevel.info).name, 6)
        return "".join(f"<{level}>{line}" for line in text.splitlines(keepends=True))

    return form


class LineWriter:
    """Writes lines by a thread of its own, the only one that waits for their reader.

    A write to a pipe that is full and not read blocks; in the reactor's thread it would stop every
    connection. Non-blocking writes are no way out: the flag belongs to the open file, which the
    shell and other programs may share. Lines are therefore queued up to `CAPACITY` and dropped
    beyond. Their number follows the lines that were queued before them.

    Attributes:
        dropped: the lines dropped so far: for want of space, or because their write failed.
    """

    def __init__(self, write: Callable[[str], object], tell: Callable[[int], object]) -> None:
        """Start the thread.

        Args:
            write: writes lines, and may block or raise OSError.
            tell: called with the number of dropped lines once lines can be written again; what it
                writes to this object takes their place.
        """
        self.dropped = 0
        self._write = write
        self._tell = tell
        # Notified for new lines, and when all are written. Its lock is reentrant: a collection of
        # garbage at any point may log.
        self._changed = threading.Condition()
        # The queued lines and the number of their characters; `CAPACITY` from the first dropped
        # line on until the thread takes the queue, so that no shorter line overtakes it.
        self._lines: list[str] = []
        self._size = 0
        # The dropped lines that `tell` has not reported.
        self._untold = 0
        # Whether the thread has lines that are not queued any more.
        self._is_writing = False
        threading.Thread(target=self._run, name="lines", daemon=True).start()

    def write(self, line: str) -> None:
        """Queue a line, or drop it."""
        with self._changed:
            if self._size + len(line) > CAPACITY:
                self._size = CAPACITY
                self._drop(1)
            else:
                self._lines.append(line)
                self._size += len(line)
                self._changed.notify_all()

    def flush(self) -> None:
        """Do nothing, for observers that flush a file after each event."""

    def wait(self, patience: float = LAST) -> bool:
        """Return whether all lines are written within ``patience`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._lines or self._is_writing), patience)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                lines, self._lines, self._size = self._lines, [], 0
                self._is_writing = True
            try:
                self._write("".join(lines))  # all at once: keeps pace with any thread that logs
            except OSError:
                self._drop(len(lines))
                continue
            with self._changed:
                if self._untold:
                    count, self._untold, self._size = self._untold, 0, 0
                    self._tell(count)

    def _drop(self, count: int) -> None:
        with self._changed:
            self.dropped += count
            self._untold += count


def writer_to(stream: TextIO | None) -> Callable[[str], None]:
    """Return a function that writes text to the file of ``stream``; None is a closed stream.

    It bypasses the buffer of ``stream``: Python aborts at exit if a thread still holds its lock.
    """

    def write(text: str) -> None:
        if stream is None:
            return
        data = text.encode(stream.encoding, "backslashreplace")
        while data:
            try:
                data = data[os.write(stream.fileno(), data) :]
            except BlockingIOError:  # another program has made the open file non-blocking
                select.select([], [stream], [])

    return write


@attrs.define
class _Place:
    """A line of the program at which requests fail.

    Attributes:
        since: when its latest fault was written.
        count: the faults since then, which are not.
    """

    since: float
    count: int = 0


@implementer(ILogObserver)
class FaultThrottle:
    """Log observer that passes on the faults of one place once in `PERIOD`, and then their number.

    Otherwise a client that finds a fault could fill the disk with tracebacks. There are as many
    places as there are lines of the program that fail.
    """

    _log = Logger()

    def __init__(self, observer: ILogObserver, now: Callable[[], float] = monotonic) -> None:
        """Pass events on to ``observer``."""
        self._observer = observer
        self._now = now
        # The places whose faults are held back, or were written less than `PERIOD` ago.
        self._places: dict[str, _Place] = {}

    def __call__(self, event: LogEvent) -> None:
        """Write an event, or count it; before it, write the counts of periods that have ended."""
        now = self._now()
        over = {name: one for name, one in self._places.items() if now - one.since >= PERIOD}
        for name in over:  # all at once: what is written below comes back here
            del self._places[name]
        for name, one in over.items():
            if one.count:
                text = "{count} more faults at {place} in {seconds:.0f} s"
                self._log.critical(text, count=one.count, place=name, seconds=PERIOD)
        failure = event.get("log_failure")
        if isinstance(failure, Failure):
            place = _place(failure)
            known = self._places.get(place)
            if known is not None:
                known.count += 1
                return
            self._places[place] = _Place(now)
        self._observer(event)


def _place(failure: Failure) -> str:
    """The innermost line of this program in a traceback, with the name of the exception."""
    frames = [
        (frame.f_code.co_filename, line) for frame, line in walk_tb(failure.getTracebackObject())
    ]
    ours = [place for place in frames if place[0].startswith(_OURS)]
    file, line = (ours or frames or [("?", 0)])[-1]
    return f"{Path(file).name}:{line} ({type(failure.value).__name__})"


def _is_noise(event: LogEvent) -> bool:
    """Whether Twisted tells by the names of its classes what a daemon says otherwise, or need not.

    That is each port, and at each start of one that may not write where it is installed.
    """
    text = str(event.get("format") or " ".join(map(str, event.get("message", ()))))
    return _NOISE.match(text) is not None


class LogControl:
    """The log, from the level in force upwards, and what has ``log_always`` at any level.

    Attributes:
        lines: writes to standard error.
    """

    def __init__(self, settings: CurrentSettings) -> None:
        """Begin to log to standard error as the settings say."""
        self.lines = LineWriter(writer_to(sys.stderr), self._tell)
        file = cast("IO[str]", self.lines)
        to_journal = writes_to_journal(sys.stderr)
        observer = FileLogObserver(file, _formatter(settings, to_journal=to_journal))
        # Of any level, and never held back.
        self._direct = Logger(observer=observer)
        throttle = FaultThrottle(observer)

        def observe(event: LogEvent) -> None:
            level, least = event.get("log_level"), settings.value.log.level
            is_shown = level is not None and level >= LogLevel.levelWithName(least)
            if (is_shown or event.get("log_always")) and not _is_noise(event):
                throttle(event)

        observers = [cast("ILogObserver", observe)]
        globalLogBeginner.beginLoggingTo(observers, redirectStandardIO=False)
        atexit.register(self._end)

    def _tell(self, count: int) -> None:
        text = "{count} lines of the log were dropped: standard error was not read"
        self._direct.warn(text, count=count)

    def _end(self) -> None:
        gc.collect()  # may log unhandled errors, which the thread could not write later
        self.lines.wait()
