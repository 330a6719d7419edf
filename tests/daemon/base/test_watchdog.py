"""The watchdog of the reactor, with a fake clock."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.watchdog import Watchdog


def test_watchdog_counts_gaps_above_the_tolerance() -> None:
    clock = Clock()
    watchdog = Watchdog(clock, 0.05, clock.seconds)
    watchdog.startService()
    for _ in range(100):
        clock.advance(0.01)
    assert watchdog.late == 0
    clock.advance(0.06)
    clock.advance(0.01)
    clock.advance(0.3)
    assert watchdog.late == 2
    assert watchdog.worst == pytest.approx(0.3)
    assert watchdog.total == pytest.approx(0.36)
    watchdog.stopService()
    assert clock.getDelayedCalls() == []


def test_watchdog_with_tolerance_0_does_not_run() -> None:
    clock = Clock()
    watchdog = Watchdog(clock, 0.0)
    watchdog.startService()
    assert clock.getDelayedCalls() == []
    watchdog.stopService()
