"""The clocks of the daemon."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from yoddd.daemon.base.clock import LONGEST_STEP, ReactorClock, wall


def test_wall_is_now_in_utc_with_milliseconds() -> None:
    text = wall()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert abs((datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()) < 60


def test_reactor_clock_advances_by_the_longest_step_at_most() -> None:
    times = iter([100.0, 100.1, 100.2, 160.0, 160.1])
    clock = ReactorClock(lambda: next(times))
    assert [clock() for _ in range(4)] == pytest.approx(
        [100.1, 100.2, 100.2 + LONGEST_STEP, 100.3 + LONGEST_STEP]
    )
