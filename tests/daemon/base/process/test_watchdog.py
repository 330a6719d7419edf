"""The watchdog of the reactor, and what systemd is told."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from twisted.internet.task import Clock
from twisted.logger import capturedLogs

from yoddd.daemon.base.process.systemd import notify, sign_interval, writes_to_journal
from yoddd.daemon.base.process.watchdog import INTERVAL, Watchdog


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


def test_watchdog_reports_at_most_once_an_interval_and_then_all() -> None:
    clock = Clock()
    watchdog = Watchdog(clock, 0.05, clock.seconds)
    watchdog.startService()
    with capturedLogs() as reports:
        for gap in (0.25, 0.125, 0.5, 0.25):
            clock.advance(gap)
        assert len(reports) == 1
        for _ in range(round(INTERVAL / 0.03125)):
            clock.advance(0.03125)
        assert len(reports) == 2
        clock.advance(0.75)
        assert len(reports) == 2
        watchdog.stopService()
    found = [(event["times"], event["milliseconds"]) for event in reports]
    assert found == [(1, 250), (3, 500), (1, 750)]


@pytest.mark.parametrize("is_abstract", [False, True])
def test_notify_sends_a_datagram(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_abstract: bool
) -> None:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(f"\0{path}" if is_abstract else path)
        receiver.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{path}" if is_abstract else path)
        notify("READY=1")
        assert receiver.recv(100) == b"READY=1"


@pytest.mark.parametrize("path", ["", "relative", "/dev/null/notify"])
def test_notify_without_a_listener_does_nothing(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    notify("READY=1")


@pytest.mark.parametrize(
    ("allowed", "process", "seconds"),
    [("30000000", None, 15.0), ("3000000", "ours", 1.5), ("3000000", "1", None)],
)
def test_signs_of_life_are_sent_twice_in_the_time_that_systemd_allows(
    monkeypatch: pytest.MonkeyPatch, allowed: str, process: str | None, seconds: float | None
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", allowed)
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    if process is not None:
        monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()) if process == "ours" else process)
    assert sign_interval() == seconds
    monkeypatch.setenv("WATCHDOG_USEC", "0")
    assert sign_interval() is None


def test_stream_of_the_journal_is_known_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "journal").open("w") as stream:
        found = os.fstat(stream.fileno())
        for journal, expected in ((f"{found.st_dev}:{found.st_ino}", True), ("1:2", False)):
            monkeypatch.setenv("JOURNAL_STREAM", journal)
            assert writes_to_journal(stream) is expected
        monkeypatch.delenv("JOURNAL_STREAM")
        assert not writes_to_journal(stream)
