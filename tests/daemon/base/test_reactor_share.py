"""The share of the reactor's time of one address, in fake time."""

from __future__ import annotations

import pytest

from yoddd.daemon.base.reactor_share import BURST, TURN, ReactorShare


class Times:
    """A clock that work advances."""

    def __init__(self) -> None:
        self.now = 0.0

    def work(self, seconds: float) -> None:
        self.now += seconds


def test_share_within_the_burst_has_no_wait() -> None:
    times = Times()
    share = ReactorShare(0.1, lambda: times.now)
    share.run(times.work, BURST / 2)
    assert share.wait() == 0
    assert not share.is_idle


def test_share_above_the_burst_waits_until_the_debt_is_paid() -> None:
    times = Times()
    share = ReactorShare(0.1, lambda: times.now)
    share.run(times.work, BURST + 0.01)
    assert share.wait() == pytest.approx(0.1)
    times.now += 0.05
    assert share.wait() == pytest.approx(0.05)
    times.now += 0.06
    assert share.wait() == 0
    times.now += 2
    assert share.is_idle


def test_share_call_within_another_is_charged_once() -> None:
    times = Times()
    share = ReactorShare(0.1, lambda: times.now)
    share.run(share.run, times.work, BURST + 0.01)
    assert share.wait() == pytest.approx(0.1)


def test_share_charges_a_call_that_fails() -> None:
    times = Times()
    share = ReactorShare(0.1, lambda: times.now)

    def fail() -> None:
        times.work(BURST + 0.01)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        share.run(fail)
    assert share.wait() == pytest.approx(0.1)


def test_share_within_a_long_call_lets_others_come_first() -> None:
    times = Times()
    share = ReactorShare(0.1, lambda: times.now)
    waits: list[float] = []

    def call() -> None:
        times.now += TURN / 2
        waits.append(share.wait())
        times.now += TURN
        waits.append(share.wait())

    share.run(call)
    assert waits[0] == 0
    assert 0 < waits[1] < 0.001
    assert share.wait() == 0
