"""The share of the reactor's time of one address, and the time slices that are asked for."""

from __future__ import annotations

import errno
import os
import platform
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.process.reactor_runner import request_short_slices
from yoddd.daemon.base.process.reactor_share import (
    BURST,
    LIGHT,
    SLICE,
    TURN,
    TURN_OF_ALL,
    ReactorShare,
    ReactorTurn,
)


def test_share_above_the_burst_waits_until_the_debt_is_paid() -> None:
    clock = Clock()
    share, little = (ReactorShare(lambda: 0.1, clock.seconds) for _ in range(2))
    little.run(clock.advance, BURST / 2)
    assert (little.wait(), little.is_idle) == (0, False)
    share.run(share.run, clock.advance, BURST + 0.01)  # a call within another is charged once
    assert share.wait() == pytest.approx(0.1)
    clock.advance(0.05)
    assert share.wait() == pytest.approx(0.05)
    clock.advance(0.06)
    assert share.wait() == 0
    clock.advance(2)
    assert share.is_idle


def test_share_charges_a_call_that_fails() -> None:
    clock = Clock()
    share = ReactorShare(lambda: 0.1, clock.seconds)

    def fail() -> None:
        clock.advance(BURST + 0.01)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        share.run(fail)
    assert share.wait() == pytest.approx(0.1)


def test_share_within_a_long_call_lets_others_come_first() -> None:
    clock = Clock()
    share = ReactorShare(lambda: 0.1, clock.seconds)
    waits: list[float] = []

    def call() -> None:
        clock.advance(TURN / 2)
        waits.append(share.wait())
        clock.advance(TURN)
        waits.append(share.wait())

    share.run(call)
    assert waits[0] == 0
    assert 0 < waits[1] < 0.001
    assert share.wait() == 0


# -- calls that wait ----------------------------------------------------------------------------


class Fake:
    """A share whose clock is Twisted's fake one, and the names of the calls that were made."""

    def __init__(self, turn: bool = False) -> None:
        self.clock = Clock()
        self.turn = ReactorTurn(self.clock) if turn else None
        self.made: list[str] = []

    def share(self) -> ReactorShare:
        return ReactorShare(lambda: 0.1, self.clock.seconds, self.turn)

    def call(self, share: ReactorShare, name: str, seconds: float) -> Callable[[], None]:
        def work() -> None:
            self.made.append(name)
            self.clock.rightNow += seconds

        return lambda: share.run(work)


def test_calls_of_an_address_wait_in_turn_with_one_timer() -> None:
    fake = Fake()
    share = fake.share()
    share.charge(BURST + 0.01)
    for name in "abc":
        share.later(fake.clock, fake.call(share, name, 0.01))
    assert len(fake.clock.getDelayedCalls()) == 1
    fake.clock.advance(0.09)
    assert fake.made == []
    fake.clock.advance(0.011)
    assert fake.made == ["a"]  # which has used up what was paid back
    fake.clock.advance(0.1)
    assert fake.made == ["a", "b"]
    fake.clock.advance(1)
    assert fake.made == ["a", "b", "c"]
    assert fake.clock.getDelayedCalls() == []


def test_call_that_is_cancelled_is_not_made_and_leaves_no_timer() -> None:
    fake = Fake()
    share = fake.share()
    first, second = (share.later(fake.clock, fake.call(share, name, 0)) for name in "ab")
    assert not share.is_idle
    first.cancel()
    assert (first.active(), second.active()) == (False, True)
    fake.clock.advance(0)
    assert fake.made == ["b"]
    second.cancel()  # too late
    share.later(fake.clock, fake.call(share, "c", 0)).cancel()
    assert fake.clock.getDelayedCalls() == []


def test_call_that_fails_leaves_the_others_their_turn() -> None:
    fake = Fake()
    share = fake.share()

    def fail() -> None:
        raise RuntimeError

    share.later(fake.clock, fail)
    share.later(fake.clock, fake.call(share, "b", 0))
    with pytest.raises(RuntimeError):
        fake.clock.advance(0)
    fake.clock.advance(0)
    assert fake.made == ["b"]


def test_work_of_all_addresses_is_bounded_in_a_turn_of_the_reactor() -> None:
    fake = Fake(turn=True)
    first, second, third, light = (fake.share() for _ in range(4))
    third.charge(LIGHT + 0.01)
    for share in (first, second):
        assert third.wait() == 0
        fake.call(share, "", 0.6 * TURN_OF_ALL)()
    assert 0 < third.wait() < 0.001
    assert (light.wait(), second.wait()) == (0, 0)  # they owe little
    fake.clock.advance(0)  # the next turn
    assert third.wait() == 0


class Turns:
    """A reactor whose turns are made one by one."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], object]] = []

    def callLater(self, delay: float, call: Callable[..., object], *args: object) -> object:
        del delay
        self.calls.append(lambda: call(*args))
        return object()

    def turn(self) -> None:
        calls, self.calls = self.calls, []
        for call in calls:
            call()


def test_calls_of_an_address_take_a_slice_of_a_turn() -> None:
    fake, turns = Fake(), cast("Any", Turns())
    share, other = fake.share(), fake.share()
    for name in "abcd":
        share.later(turns, fake.call(share, name, SLICE / 2))
    other.later(turns, fake.call(other, "other", 0))
    turns.turn()
    assert fake.made == ["a", "b", "other"]
    turns.turn()
    assert fake.made == ["a", "b", "other", "c", "d"]


def test_address_that_uses_its_share_all_the_time_does_not_come_first() -> None:
    fake = Fake(turn=True)
    share, other = fake.share(), fake.share()
    for _ in range(20):
        fake.call(share, "", 0.001)()
        fake.clock.advance(0.009)  # in which it pays back a millisecond
    assert share.wait() == 0
    fake.call(other, "", TURN_OF_ALL)()
    assert share.wait() > 0
    assert fake.share().wait() == 0


def request_in_thread() -> tuple[bool, list[tuple[int, int]]]:
    """Return the result in a new thread, with its policy and nice value before and after."""
    granted: list[bool] = []
    found: list[tuple[int, int]] = []

    def ask() -> None:
        found.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))
        granted.append(request_short_slices())
        found.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return granted[0], found


def test_request_on_an_unknown_machine_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    granted, (before, after) = request_in_thread()
    assert not granted
    assert before == after


def test_request_with_a_c_library_without_policies_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_pid: int) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "sched_getscheduler", refuse)
    assert not request_short_slices()
