"""The daemon as a tree of services, which `make_service` builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IListeningPort
from twisted.logger import Logger

from yoddd.daemon.administration import Administration
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.async_service import AsyncService, ServiceTree
from yoddd.daemon.base.process.logs import LogControl
from yoddd.daemon.base.process.systemd import notify
from yoddd.daemon.base.process.watchdog import Watchdog
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.composition import Composition, check, compose
from yoddd.daemon.configuration import (
    Configuration,
    SettingsError,
    Sources,
    changed,
    load,
    merge,
)
from yoddd.daemon.connections.wire import ANALYSIS
from yoddd.daemon.lifecycle import (
    AdminService,
    Closing,
    Drain,
    MemoryGuard,
    PoolService,
    ReadyService,
    StoreService,
    StoreWait,
)
from yoddd.daemon.net.listeners import (
    TLS,
    ClientFactory,
    ListenError,
    PortService,
    describe,
    describe_http,
)
from yoddd.daemon.net.tls import Certificate, CertificateError

if TYPE_CHECKING:  # its libraries are an extra, or take long to import
    from twisted.web.server import Site

    from yoddd.daemon.lobby.ledger import Ledger

_LOG: Final = Logger()


def reload(current: CurrentSettings, sources: Sources, certificates: Iterable[Certificate]) -> None:
    """Re-read everything and log what changes; if anything is invalid, nothing changes.

    Args:
        current: the settings in force, which are replaced.
        sources: the sources of the configuration.
        certificates: those of all ports.
    """
    notify("RELOADING=1")
    try:
        _replace(current, sources, certificates)
    except (SettingsError, ListenError, CertificateError) as error:
        _LOG.error("the old configuration stays: {error}", error=str(error))
    notify("READY=1")


def _replace(
    current: CurrentSettings, sources: Sources, certificates: Iterable[Certificate]
) -> None:
    loaded = load(sources)
    old, new = current.value, loaded.settings
    merged = merge(old, new)
    warn_of_keys(loaded)
    for name in changed(merged, new):
        _LOG.warn("{key} changes only with a restart", key=name, log_always=True)
    check(new)
    check(merged)
    files = [(one, one.read(merged)) for one in certificates]
    # Nothing fails from here on.
    current.value = merged
    for one, found in files:
        one.files = found
        if found is not None:
            _LOG.info("certificate reloaded")
    keys = ", ".join(changed(old, merged))
    _LOG.info("configuration reloaded: {keys}", keys=keys or "nothing new")


def warn_of_keys(configuration: Configuration) -> None:
    """Log the warnings of a configuration, whatever the level of the log."""
    for warning in configuration.warnings:
        _LOG.warn("{warning}", warning=warning, log_always=True)


Say = Callable[[str], None]


@attrs.define(eq=False, slots=False)
class Daemon(ServiceTree):
    """The root of the service tree, with the actions of signals.

    Attributes:
        drain: the wait for games at the stop.
        failed: fires with the exit status once the daemon has to stop by itself.
    """

    log = Logger()

    drain: Drain
    _world: World
    _settings: CurrentSettings
    _sources: Sources
    _certificate: Certificate
    failed: Deferred[int] = attrs.Factory(Deferred)

    @property
    def certificates(self) -> set[Certificate]:
        """The certificates of all ports, and the configured one."""
        ports = [one.certificate for one in self.services if isinstance(one, PortService)]
        return {one for one in (self._certificate, *ports) if one is not None}

    @property
    def expirations(self) -> dict[str, float]:
        """The expiry of each certificate in use, in seconds since 1970, by file."""
        files = [one.files for one in self.certificates if one.files is not None]
        return {one.name: one.ends.timestamp() for one in files}

    async def start(self) -> None:
        """Start all services, and warn of certificates that no client accepts."""
        await super().start()
        self._warn_of_certificates()

    def reload(self) -> None:
        """Re-read the configuration and the certificates."""
        reload(self._settings, self._sources, self.certificates)
        self._warn_of_certificates()

    def _warn_of_certificates(self) -> None:
        for one in self.certificates:
            problem = one.files and one.files.problem(self._world.calendar())
            if problem:
                self.log.warn("{problem}", problem=problem, log_always=True)

    @property
    def patience(self) -> float:
        """Seconds that games may last once it stops."""
        return self._settings.value.drain

    async def stop(self) -> None:
        """Let games finish for up to ``drain`` seconds, then close every connection and stop."""
        await super().stop()
        self.log.info("stopped")

    def fail(self, text: str) -> None:
        """Stop at once, for the reason ``text``; does nothing the second time."""
        if not self.failed.called:
            self.log.critical("{text}", text=text)
            self.drain.skip()
            self.failed.callback(1)


def make_service(
    world: World,
    current: CurrentSettings,
    say: Say,
    sources: Sources,
    logs: LogControl | None = None,
) -> Daemon:
    """Build a daemon; it listens once it is started.

    Args:
        world: the surroundings of the daemon.
        current: the settings, which a reload replaces.
        say: receives a line for each port that listens, and the lines of a ladder.
        sources: the sources of the configuration, which a reload re-reads.
        logs: the log, which counts the lines that it drops; None if the daemon does not control it.

    Raises:
        ListenError: the settings contradict each other, or a file or the store cannot be opened.
    """
    settings = current.value
    try:
        certificate = Certificate(settings)
    except CertificateError as error:
        raise ListenError(str(error)) from None
    built = compose(world, current, say)
    drain = Drain(built.services, built.games)
    daemon = Daemon(drain, world, current, sources, certificate)
    daemon.services += _children(built, logs, daemon, certificate, say)
    return daemon


def _children(
    built: Composition,
    logs: LogControl | None,
    daemon: Daemon,
    certificate: Certificate,
    say: Say,
) -> Iterator[AsyncService]:
    """Yield the children in the order of their start.

    They stop in the reverse order: the ports listen while games are drained, and searches and store
    run until the connections are closed.
    """
    services, games = built.services, built.games
    settings = services.settings.value  # of keys that need a restart
    drain = daemon.drain
    watchdog = Watchdog(services.reactor, settings.watchdog)
    if built.ledger is not None:
        from yoddd.daemon.lobby.housekeeping import DayClocks, Pruning, RevocationWatch

        yield _store_service(built, built.ledger, settings, daemon.fail, certificate)
        yield RevocationWatch(services.reactor, built.ledger.users, built.lobby)
        yield DayClocks(services.reactor, built.ledger.journal, built.lobby)
        yield Pruning(services.reactor, built.ledger.journal, services.settings)
    yield PoolService(services.pool)
    if settings.admin:
        commands = Administration(services.connections, games).commands
        yield AdminService(services.reactor, Path(settings.admin), commands)
    yield MemoryGuard(services.reactor, services, games.start_gate)
    yield watchdog
    yield Closing(services, drain)
    health = shown = None
    if settings.http:
        from yoddd.daemon.website import make_site

        shown, health = make_site(built, watchdog, logs, lambda: daemon.expirations)
    yield from _ports(built, settings, certificate, shown, say)
    yield drain
    if built.ladder is not None:
        yield built.ladder
    yield ReadyService(health, games.start_gate)


def _store_service(
    built: Composition,
    ledger: Ledger,
    settings: Settings,
    lost: Callable[[str], None],
    certificate: Certificate,
) -> StoreService:
    from yoddd.daemon.base.store.lock_watch import LockWatch

    world, journal = ledger.journal.world, ledger.journal
    state, reason, watch = "checking", "the pages of the store are read before it is served", None
    lock = world.lock_of(journal.url)
    if lock is not None:
        state, reason = "standby", "another daemon serves the store"
        watch = LockWatch(world, journal.url, lock)
    port = None
    if settings.http and "systemd:" not in settings.http:  # its socket can be taken over only once
        from yoddd.daemon.website import standby_site

        shown, current = standby_site(built, state), built.services.settings
        port = PortService(world.reactor, settings.http, shown, current, certificate)
    return StoreService(ledger, built.lobby, lost, StoreWait(state, reason, port), watch)


def _ports(
    built: Composition,
    settings: Settings,
    certificate: Certificate,
    http: Site | None,
    say: Say,
) -> Iterator[PortService]:
    reactor, services, current = built.services.reactor, built.services, built.services.settings
    sessions, analyses = ClientFactory(services), ClientFactory(services, ANALYSIS)
    listeners = [(text, sessions, "") for text in settings.listen]
    listeners += [(text, analyses, " for analysis") for text in settings.analysis]
    for text, clients, purpose in listeners:
        prefix = TLS if _is_tls(text) else ""

        def listening(port: IListeningPort, prefix: str = prefix, purpose: str = purpose) -> None:
            say(f"listening on {prefix}{describe(port)}{purpose}")

        yield PortService(reactor, text, clients, current, certificate, listening)
    if http is not None:
        secure = _is_tls(settings.http)
        yield PortService(
            reactor,
            settings.http,
            http,
            current,
            certificate,
            lambda port: say(f"listening on {describe_http(port, secure=secure)}"),
        )


def _is_tls(text: str) -> bool:
    return text.startswith((TLS, "ssl:"))
