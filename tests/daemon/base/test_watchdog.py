"""The watchdog of the reactor, with a fake clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from twisted.internet.task import Clock
from twisted.logger import LogEvent, globalLogPublisher

from yoddd.daemon.base.watchdog import INTERVAL, Watchdog


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
    Watchdog(clock, 0.0).startService()  # does not run
    assert clock.getDelayedCalls() == []


@pytest.fixture
def reports() -> Iterator[list[tuple[int, int]]]:
    """The times and the milliseconds of each warning."""
    found: list[tuple[int, int]] = []

    def observe(event: LogEvent) -> None:
        if event.get("log_namespace", "").endswith("Watchdog"):
            found.append((event["times"], event["milliseconds"]))

    globalLogPublisher.addObserver(observe)  # type: ignore[arg-type]
    yield found
    globalLogPublisher.removeObserver(observe)  # type: ignore[arg-type]


def test_watchdog_reports_at_most_once_an_interval_and_then_all(
    reports: list[tuple[int, int]],
) -> None:
    clock = Clock()
    watchdog = Watchdog(clock, 0.05, clock.seconds)
    watchdog.startService()
    for gap in (0.25, 0.125, 0.5, 0.25):
        clock.advance(gap)
    assert reports == [(1, 250)]
    for _ in range(round(INTERVAL / 0.03125)):
        clock.advance(0.03125)
    assert reports == [(1, 250), (3, 500)]
    clock.advance(0.75)
    assert len(reports) == 2
    watchdog.stopService()
    assert reports[2:] == [(1, 750)]
