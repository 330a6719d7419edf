"""Lines of the log."""

from __future__ import annotations

import json
from typing import Any

from twisted.logger import LogLevel

from yoddd.daemon.base.logs import format_json


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
