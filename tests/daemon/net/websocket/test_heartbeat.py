"""The heartbeat of a WebSocket, with a fake clock."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.websocket.heartbeat import Heartbeat


@pytest.mark.parametrize(("in_game", "pings", "end"), [(False, [2, 4], 6), (True, [1, 2], 3)])
def test_heartbeat_in_a_game_pings_more_often_and_times_out_sooner(
    in_game: bool, pings: list[int], end: int
) -> None:
    clock = Clock()
    sent: list[float] = []
    timeouts: list[float] = []
    limits = Limits(ping=2.0, silence=6.0, game_ping=1.0, game_silence=3.0)
    heartbeat = Heartbeat(
        clock,
        limits,
        lambda: in_game,
        lambda: sent.append(clock.seconds()),
        lambda: timeouts.append(clock.seconds()),
    )
    heartbeat.start()
    clock.pump([1.0] * 20)
    assert sent == pings
    assert timeouts == [end]
    assert clock.getDelayedCalls() == []


def test_heartbeat_with_messages_does_not_time_out() -> None:
    clock = Clock()
    timeouts: list[int] = []
    heartbeat = Heartbeat(clock, Limits(), lambda: False, lambda: None, lambda: timeouts.append(1))
    heartbeat.start()
    for _ in range(30):
        clock.pump([10.0])
        heartbeat.received()
    assert not timeouts
    heartbeat.stop()
    heartbeat.stop()
    assert clock.getDelayedCalls() == []
