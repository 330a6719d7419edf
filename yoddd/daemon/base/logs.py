"""The daemon's log on standard error: lines for people, or an object of JSON a line."""

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
    """One event as JSON: ``time``, ``level``, ``logger``, ``message``, and what the message names.

    Of the fields only plain values are told: an object may print more than a log should hold.
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
    """Writes each event as a line of JSON."""

    def __init__(self, stream: IO[str]) -> None:
        """Write to ``stream``."""
        self._stream = stream

    def __call__(self, event: LogEvent) -> None:
        """Write ``event``."""
        self._stream.write(format_json(event) + "\n")
        self._stream.flush()


class LogControl:
    """The log once it has begun; its level can be changed while it runs."""

    def __init__(self, level: str, *, as_json: bool = False) -> None:
        """Begin to log to standard error."""
        self._predicate = LogLevelFilterPredicate()
        self.set_level(level)
        observer = JsonObserver(sys.stderr) if as_json else textFileLogObserver(sys.stderr)
        globalLogBeginner.beginLoggingTo(
            [FilteringLogObserver(observer, [self._predicate])], redirectStandardIO=False
        )

    def set_level(self, level: str) -> None:
        """Tell what is at least as grave as ``level``."""
        self._predicate.defaultLogLevel = LogLevel.levelWithName(level)
        self._predicate.clearLogLevels()
