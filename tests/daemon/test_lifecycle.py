"""The services of a daemon's start and stop, in fake time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, succeed
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import FakePool, FakeTransport, make_services
from tests.daemon.fake_time import error_of
from yoddd.daemon import lifecycle
from yoddd.daemon.base.admission.start_gate import StartGate
from yoddd.daemon.base.process.async_service import AsyncService, ServiceTree
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.lifecycle import (
    AdminService,
    Closing,
    Drain,
    ReadyService,
    StoreService,
    StoreWait,
)
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.pages.monitoring import Health
from yoddd.daemon.runs.control import ask_socket
from yoddd.referee.hosted.state import Phase
from yoddd.store.errors import StoreDamaged, StoreError

pytestmark = pytest.mark.gate


@attrs.define(eq=False)
class FakeGame:
    """A game in play, which stands for its own state."""

    is_kept: bool = False
    phase: Phase = Phase.PLAYING
    notices: list[str] = attrs.Factory(list)

    def notice(self, text: str) -> None:
        self.notices.append(text)

    tell = notice

    @property
    def game(self) -> FakeGame:
        return self


class Fakes:
    """Games and a lobby as the services of this module use them."""

    def __init__(self) -> None:
        self.games: list[FakeGame] = []
        self.restored: list[object] = []

    def __iter__(self) -> Iterator[FakeGame]:
        return iter(self.games)

    @property
    def in_play(self) -> Fakes:
        return self

    def restore(self, rows: list[object]) -> None:
        self.restored += rows


# -- drain ----------------------------------------------------------------------------------


class Draining:
    """A daemon with one client, and its drain of up to 30 seconds."""

    def __init__(self) -> None:
        self.clock = MemoryReactorClock()
        self.pool = FakePool()
        self.fakes = Fakes()
        limits = Limits(close=5)
        self.services = make_services(self.clock, limits, pool=cast("Any", self.pool))
        self.transport = FakeTransport()
        self.client = PeerConnection(self.services, self.transport, None)
        games = cast("Any", self.fakes)
        self.drain = Drain(self.services, games)
        self.tree = ServiceTree()
        self.tree.services += [Closing(self.services, self.drain), self.drain]

    def stop(self) -> Deferred[None]:
        self.tree.startService()
        return self.tree.stopService()

    def wait(self, seconds: float) -> None:
        self.clock.pump([0.05] * round(seconds / 0.05))


@pytest.fixture
def draining() -> Draining:
    return Draining()


def test_drain_without_games_closes_connections_and_waits_for_them(
    draining: Draining,
) -> None:
    kept = FakeGame(is_kept=True)  # and without those in the store
    draining.fakes.games.append(kept)
    done = draining.stop()
    assert kept.notices == ["the server restarts; your game goes on in a moment", "restart"]
    assert draining.transport.is_closed()
    assert draining.services.connections.is_closing
    draining.wait(4.9)
    assert not done.called
    draining.wait(0.2)  # no longer than the limit of a close
    assert done.called


def test_drain_waits_for_a_game_and_a_search_to_end(draining: Draining) -> None:
    game = FakeGame()
    draining.fakes.games.append(game)
    draining.pool.is_needed = True
    done = draining.stop()
    draining.wait(10)
    game.phase = Phase.OVER
    draining.wait(0.1)
    assert not draining.transport.is_closed()
    draining.pool.is_needed = False
    draining.wait(0.1)
    assert draining.transport.is_closed()
    draining.client.lost("closed")
    draining.wait(0.1)
    assert done.called


def test_drain_ends_after_its_time(draining: Draining) -> None:
    game = FakeGame()
    draining.fakes.games.append(game)
    draining.stop()
    assert game.notices == [
        "the server restarts; a game that is over within 30 s counts",
        "restart 30",
    ]
    draining.wait(29.9)
    assert not draining.transport.is_closed()
    draining.wait(0.2)
    assert draining.transport.is_closed()


def test_skip_ends_the_wait_for_games_and_connections(draining: Draining) -> None:
    draining.fakes.games.append(FakeGame())
    done = draining.stop()
    draining.drain.skip()
    draining.wait(0.1)
    assert draining.transport.is_closed()
    assert done.called


# -- the other services ---------------------------------------------------------------------


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The states that systemd is told; the garbage collector is set back at the end."""
    states: list[str] = []
    monkeypatch.setattr(lifecycle, "notify", states.append)
    thresholds = gc.get_threshold()
    yield states
    gc.set_threshold(*thresholds)


def test_ready_service_reports_its_state_and_closes_the_gate_at_the_end(states: list[str]) -> None:
    health, gate = Health(), StartGate()
    service = ReadyService(health, gate)
    found = [health.is_ready]
    service.startService()
    found.append(health.is_ready)
    gate.check()
    service.stopService()
    found.append(health.is_ready)
    assert found == [False, True, False]
    assert states == ["READY=1", "STOPPING=1"]
    assert gate.reason == "the server is going down"


@attrs.define(eq=False)
class FakeLedger:
    """A ledger with its own journal."""

    is_closed: bool = False
    is_large: bool = True
    opened: Deferred[None] = attrs.Factory(Deferred)

    @property
    def journal(self) -> FakeLedger:
        return self

    def load(self) -> Deferred[list[object]]:
        return succeed(["g7"])

    def open(self, *_: object) -> Deferred[None]:
        return self.opened

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize("problem", [None, StoreDamaged("page 5"), StoreError("away")])
def test_store_service_withholds_the_games_of_a_large_file_until_it_is_checked(
    states: list[str], problem: StoreError | None
) -> None:
    ledger, fakes, port = FakeLedger(), Fakes(), FakePort()
    wait = StoreWait("checking", "", cast("Any", port))
    service = StoreService(cast("Any", ledger), cast("Any", fakes), pytest.fail, wait, None)
    service.startService()
    assert (fakes.restored, bool(port.running)) == ([], True)
    assert states == ["READY=1\nSTATUS=checking"]
    if problem is None:
        ledger.opened.callback(None)
        assert (fakes.restored, bool(port.running)) == (["g7"], False)
        assert states[1:] == ["STATUS=serving"]
    else:
        ledger.opened.errback(problem)
        assert str(error_of(service.ready)) == f"store: {problem}"
    service.stopService()
    assert (bool(port.running), ledger.is_closed) == (False, True)


class FakePort(AsyncService):
    """A port that listens nowhere."""


@ensureDeferred
async def test_admin_service_listens_between_start_and_stop(tmp_path: Path) -> None:
    path = tmp_path / "admin"
    service = AdminService(cast("Any", installed), path, {})
    service.startService()
    await service.ready
    assert path.stat().st_mode & 0o777 == 0o600
    await service.stopService()
    assert not path.exists()
    with pytest.raises(Exception, match="admin"):
        ask_socket(path, "list")
    elsewhere = AdminService(cast("Any", installed), tmp_path / "none" / "admin", {})
    elsewhere.startService()
    assert isinstance(error_of(elsewhere.ready), ListenError)
    await elsewhere.stopService()
