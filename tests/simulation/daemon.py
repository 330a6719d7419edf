"""Daemons in a simulated world: their start, their crash, and what is left of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tests.simulation import outside
from tests.simulation.invariants import ACCOUNTS
from tests.simulation.wires import Wire
from tests.simulation.world import Faults, SimulatedWorld, Time
from yoddd.daemon.base.settings import CurrentSettings, Limits, Settings
from yoddd.daemon.configuration import Sources
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.service import Daemon, make_service
from yoddd.store import accounts
from yoddd.store.database import migrate, read_url
from yoddd.store.store import Store

TEXT: Final = 9633
WEB: Final = 8000


def make_template(path: Path) -> None:
    """Make a store with accounts; the token of NAME is ``token-of-NAME``."""
    url = read_url(str(path))
    migrate(url)
    store = Store(url)

    def add(connection: Any) -> None:
        for name in ACCOUNTS:
            accounts.add_account(connection, name, "2026-11-21T12:00:00.000Z")
            accounts.add_token(connection, name, f"token-of-{name}", "2026-11-21T12:00:00.000Z")

    store.transact(add)
    store.close()


@attrs.define(eq=False)
class House:
    """The daemon of a simulation, and the next one after a crash.

    Attributes:
        path: of its store; empty without one.
        world: of the daemon that runs; None between two.
        wires: the connections to it.
    """

    time: Time
    faults: Faults
    seed: int
    path: str
    fail: Callable[[str], None]
    limits: Limits
    world: SimulatedWorld | None = None
    daemon: Daemon | None = None
    is_ready: bool = False
    wires: list[Wire] = attrs.Factory(list)
    boots: int = 0

    def boot(self) -> None:
        """Start a daemon on what the one before has committed."""
        self.boots += 1
        world = self.world = SimulatedWorld(self.time, self.faults, f"{self.seed} {self.boots}")
        outside.enter(world)
        settings = Settings(
            listen=(f"tcp:{TEXT}:interface=127.0.0.1",),
            http=f"tcp:{WEB}:interface=127.0.0.1",
            store=self.path,
            watchdog=0,
            limits=self.limits,
        )
        current = CurrentSettings(settings)
        daemon = self.daemon = make_service(world, current, lambda _: None, Sources())
        self.is_ready = False
        started = Deferred.fromCoroutine(daemon.start())
        started.addCallbacks(lambda _: self._started(world), lambda one: self._failed(world, one))

    def _started(self, world: SimulatedWorld) -> None:
        self.is_ready = world is self.world

    def _failed(self, world: SimulatedWorld, failure: Failure) -> None:
        """Start again soon, as a service manager does, unless the store has been away."""
        if world is self.world:
            self.crash()
            self.time.callLater(1.0, self.boot)
        if "simulated" not in failure.getErrorMessage():
            self.fail(f"a daemon does not start: {failure.getTraceback()}")

    def crash(self) -> None:
        """End as by a kill: what no thread has committed is gone."""
        world, daemon = self.world, self.daemon
        assert world is not None
        assert daemon is not None
        world.reactor.crash()
        for wire in self.wires:
            wire.crash()
        self.wires.clear()
        ledger = daemon.drain._lobby.in_play._ledger
        if ledger is not None:
            journal = ledger.journal
            if journal._store is not None:
                journal._store.close()
            journal._release()
        self.world = self.daemon = None
        self.is_ready = False

    def listens(self, port: int) -> bool:
        return self.world is not None and port in self.world.reactor.ports

    def games(self) -> list[LiveGame]:
        """The games of the daemon."""
        return [] if self.daemon is None else list(self.daemon.drain._games.live)

    def has_engine(self, name: str) -> bool:
        """Whether an engine of this name is attached."""
        daemon = self.daemon
        return daemon is not None and daemon.drain._services.engines.find(name) is not None

    def leftovers(self) -> list[str]:
        """The texts for what is left in a daemon once its clients and games are gone."""
        assert self.world is not None
        assert self.daemon is not None
        drain = self.daemon.drain
        services, lobby, games = drain._services, drain._lobby, drain._games
        attendance, presence = lobby._attendance, lobby._attendance._presence
        left: dict[str, Any] = {
            "timers": [_name(one.func) for one in self.world.reactor.timers],
            "connections": services.connections.by_number,
            "admitted": services.admission._open,
            "keys": lobby._keys._seats,
            "games with keys": lobby._keys._digests,
            "kept games": lobby.in_play.kept,
            "suspended games": lobby.in_play.suspended,
            "games over": lobby._over._over,
            "expiries": lobby._offered._expiries,
            "present": presence._present,
            "held": presence._held,
            "left": presence._left,
            "away": presence._away,
            "alarms": presence._alarms,
            "leaving": attendance._leaving,
            "engines": services.engines._links,
            "engines that are waited for": services.engines._waiting,
            "spectators": [one.id for one in games.live if one.spectators],
            "games in play": [one.id for one in games.live if not one.is_over],
            "searches": services.pool._running,
            "closed gates": [games.start_gate.reason] if games.start_gate.reason else [],
        }
        users = services.session.services.accounts
        if isinstance(users, Users):
            left["users"] = users._here
            left["pages"] = users._pages
            left["grants"] = [one for one in users._grants.values() if one.connections]
        return [f"{len(what)} {name} {_short(what)}".strip() for name, what in left.items() if what]


def _name(call: Any) -> str:
    return str(getattr(call, "__qualname__", type(call).__name__))


def _short(what: Any) -> str:
    """Return what is left as far as it is texts: others have an address, which differs."""
    return " ".join(one for one in what if isinstance(one, str))


def copy_store(template: Path, path: Path) -> None:
    """Begin with a copy of a store."""
    shutil.copyfile(template, path)
