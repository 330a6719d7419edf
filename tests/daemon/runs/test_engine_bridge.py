"""The bridge between an engine and a daemon: when it connects again, and when not."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.testing import MemoryReactorClock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.runs.connect import RETRY, STABLE_AFTER, ConnectFailed, EngineBridge


@pytest.fixture
def bridge() -> EngineBridge:
    """Of an engine that is never started."""
    reactor = cast("Reactor", MemoryReactorClock())
    return EngineBridge(reactor, ("127.0.0.1", 1), "bot", Launch(command="true"), lambda _: None)


def test_bridge_waits_longer_after_each_short_connection(bridge: EngineBridge) -> None:
    clock = cast("MemoryReactorClock", bridge.reactor)

    def waits(lasting: float) -> float:
        bridge.connected()
        clock.advance(lasting)
        bridge.lost()
        (call,) = clock.getDelayedCalls()
        call.cancel()
        return float(call.getTime() - clock.seconds())

    assert [waits(0.1) for _ in range(6)] == pytest.approx([*RETRY, RETRY[-1]])
    assert waits(STABLE_AFTER) == pytest.approx(RETRY[0])


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
