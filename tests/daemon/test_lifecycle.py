"""The services of a daemon's start and stop, in fake time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, succeed

from tests.daemon.fake_time import error_of
from tests.daemon.memory import MemoryDaemon, Talk
from yoddd.daemon import lifecycle
from yoddd.daemon.base.process.async_service import AsyncService
from yoddd.daemon.lifecycle import (
    AdminService,
    ReadyService,
    StoreService,
    StoreWait,
)
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.pages.monitoring import Health
from yoddd.daemon.play.game_services import StartGate
from yoddd.daemon.runs.control import ask_socket
from yoddd.store.errors import StoreDamaged, StoreError

pytestmark = pytest.mark.gate


class Draining(Talk):
    """Gil and Hal have begun a game of a daemon that waits 30 s for its end."""

    def __init__(self, daemon: MemoryDaemon) -> None:
        super().__init__(daemon)
        self(
            "gil: seek gil board=hex2 seat=b",
            "= $game $black",
            "hal: accept $game hal",
            "= *",
            "eve: observe $game",
            "= *",
        )

    def stop(self) -> Deferred[None]:
        return self.daemon.daemon.stopService()

    def wait(self, seconds: float) -> None:
        self.daemon.clock.pump([0.05] * round(seconds / 0.05))

    def is_closing(self) -> bool:
        return self.peers["eve"].is_closed()


@pytest.fixture
def draining(daemons: Callable[..., MemoryDaemon]) -> Draining:
    return Draining(daemons({"drain": 30, "limits.close": 5}))


def test_drain_leaves_games_of_the_store_and_closes_connections_and_waits_for_them(
    daemons: Callable[..., MemoryDaemon],
) -> None:
    draining = Draining(daemons({"drain": 30, "limits.close": 5, "store": "games.db"}))
    done = draining.stop()
    draining("eve:", "notice the server restarts; your game goes on in a moment\nrestart")
    assert draining.is_closing()
    assert draining.daemon.services.connections.is_closing
    draining.wait(4.9)
    assert not done.called
    draining.wait(0.2)  # no longer than the limit of a close
    assert done.called


def test_drain_waits_for_a_game_and_a_search_to_end(
    draining: Draining, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = draining.daemon.services.pool
    monkeypatch.setattr(type(pool), "is_needed", True)
    done = draining.stop()
    draining.wait(10)
    draining("gil: put $black resign", "=")
    draining.wait(0.1)
    assert not draining.is_closing()
    monkeypatch.setattr(type(pool), "is_needed", False)
    draining.wait(0.1)
    assert draining.is_closing()
    for peer in draining.peers.values():
        peer.protocol.connectionLost()
    draining.wait(0.1)
    assert done.called


def test_drain_ends_after_its_time(draining: Draining) -> None:
    draining.stop()
    draining(
        "eve:", "notice the server restarts; a game that is over within 30 s counts\nrestart 30"
    )
    draining.wait(29.9)
    assert not draining.is_closing()
    draining.wait(0.2)
    assert draining.is_closing()


def test_skip_ends_the_wait_for_games_and_connections(draining: Draining) -> None:
    done = draining.stop()
    draining.daemon.daemon.drain.skip()
    draining.wait(0.1)
    assert draining.is_closing()
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
    ledger, lobby, port = FakeLedger(), FakeLobby(), FakePort()
    wait = StoreWait("checking", "", cast("Any", port))
    service = StoreService(cast("Any", ledger), cast("Any", lobby), pytest.fail, wait, None)
    service.startService()
    assert (lobby.restored, bool(port.running)) == ([], True)
    assert states == ["READY=1\nSTATUS=checking"]
    if problem is None:
        ledger.opened.callback(None)
        assert (lobby.restored, bool(port.running)) == (["g7"], False)
        assert states[1:] == ["STATUS=serving"]
    else:
        ledger.opened.errback(problem)
        assert str(error_of(service.ready)) == f"store: {problem}"
    service.stopService()
    assert (bool(port.running), ledger.is_closed) == (False, True)


class FakeLobby:
    """A lobby that keeps what it restores."""

    def __init__(self) -> None:
        self.restored: list[object] = []

    def restore(self, rows: list[object]) -> None:
        self.restored += rows


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
