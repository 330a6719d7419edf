"""The throttle of analysis output, with a fake clock."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.worker import MIN_INTERVAL, Throttle


class Output:
    def __init__(self, interval: float) -> None:
        self.clock = Clock()
        self.lines: list[str] = []
        self.throttle = Throttle(cast("Reactor", self.clock), interval, self.lines.append)


@pytest.fixture
def output() -> Output:
    return Output(1.0)


def test_throttle_sends_the_latest_line_of_each_interval(output: Output) -> None:
    output.throttle.put("1")
    output.throttle.put("2")
    output.clock.advance(0.9)
    assert output.lines == []
    output.clock.advance(0.1)
    assert output.lines == ["2"]
    output.clock.advance(1)
    assert output.lines == ["2"]
    output.throttle.put("3")
    output.clock.advance(1)
    assert output.lines == ["2", "3"]


def test_stop_sends_the_last_line_and_ends_the_timer(output: Output) -> None:
    output.throttle.put("last")
    output.throttle.stop()
    assert output.lines == ["last"]
    assert output.clock.getDelayedCalls() == []
    output.throttle.stop()
    assert output.lines == ["last"]


def test_throttle_has_a_least_interval() -> None:
    output = Output(0.0)
    output.throttle.put("1")
    output.clock.advance(MIN_INTERVAL / 2)
    assert output.lines == []
    output.clock.advance(MIN_INTERVAL / 2)
    assert output.lines == ["1"]


def test_throttle_that_is_cancelled_drops_its_last_line(output: Output) -> None:
    output.throttle.put("late")
    output.throttle.cancel()
    assert output.lines == []
    assert output.clock.getDelayedCalls() == []
