"""The watchdog, the gate before games, and the lines of the log."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from twisted.internet.defer import CancelledError
from twisted.internet.task import Clock
from twisted.logger import LogLevel

from yoddd.daemon.base.admission import Refused
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.logs import format_json
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.watchdog import Watchdog
from yoddd.daemon.connections.memory_guard import MemoryGuard
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.websocket.heartbeat import Heartbeat
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.errors import PeerError


def test_the_watchdog_tells_of_gaps_and_of_nothing_else() -> None:
    clock = Clock()
    watchdog = Watchdog(clock, 0.05)
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


def test_a_watchdog_that_tolerates_everything_does_not_even_look() -> None:
    clock = Clock()
    watchdog = Watchdog(clock, 0.0)
    watchdog.startService()
    assert clock.getDelayedCalls() == []
    watchdog.stopService()


def test_games_wait_at_a_closed_gate_and_can_be_called_off() -> None:
    gate = StartGate()
    begun: list[object] = []
    gate.check()
    assert gate.opened().called
    gate.close("not now")
    with pytest.raises(PeerError, match="not now"):
        gate.check()
    first, second = gate.opened(), gate.opened()
    first.addCallback(lambda _: begun.append("first"))
    second.addErrback(lambda failure: begun.append(failure.type))
    second.cancel()
    assert begun == [CancelledError]
    gate.open()
    assert begun == [CancelledError, "first"]
    gate.check()


def test_a_line_of_the_log_as_json() -> None:
    event: dict[str, Any] = {
        "log_time": 0.5,
        "log_level": LogLevel.warn,
        "log_namespace": "yoddd.daemon.connections.connection",
        "log_format": "closing {number}: {reason}",
        "number": 3,
        "reason": 'said "ä"\nand left',
        "peer": object(),
    }
    text = format_json(event)
    assert "\n" not in text
    assert json.loads(text) == {
        "time": "1970-01-01T00:00:00.500+00:00",
        "level": "warn",
        "logger": "yoddd.daemon.connections.connection",
        "message": 'closing 3: said "ä"\nand left',
        "number": 3,
        "reason": 'said "ä"\nand left',
    }


@pytest.mark.parametrize(("in_game", "pings", "end"), [(False, [2, 4, 6], 7), (True, [1, 2, 3], 4)])
def test_a_peer_that_plays_is_pinged_more_often_and_given_up_sooner(
    in_game: bool, pings: list[int], end: int
) -> None:
    clock = Clock()
    sent: list[float] = []
    given_up: list[float] = []
    limits = Limits(ping=2.0, silence=6.0, game_ping=1.0, game_silence=3.0)
    pulse = Heartbeat(
        clock,
        limits,
        lambda: in_game,
        lambda: sent.append(clock.seconds()),
        lambda: given_up.append(clock.seconds()),
    )
    pulse.start()
    clock.pump([1.0] * 20)
    assert sent == pings
    assert given_up == [end]
    assert clock.getDelayedCalls() == []


def test_a_peer_that_is_heard_is_kept() -> None:
    clock = Clock()
    given_up: list[int] = []
    pulse = Heartbeat(clock, Limits(), lambda: False, lambda: None, lambda: given_up.append(1))
    pulse.start()
    for _ in range(30):
        clock.pump([10.0])
        pulse.heard()
    assert not given_up
    pulse.stop()
    pulse.stop()
    assert clock.getDelayedCalls() == []


def test_nobody_is_let_in_above_the_ceiling_of_memory() -> None:
    clock = Clock()
    limits, gate = CurrentLimits(Limits(memory=1)), StartGate()
    services = Services(
        reactor=cast("Reactor", clock), session=SessionConfig(), current_limits=limits
    )
    guard = MemoryGuard(services, gate)
    guard.startService()
    with pytest.raises(Refused, match="short of memory"):
        services.admission.admit("a", None)
    assert gate.reason == "the server is short of memory"
    limits.value = Limits(memory=1 << 20)
    clock.advance(1)
    services.admission.admit("a", None)
    gate.check()
    guard.stopService()
    gate.close("no game may begin for now")
    limits.value = Limits(memory=1)
    guard.look()
    limits.value = Limits()
    guard.look()
    assert gate.reason == "no game may begin for now", "the administrator's word stands"
