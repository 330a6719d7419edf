"""The daemon as a service: it starts, reads its configuration anew, drains and stops."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.web.resource import Resource

import yoddd
from yoddd.daemon.administration import Administration
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.systemd import notify
from yoddd.daemon.base.watchdog import Watchdog
from yoddd.daemon.configuration import (
    Configuration,
    SettingsError,
    Sources,
    changes,
    load,
)
from yoddd.daemon.connections.hub import Hub, Rooms
from yoddd.daemon.connections.memory_guard import MemoryGuard
from yoddd.daemon.lobby import lobby
from yoddd.daemon.net.listeners import (
    TLS,
    ClientFactory,
    ListenError,
    client_endpoint,
    describe,
    describe_http,
    endpoint,
    listen_at,
)
from yoddd.daemon.net.tls import Certificate, CertificateError
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.monitoring import Health, Metrics
from yoddd.daemon.pages.run_pages import api
from yoddd.daemon.pages.site import site
from yoddd.daemon.play import match_requests as matches
from yoddd.daemon.runs.control import ControlPort
from yoddd.protocol.config import SessionConfig, SessionLimits, SessionServices
from yoddd.referee import ClockError, parse_clock
from yoddd.rules import Rules, RulesError, make_rules
from yoddd.store.errors import StoreError

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.fleet.lobby import FleetRoom
    from yoddd.daemon.lobby.ladder import Ladder
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow

TREE_MEMORY: Final = 64
"""MiB for the tree of one search; `yoddd.engine.shelf` limits how many trees are kept."""

_LOOK: Final = 0.05
"""Seconds between two looks at whether the last game has ended."""

_YOUNG: Final = (10_000, 20, 20)
"""The thresholds of the garbage collector: a session is some twenty objects that live long."""

Say = Callable[[str], None]


class Daemon(Service):
    """Everything that one daemon does, from its configuration.

    Attributes:
        hub: what all connections share.
        settings: as they are in force.
    """

    log = Logger()

    def __init__(
        self,
        reactor: Reactor,
        configuration: Configuration,
        say: Say,
        *,
        sources: Sources | None = None,
        logs: LogControl | None = None,
    ) -> None:
        """Prepare.

        Args:
            reactor: Twisted's.
            configuration: what to do.
            say: is told where we listen, a line each.
            sources: where the configuration comes from, to read it anew; None if it cannot be.
            logs: what the log's level is changed by.
        """
        self.settings = settings = configuration.settings
        config = SessionConfig(
            version=yoddd.__version__,
            limits=SessionLimits(memory=TREE_MEMORY, ponder=True),
            services=SessionServices(attach=True),
        )
        rooms = Rooms(reactor, settings.threads, settings.queue)
        self.hub = Hub(reactor, config, limits=settings.limits, rooms=rooms)
        self._reactor = reactor
        self._say = say
        self._sources = sources
        self._logs = logs
        self._ports: list[IListeningPort] = []
        self._admin: ControlPort | None = None
        self._watchdog = Watchdog(reactor, settings.watchdog)
        self._memory = MemoryGuard(self.hub)
        self._certificates: list[Certificate] = []
        self._certificate: Certificate | None = None
        self._origins = Origins(settings.origins)
        self._health = Health()
        self._hurried = False
        matches.offer(self.hub)
        ladder = self._read_ladder()
        self._check_fleet()
        # From here on nothing may fail: the store's threads would keep the process alive.
        self._ledger = self._open_ledger()
        self._lobby = lobby.offer(self.hub, self._ledger)
        self._link_port: IListeningPort | None = None
        self._room = self._open_room()
        self._ladder = self._open_ladder(ladder)
        for warning in configuration.warnings:
            self.log.warn("{warning}", warning=warning)  # noqa: G010 — Twisted's name

    # -- start --------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen everywhere.

        Raises:
            ListenError: it cannot be done somewhere.
        """
        settings = self.settings
        if self._room is not None:
            await self._join(self._room)
        elif self._ledger is not None:
            self._lobby.boards.restore(await self._load(self._ledger))
        self._certificate = self._read_certificate()
        clients = ClientFactory(self.hub)
        for text in settings.listen:
            port = await self._listen(text, clients)
            self._say(f"listening on {TLS if self._is_tls(text) else ''}{describe(port)}")
        if settings.http:
            port = await self._listen(settings.http, site(self.hub, self._origins, self._pages()))
            self._say(f"listening on {describe_http(port, secure=self._is_tls(settings.http))}")
        if settings.admin:
            self._admin = self._listen_to_admin(Path(settings.admin))
        if self._ladder is not None:
            self._ladder.start()
        self._watchdog.start()
        self._memory.start()
        _spare_collections()
        self._health.is_ready = True
        notify("READY=1")

    def _open_ledger(self) -> Ledger | None:
        settings = self.settings
        if not settings.store:
            if settings.login:
                raise ListenError("nobody could log in: `login` needs a `store`")
            return None
        try:
            from yoddd.daemon.lobby.rated import open_ledger  # noqa: PLC0415 — its libraries are an extra

            return open_ledger(self._reactor, self.hub, settings.store, login=settings.login)
        except ModuleNotFoundError as error:
            raise ListenError(f"store: {error}; install yoddd[store]") from None
        except StoreError as error:
            raise ListenError(f"store: {error}") from None

    @staticmethod
    async def _load(ledger: Ledger) -> Sequence[GameRow]:
        try:
            return await ledger.load()
        except StoreError as error:
            raise ListenError(f"store: {error}") from None

    def _check_fleet(self) -> None:
        settings = self.settings
        if settings.fleet.listen and not settings.store.startswith("postgres"):
            raise ListenError("a fleet needs a `store` in PostgreSQL")

    def _open_room(self) -> FleetRoom | None:
        if not self.settings.fleet.listen or self._ledger is None:
            return None
        from yoddd.daemon.fleet.lobby import FleetRoom  # noqa: PLC0415 — an extra

        return FleetRoom(self.hub, self._ledger, self._lobby, self.settings.fleet.lease)

    async def _join(self, room: FleetRoom) -> None:
        keys = self.settings.fleet
        where = endpoint(self._reactor, keys.listen, self.settings.limits.backlog)
        # Whoever connects there has to know a secret that is in the store.
        port = await listen_at(where, keys.listen, ClientFactory(room.hub), public=True)
        self._link_port = port
        try:
            await room.start(keys.address or client_endpoint(port))
        except StoreError as error:
            raise ListenError(f"store: {error}") from None

    def _read_ladder(self) -> tuple[Rules, str] | None:
        """What the ladder plays, and under which clock; None without one."""
        keys = self.settings.ladder
        if not keys.games:
            return None
        if not self.settings.store:
            raise ListenError("a ladder needs a `store`")
        try:
            return make_rules(keys.game, keys.board or None), str(parse_clock(keys.clock))
        except (RulesError, ClockError) as error:
            raise ListenError(f"ladder: {error}") from None

    def _open_ladder(self, played: tuple[Rules, str] | None) -> Ladder | None:
        if played is None or self._ledger is None:
            return None
        from yoddd.daemon.lobby.ladder import Ladder, LadderPlan  # noqa: PLC0415 — an extra

        plan = LadderPlan(*played, self.settings.ladder.games)
        return Ladder(self.hub, self._ledger, self._lobby.boards, plan)

    def _pages(self) -> dict[bytes, Resource]:
        runs = Path(self.settings.runs) if self.settings.runs else None
        shown = api(runs)
        for name, resource in (self._ledger.resources() if self._ledger else {}).items():
            shown.putChild(name, resource)
        return {
            b"api": shown,
            b"healthz": Health(is_ready=True),
            b"readyz": self._health,
            b"metrics": Metrics(self.hub, self._watchdog, lambda: self.settings.metrics.allow),
        }

    def _read_certificate(self) -> Certificate | None:
        tls = self.settings.tls
        if not tls.certificate:
            return None
        try:
            return Certificate(tls.certificate, tls.private_key or tls.certificate)
        except CertificateError as error:
            raise ListenError(str(error)) from None

    async def _listen(self, text: str, factory: IProtocolFactory) -> IListeningPort:
        where = endpoint(self._reactor, text, self.settings.limits.backlog, self._certificate)
        found = getattr(where, "certificate", None)
        if found is not None and found not in self._certificates:
            self._certificates.append(found)
        public = self.settings.public or self.hub.config.services.login_required
        port = await listen_at(where, text, factory, public=public)
        self._ports.append(port)
        return port

    def _listen_to_admin(self, path: Path) -> ControlPort:
        try:
            return ControlPort(self._reactor, path, Administration(self.hub).orders)
        except (OSError, CannotListenError) as error:
            raise ListenError(f"admin: {error}") from None

    @staticmethod
    def _is_tls(text: str) -> bool:
        return text.startswith((TLS, "ssl:"))

    # -- reload -------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read certificates and configuration anew; what is not in order changes nothing."""
        notify("RELOADING=1")
        for certificate in self._certificates:
            try:
                certificate.reload()
                self.log.info("certificate read anew")
            except CertificateError as error:
                self._complain("the old certificate stays", error)
        if self._sources is not None:
            try:
                self._take_over(load(self._sources))
            except SettingsError as error:
                self._complain("the old configuration stays", error)
        notify("READY=1")

    def _complain(self, text: str, error: Exception) -> None:
        self.log.error("{text}: {error}", text=text, error=str(error))

    def _take_over(self, configuration: Configuration) -> None:
        old, new = self.settings, configuration.settings
        live, fixed = changes(old, new)
        for name in fixed:
            self.log.warn("{key} changes only with a restart", key=name)  # noqa: G010 — as above
        limits = attrs.evolve(new.limits, backlog=old.limits.backlog)
        self.settings = attrs.evolve(
            old,
            origins=new.origins,
            drain=new.drain,
            limits=limits,
            metrics=new.metrics,
            log=attrs.evolve(old.log, level=new.log.level),
        )
        self.hub.set_limits(limits)
        self._origins.others = new.origins
        if self._logs is not None:
            self._logs.set_level(new.log.level)
        self.log.info("configuration read anew: {keys}", keys=", ".join(live) or "nothing new")

    # -- stop ---------------------------------------------------------------------------------

    def hurry(self) -> None:
        """Wait for no game any longer."""
        self._hurried = True

    async def stop(self) -> None:
        """Let games end, but not for longer than ``drain``; then part from everybody."""
        notify("STOPPING=1")
        hub = self.hub
        self._health.is_ready = False
        hub.pairing.close("the server is going down")
        if self._ladder is not None:
            self._ladder.stop()
        for port in self._ports:
            await maybeDeferred(port.stopListening)
        if self._is_busy():
            self.log.info("draining: games may last {seconds} s more", seconds=self.settings.drain)
            await self._wait(self.settings.drain, self._is_busy)
        hub.is_closing = True
        for peer in list(hub.peers.values()):
            peer.part("going down")
        await self._wait(hub.limits.close, lambda: bool(hub.peers))
        self._watchdog.stop()
        self._memory.stop()
        if self._admin is not None:
            await self._admin.close()
        if self._room is not None:
            await self._room.stop()
        if self._link_port is not None:
            await maybeDeferred(self._link_port.stopListening)
        hub.close()
        if self._ledger is not None:
            self._ledger.journal.close()
        self.log.info("stopped")

    def _is_busy(self) -> bool:
        hub = self.hub
        if not hub.peers:
            return False  # nobody is left who could play on
        # A rated game goes on after the restart.
        kept = {board.live for board in self._lobby.boards.rated}
        playing = any(game.state == "playing" and game not in kept for game in hub.live)
        return playing or hub.pool.is_needed

    async def _wait(self, seconds: float, needed: Callable[[], bool]) -> None:
        end = self._reactor.seconds() + seconds
        while needed() and not self._hurried and self._reactor.seconds() < end:
            await deferLater(self._reactor, _LOOK)

    # -- IService -----------------------------------------------------------------------------

    def startService(self) -> None:
        """Begin under a parent service, as with ``twist``."""
        super().startService()
        done = Deferred.fromCoroutine(self.start())
        done.addErrback(lambda failure: self._fail(failure.getErrorMessage()))

    def _fail(self, text: str) -> None:
        self.log.critical("{text}", text=text)
        self._reactor.stop()

    def stopService(self) -> Deferred[None]:
        """End; the reactor waits for it."""
        super().stopService()
        return Deferred.fromCoroutine(self.stop())


def _spare_collections() -> None:
    """Leave what the start has made out of every later garbage collection.

    With a store that is some hundred thousand objects, and looking at them all holds up the reactor
    for 60 ms each time; without them it is 7 ms with a thousand sessions and as many boards.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_YOUNG)
