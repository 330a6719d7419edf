"""The log on standard error: plain text, or one JSON object per line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from traceback import walk_tb
from typing import IO, Any, Final

import attrs
from twisted.logger import (
    FilteringLogObserver,
    ILogObserver,
    LogEvent,
    Logger,
    LogLevel,
    LogLevelFilterPredicate,
    eventAsText,
    globalLogBeginner,
    textFileLogObserver,
)
from twisted.python.failure import Failure
from zope.interface import implementer

import yoddd
from yoddd.daemon.base.clock import monotonic

PERIOD: Final = 60.0
"""Seconds in which the log shows the faults of one place once."""

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


@implementer(ILogObserver)
class JsonObserver:
    """Log observer that writes each event as a line of JSON."""

    def __init__(self, stream: IO[str]) -> None:
        """Create an observer that writes to ``stream``."""
        self._stream = stream

    def __call__(self, event: LogEvent) -> None:
        """Write an event."""
        self._stream.write(format_json(event) + "\n")
        self._stream.flush()


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


class LogControl:
    """Starts logging, and changes the level later."""

    def __init__(self, level: str, *, as_json: bool = False) -> None:
        """Begin to log to standard error, from ``level`` upwards."""
        self._predicate = LogLevelFilterPredicate()
        self.set_level(level)
        observer = JsonObserver(sys.stderr) if as_json else textFileLogObserver(sys.stderr)
        filtered = FilteringLogObserver(FaultThrottle(observer), [self._predicate])
        globalLogBeginner.beginLoggingTo([filtered], redirectStandardIO=False)

    def set_level(self, level: str) -> None:
        """Log the events of ``level`` and above."""
        self._predicate.defaultLogLevel = LogLevel.levelWithName(level)
        self._predicate.clearLogLevels()
