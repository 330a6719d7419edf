"""The resources of a daemon's HTTP port; only a daemon that has one imports them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from twisted.logger import Logger
from twisted.web.resource import Resource
from twisted.web.server import Site

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.logs import LogControl
from yoddd.daemon.base.store_probe import StoreProbe
from yoddd.daemon.base.watchdog import Watchdog
from yoddd.daemon.composition import Composition
from yoddd.daemon.net.listeners import interface_of
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.monitoring import DaemonCollector, Health, Metrics, StandbyRoot
from yoddd.daemon.pages.run_pages import Runs, api
from yoddd.daemon.pages.site import UnloggedSite, site

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger

_LOG: Final = Logger()

_NO_ENGINE: Final = (
    "the web board has no engine that runs in the browser: "
    "run `make wasm` in the source folder, and install yoddd again"
)


def make_health(built: Composition) -> Health:
    """Return the resource of ``/readyz``."""
    if built.ledger is None:
        return Health()
    return Health(StoreProbe(built.services.reactor, built.ledger.journal).ask)


def standby_site(built: Composition, state: str) -> Site:
    """Return the site of a daemon that waits for its store, in a state."""
    return UnloggedSite(built.services, _origins(built), StandbyRoot(state))


def make_site(
    built: Composition, health: Health, watchdog: Watchdog, logs: LogControl | None
) -> Site:
    """Return the site of a daemon, with its metrics."""
    services, settings, origins = built.services, built.services.settings.value, _origins(built)
    pages = _pages(built, health, origins)
    counts = DaemonCollector(
        services, built.games, watchdog, lambda: 0 if logs is None else logs.lines.dropped
    )
    pages[b"metrics"] = Metrics(counts)
    if not shipped_engine().worker:
        _LOG.warn("{text}", text=_NO_ENGINE)
    guard = None
    if settings.login and built.ledger is not None:
        from yoddd.daemon.pages.login_wall import LoginWall

        guard = partial(LoginWall.guard, built.ledger.journal, built.ledger.users)
    return site(services, origins, pages, guard)


def _origins(built: Composition) -> Origins:
    settings = built.services.settings
    return Origins(settings, (interface_of(settings.value.http),))


def _pages(built: Composition, health: Health, origins: Origins) -> dict[bytes, Resource]:
    current = built.services.settings
    folder = current.value.runs
    runs = Runs(Path(folder)) if folder else None
    shown = api(built.games.world, runs, lambda: current.value.cors)
    if built.ledger:
        stored = _stored(built.ledger, origins, current, runs)
        for name, resource in stored.items():
            shown.putChild(name, resource)
    return {b"api": shown, b"healthz": Health(is_ready=True), b"readyz": health}


def _stored(
    ledger: Ledger,
    origins: Origins,
    settings: CurrentSettings,
    runs: Runs | None,
) -> dict[bytes, Resource]:
    """The resources below ``/api`` that need the store."""
    from yoddd.daemon.pages.api import resources
    from yoddd.daemon.pages.browser_sessions import PuzzleResource, SessionResource

    journal = ledger.journal
    session = SessionResource(journal, ledger.users, origins, settings, runs)
    solved = PuzzleResource(journal, origins)
    return {**resources(journal), b"session": session, b"puzzles": solved}
