"""Lines of the log."""

from __future__ import annotations

import json
from typing import Any, cast

from twisted.internet.task import Clock
from twisted.logger import ILogObserver, LogEvent, LogLevel, eventAsText, globalLogPublisher
from twisted.python.failure import Failure

from yoddd.daemon.base.logs import PERIOD, FaultThrottle, format_json


def test_format_json_includes_plain_fields_only() -> None:
    event: dict[str, Any] = {
        "log_time": 0.5,
        "log_level": LogLevel.warn,
        "log_namespace": "yoddd.daemon.connections.connection",
        "log_format": "closing {number}: {reason}",
        "number": 3,
        "reason": 'said "ä"\nand left',
        "peer": object(),
    }
    text = format_json(event)
    assert "\n" not in text
    assert json.loads(text) == {
        "time": "1970-01-01T00:00:00.500+00:00",
        "level": "warn",
        "logger": "yoddd.daemon.connections.connection",
        "message": 'closing 3: said "ä"\nand left',
        "number": 3,
        "reason": 'said "ä"\nand left',
    }


def failing(text: str) -> LogEvent:
    try:
        json.loads(text)[0]
    except (KeyError, ValueError):
        return {"log_failure": Failure(), "log_level": LogLevel.critical}
    raise AssertionError(text)


def test_fault_throttle_passes_faults_of_a_place_once_a_period_and_then_their_number() -> None:
    seen: list[LogEvent] = []
    clock = Clock()
    throttle = FaultThrottle(cast("ILogObserver", seen.append), clock.seconds)
    globalLogPublisher.addObserver(throttle)
    for _ in range(1000):
        throttle(failing("{}"))
    throttle(failing("{"))
    plain: LogEvent = {"log_format": "x"}
    throttle(plain)
    assert [event.get("log_failure") is not None for event in seen] == [True, True, False]
    clock.advance(PERIOD)
    throttle(failing("{}"))
    globalLogPublisher.removeObserver(throttle)
    number, again = seen[3:]
    assert eventAsText(number, includeTimestamp=False, includeSystem=False).startswith(
        "999 more faults at test_logs.py:"
    )
    assert again["log_failure"].type is KeyError
