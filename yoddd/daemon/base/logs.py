"""The log on standard error: plain text, or one JSON object per line."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import IO, Any, Final

from twisted.logger import (
    FilteringLogObserver,
    ILogObserver,
    LogEvent,
    LogLevel,
    LogLevelFilterPredicate,
    eventAsText,
    globalLogBeginner,
    textFileLogObserver,
)
from zope.interface import implementer

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


class LogControl:
    """Starts logging, and changes the level later."""

    def __init__(self, level: str, *, as_json: bool = False) -> None:
        """Begin to log to standard error, from ``level`` upwards."""
        self._predicate = LogLevelFilterPredicate()
        self.set_level(level)
        observer = JsonObserver(sys.stderr) if as_json else textFileLogObserver(sys.stderr)
        globalLogBeginner.beginLoggingTo(
            [FilteringLogObserver(observer, [self._predicate])], redirectStandardIO=False
        )

    def set_level(self, level: str) -> None:
        """Log the events of ``level`` and above."""
        self._predicate.defaultLogLevel = LogLevel.levelWithName(level)
        self._predicate.clearLogLevels()
