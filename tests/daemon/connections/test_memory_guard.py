"""The limit on the memory of the process."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import make_services
from yoddd.daemon.base.admission.admission import Refused
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.lifecycle import MemoryGuard
from yoddd.daemon.play.game_services import StartGate


def test_memory_guard_above_the_limit_refuses_connections_and_games() -> None:
    clock, gate = MemoryReactorClock(), StartGate()
    services = make_services(clock, Limits(memory=1))
    settings = services.settings
    guard = MemoryGuard(services.reactor, services, gate)
    guard.startService()
    with pytest.raises(Refused, match="short of memory"):
        services.admission.admit("a", None)
    assert gate.reason == "the server is short of memory"
    settings.value = Settings(limits=Limits(memory=1 << 20))
    clock.advance(1)
    services.admission.admit("a", None)
    gate.check()
    guard.stopService()
    gate.close("no game may begin for now")
    settings.value = Settings(limits=Limits(memory=1))
    Deferred.fromCoroutine(guard.look())
    settings.value = Settings()
    Deferred.fromCoroutine(guard.look())
    assert gate.reason == "no game may begin for now", "the gate stays closed for the administrator"
