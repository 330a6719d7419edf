"""The bridge between an engine and a daemon: when it connects again, and when not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import cast

import pytest
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.runs.connect import (
    GROWTH,
    LONGEST,
    SPREAD,
    STABLE_AFTER,
    ConnectFailed,
    EngineBridge,
)


def bridge_of(clock: MemoryReactorClock, chance: Callable[[], float]) -> EngineBridge:
    """Of an engine that is never started."""
    reactor, launch = cast("Reactor", clock), Launch(command="true")
    return EngineBridge(reactor, ("127.0.0.1", 1), "bot", launch, lambda _: None, chance=chance)


@pytest.fixture
def bridge() -> EngineBridge:
    return bridge_of(MemoryReactorClock(), lambda: 1.0)


def test_bridge_waits_longer_after_each_short_connection(bridge: EngineBridge) -> None:
    clock = cast("MemoryReactorClock", bridge.reactor)

    def waits(lasting: float) -> float:
        bridge.connected()
        clock.advance(lasting)
        bridge.lost()
        (call,) = clock.getDelayedCalls()
        call.cancel()
        return float(call.getTime() - clock.seconds())

    longest = [waits(0.1) for _ in range(1000)]
    assert longest[:3] == pytest.approx([SPREAD, SPREAD * GROWTH, SPREAD * GROWTH**2])
    assert longest[4:] == pytest.approx([LONGEST] * 996)
    assert waits(STABLE_AFTER) == pytest.approx(SPREAD)


@pytest.mark.parametrize("downtime", [0.0, 1.0, 30.0])
def test_bridges_of_a_thousand_engines_come_back_spread_over_time(
    downtime: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most 50 connect in any tenth of a second, however long the daemon was away."""
    clock, chance, times = MemoryReactorClock(), random.Random(7).random, list[float]()

    def start(bridge: EngineBridge) -> None:
        if clock.seconds() < STABLE_AFTER + downtime:
            bridge._not_reached(Failure(ConnectionError()))
        else:
            times.append(clock.seconds())

    monkeypatch.setattr(EngineBridge, "start", start)
    bridges = [bridge_of(clock, chance) for _ in range(1000)]
    for bridge in bridges:
        bridge.connected()
    clock.advance(STABLE_AFTER)
    for bridge in bridges:
        bridge.lost()
    while clock.getDelayedCalls():
        clock.advance(0.01)
    assert len(times) == len(bridges)
    assert all(later - first > 0.1 for first, later in zip(times, times[50:], strict=False))
    assert times[-1] <= STABLE_AFTER + downtime + LONGEST + 0.01


def test_bridge_retries_a_taken_name_only_if_it_was_attached(
    bridge: EngineBridge,
) -> None:
    clock = cast("MemoryReactorClock", bridge.reactor)
    bridge.connected()
    clock.advance(STABLE_AFTER)
    bridge.lost()
    bridge.refused("the name bot is taken")  # by its own last connection
    assert not bridge.done.called
    stranger = EngineBridge(
        bridge.reactor, ("127.0.0.1", 1), "bot", Launch(command="true"), lambda _: None
    )
    stranger.refused("the name bot is taken")
    assert stranger.done.called
    stranger.done.addErrback(lambda failure: failure.trap(ConnectFailed))


def test_bridge_that_has_finished_neither_connects_nor_finishes_again(bridge: EngineBridge) -> None:
    clock = cast("MemoryReactorClock", bridge.reactor)
    bridge.finish()
    bridge.finish("late")
    bridge.start()
    bridge.lost()
    assert bridge.done.called
    assert clock.getDelayedCalls() == []
