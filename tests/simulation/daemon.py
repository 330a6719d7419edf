"""Daemons in a simulated world: their start, their crash, their lock, and what is left of them."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import attrs
from twisted.internet.defer import Deferred
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from tests.simulation.invariants import Judge
from tests.simulation.models import ACCOUNTS
from tests.simulation.server import Server
from tests.simulation.wires import Wire
from tests.simulation.world import Faults, SimulatedWorld, Time
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.configuration import Sources, load
from yoddd.daemon.connections.analysis_worker import AnalysisWorker
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.engine_link import AttachedEngine
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.daemon.lifecycle import AdminService
from yoddd.daemon.lobby.ladder import Ladder
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.net.stream_transport import StreamTransport
from yoddd.daemon.net.websocket.transport import WebSocketConnection
from yoddd.daemon.play.game_runner import GameRunner, Spectator
from yoddd.daemon.service import Daemon, make_service
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.store import accounts
from yoddd.store.database import migrate, read_url
from yoddd.store.store import Store

TEXT: Final = 9633
WEB: Final = 8000
ADMIN: Final = "admin.sock"

DROPPED: Final = (
    *(GameRunner, Spectator, AttachedEngine),
    *(PeerConnection, StreamTransport, WebSocketConnection, SessionWorker, AnalysisWorker),
)
"""The types of what a daemon drops with a game or a connection."""


def make_template(path: Path) -> None:
    """Make a store with accounts; the token of NAME is ``token-of-NAME``."""
    url = read_url(str(path))
    migrate(url)
    made = Store(url)

    def add(connection: Any) -> None:
        for name in ACCOUNTS:
            accounts.add_account(connection, name, "2026-11-21T12:00:00.000Z")
            accounts.add_token(connection, name, f"token-of-{name}", "2026-11-21T12:00:00.000Z")

    made.transact(add)
    made.close()


@attrs.define(eq=False)
class House:
    """One daemon of a simulation, and the next one after a crash.

    Attributes:
        name: decides its chance.
        sources: of the settings of all of them.
        server: of the store; None where one daemon serves a file.
        world: of the daemon that runs; None between two.
        ready_since: when it became ready; negative before.
        wires: the connections to it.
    """

    time: Time
    faults: Faults
    judge: Judge
    name: str
    sources: Sources
    server: Server | None = None
    world: SimulatedWorld | None = None
    daemon: Daemon | None = None
    ready_since: float = -1.0
    wires: list[Wire] = attrs.Factory(list)
    boots: int = 0

    @property
    def is_ready(self) -> bool:
        return self.ready_since >= 0

    @property
    def overtaken(self) -> float:
        """Seconds for which it serves although another has taken over the store."""
        if self.server is None or not self.is_ready or self.world is self.server.serving:
            return 0.0
        return self.time.now - self.server.taken

    def boot(self) -> None:
        """Start a daemon on what the one before has committed."""
        self.boots += 1
        self.judge.serves(self.name, is_up=True)
        name = f"{self.name} {self.boots}"
        world = self.world = SimulatedWorld(self.time, self.faults, name, self.judge)
        world.server = self.server
        current = CurrentSettings(load(self.sources).settings)
        daemon = self.daemon = make_service(world, current, lambda _: None, self.sources)
        daemon.failed.addCallback(lambda _: self._end(world))
        started = Deferred.fromCoroutine(daemon.start())
        started.addCallbacks(lambda _: self._started(world), lambda one: self._failed(world, one))

    def _started(self, world: SimulatedWorld) -> None:
        if world is self.world:
            self.ready_since = self.time.now

    def _failed(self, world: SimulatedWorld, failure: Failure) -> None:
        self._end(world)
        holds = "simulated" in failure.getErrorMessage()
        self.judge.check(holds, f"a daemon does not start: {failure.getTraceback()}")

    def _end(self, world: SimulatedWorld) -> None:
        """End a daemon that fails, and start it again soon, as a service manager does."""
        if world is self.world:
            self.crash()
            self.time.callLater(1.0, self.boot)

    def crash(self) -> None:
        """End as by a kill: what no thread has committed is gone."""
        world, daemon = self.world, self.daemon
        assert world is not None
        assert daemon is not None
        world.reactor.crash()
        for wire in self.wires:
            wire.crash()
        self.wires.clear()
        for one in daemon.services:
            if isinstance(one, AdminService) and one._port is not None:
                one._port._name.close()
        ledger = self.lobby._ledger
        if ledger is not None:
            journal = ledger.journal
            if journal._store is not None:
                journal._store.close()
            journal._release()
        if self.server is not None:
            self.server.crashed(world)
        self.world = self.daemon = None
        self.ready_since = -1.0
        self.judge.serves(self.name, is_up=False)
        if self.server is None or self.server.serving is world:  # the other goes on otherwise
            self.judge.after_crash()

    def serves(self, wire: Wire) -> bool:
        """Whether this daemon is ready, and a connection is one to it."""
        return self.is_ready and self.world is not None and wire.reactor is self.world.reactor

    def listens(self, port: int | str) -> bool:
        return self.world is not None and port in self.world.reactor.ports

    @property
    def lobby(self) -> DaemonLobby:
        """The lobby of the daemon."""
        assert self.daemon is not None
        return cast("DaemonLobby", self.daemon.drain._services.session.services.lobby)

    def games(self) -> list[GameRunner]:
        """The games of the daemon."""
        return [] if self.daemon is None else list(self.daemon.drain._games)

    @property
    def offered(self) -> set[str]:
        """The numbers of the games that are offered."""
        states = [one.game for one in self.games()]
        return {game.id[1:] for game in states if game.phase.word == "open"}

    @property
    def expiry(self) -> float:
        """Seconds until the last invite expires, a day if the calendar was set back."""
        states = [one.game for one in self.games() if one.game.is_open]
        ends = [game._until - self.time.now for game in states if game.terms.expires is not None]
        return max([0.0, *ends])

    @property
    def waiting(self) -> int:
        """The most games that wait for one engine."""
        waiting = {} if self.daemon is None else self.daemon.drain._services.engines._waiting
        return max(map(len, waiting.values()), default=0)

    def has_engine(self, name: str) -> bool:
        """Whether an engine of this name is attached."""
        daemon = self.daemon
        return daemon is not None and daemon.drain._services.engines.find(name) is not None

    def restless(self) -> Iterator[str]:
        """Yield the texts for what changes soon by itself, or waits for something but a client."""
        assert self.world is not None
        assert self.daemon is not None
        drain = self.daemon.drain
        if self.server is not None and not self.server.holds(self.world):
            yield "the lock is lost"
        if drain._games.start_gate.reason:
            yield f"no game begins: {drain._games.start_gate.reason}"
        yield from self.unserved()
        suspended = self.lobby.suspended.items()
        yield from (f"{one} waits for the store" for one, game in suspended if game.returns)
        for one in self.games():
            if one.is_keeping:
                yield f"{one.game.id} is being kept"
            if one.spectators:
                yield f"{one.game.id} has spectators that have left"
            if one.game.is_open and one.game.terms.expires is None:
                yield f"{one.game.id} is offered by one who has left"

    def unserved(self) -> Iterator[str]:
        """Yield the texts for games that wait for an engine which could play them."""
        assert self.daemon is not None
        engines = self.daemon.drain._services.engines
        for name, waiting in engines._waiting.items():
            for one in waiting:
                if engines._free_copy(name, one.claim, goes_on=one.goes_on) is not None:
                    yield f"a game waits for {name}, which is free"

    def objects(self, games: Iterable[HostedGame]) -> list[str]:
        """The texts for what is in memory though the daemon has dropped it, by its type.

        Called without clients: games alone are held. ``games`` are those of the simulation that
        are in memory: they do not tell which daemon had them.
        """
        globalLogBeginner._initialBuffer._buffer.clear()  # failures to be logged hold their frames
        gc.collect()
        runners = self.games()
        known = {id(one) for one in (*runners, *(one.game for one in runners))}
        found = [one for one in gc.get_objects() if type(one) in DROPPED and self._has(one)]
        if self.boots == 1 and self.server is None:
            found += games
        dropped = [one for one in found if id(one) not in known]
        return sorted(_text(one) for one in dropped if _is_ours(one))

    def _has(self, one: Any) -> bool:
        """Whether an object is this daemon's, and none of an earlier one or of a run."""
        assert self.daemon is not None
        if isinstance(one, AttachedEngine):
            one = getattr(one._send, "__self__", None)
        if isinstance(one, Spectator):
            one = one.runner
        if isinstance(one, GameRunner):
            return one._world is self.world
        return getattr(one, "_services", None) is self.daemon.drain._services

    def leftovers(self) -> list[str]:
        """The texts for what is left in a daemon once its clients and games are gone."""
        left = dict(self._held())
        return [f"{len(what)} {name} {_short(what)}".strip() for name, what in left.items() if what]

    def _held(self) -> Iterator[tuple[str, Any]]:
        """Yield what a daemon holds for clients and games, by its name."""
        assert self.world is not None
        assert self.daemon is not None
        drain = self.daemon.drain
        services, lobby, games = drain._services, self.lobby, drain._games
        directory, presence = lobby.directory, lobby._presence
        names = [_name(one.func) for one in self.world.reactor.timers]
        timers = [one for one in names if "Simulated" not in one]  # threads of a regular look
        yield "timers", timers[self.server is not None :]  # its next look at the lock
        yield "connections", services.connections.by_number
        yield "admitted", services.admission._open
        yield "places of connections", services.admission._taken._taken
        for kind, name in zip(lobby._places, ("games", "games by the day"), strict=True):
            yield f"places of {name}", kind.places._taken
        yield "games by the day", lobby._by_day
        yield "places of searches", services.pool._places._taken
        yield "keys", directory._seats
        yield "games of users", directory._users
        yield "suspended games", lobby.suspended
        yield "games over", directory._over
        yield "present", presence._present
        yield "held", presence._held
        yield "left", presence._left
        yield "alarms", presence._alarms
        yield "engines", services.engines._links
        yield "engines that are waited for", services.engines._waiting
        yield "spectators", [one.game.id for one in games if one.spectators]
        states = [one.game for one in games]
        yield "games in play", [one.id for one in states if one.phase is not Phase.OVER]
        yield "searches", services.pool._running
        yield "closed gates", [games.start_gate.reason] if games.start_gate.reason else []
        for one in self.daemon.services:
            if isinstance(one, Ladder):
                yield "engines that play the ladder", one._playing
                yield "games of the ladder", +one._begun
        users = services.session.services.accounts
        if isinstance(users, Users):
            yield "users", users._here
            yield "grants", [one for one in users._grants.values() if one.connections]


def _name(call: Any) -> str:
    return str(getattr(call, "__qualname__", type(call).__name__))


def _is_ours(one: Any) -> bool:
    """Whether it is anything but a game of a run."""
    game = one.game if isinstance(one, GameRunner) else one
    return not isinstance(game, HostedGame) or game.id[0] in "rtm"


def _text(one: Any) -> str:
    """The kind of a dropped object, and its game or engine: its address differs."""
    game = one.game if isinstance(one, GameRunner) else one
    name = getattr(game, "id", getattr(one, "name", ""))
    return f"{type(one).__name__} {name}".strip()


def _short(what: Any) -> str:
    """Return what is left as far as it is texts: others have an address, which differs."""
    return " ".join(one for one in what if isinstance(one, str))
