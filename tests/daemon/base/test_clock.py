"""The clocks of the daemon."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from yoddd.daemon.base.clock import monotonic, wall


def test_wall_is_now_in_utc_with_milliseconds() -> None:
    text = wall()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert abs((datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()) < 60


def test_monotonic_does_not_decrease() -> None:
    times = [monotonic() for _ in range(100)]
    assert times == sorted(times)
