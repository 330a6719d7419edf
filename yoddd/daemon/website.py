"""The resources of a daemon's HTTP port; only a daemon that has one imports them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from twisted.logger import Logger
from twisted.web.resource import Resource
from twisted.web.server import Site

from yoddd.daemon.base.process.logs import LogControl
from yoddd.daemon.base.process.watchdog import Watchdog
from yoddd.daemon.composition import Composition
from yoddd.daemon.net.listeners import interface_of
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.json_resource import NOT_FOUND
from yoddd.daemon.pages.monitoring import DaemonCollector, Health, Metrics, StandbyRoot, StoreProbe
from yoddd.daemon.pages.run_pages import Runs, api
from yoddd.daemon.pages.site import UnloggedSite, site

_LOG: Final = Logger()

_NO_ENGINE: Final = (
    "the page has no engine that runs in the browser: "
    "run `make wasm` in the source folder, and install yoddd again"
)


def standby_site(built: Composition, state: str) -> Site:
    """Return the site of a daemon that waits for its store, in a state."""
    services, settings = built.services, built.services.settings
    origins = Origins(settings, (interface_of(settings.value.http),))
    return UnloggedSite(services, origins, StandbyRoot(state))


def make_site(
    built: Composition,
    watchdog: Watchdog,
    logs: LogControl | None,
    expirations: Callable[[], Mapping[str, float]],
) -> tuple[Site, Health]:
    """Return the site of a daemon, and its resource ``/readyz``; see `DaemonCollector`."""
    services, ledger = built.services, built.ledger
    current, settings = services.settings, services.settings.value
    origins = Origins(current, (interface_of(settings.http),))
    runs = Runs(Path(settings.runs)) if settings.runs else None
    below = api(built.games.world, runs, lambda: current.value.cors)
    guard, health = None, Health()
    feeds: Resource = NOT_FOUND
    if ledger is not None:
        from yoddd.daemon.pages.api import resources
        from yoddd.daemon.pages.browser_sessions import (
            LoginWall,
            PuzzleResource,
            SessionResource,
        )
        from yoddd.daemon.pages.feed import FeedResource, Feeds

        journal, users = ledger.journal, ledger.users
        for name, resource in resources(journal).items():
            below.putChild(name, resource)
        below.putChild(b"session", SessionResource(journal, users, origins, current, runs))
        below.putChild(b"puzzles", PuzzleResource(journal, origins))
        below.putChild(b"feed", FeedResource(journal, origins))
        feeds = Feeds(journal, built.lobby.awaited)
        health = Health(StoreProbe(services.reactor, journal).probe)
        if settings.login:
            guard = partial(LoginWall.guard, journal, users)
    counts = DaemonCollector(
        services,
        built.games,
        watchdog,
        lambda: 0 if logs is None else logs.lines.dropped,
        expirations,
        lambda: 0 if ledger is None else ledger.journal.failed_reads,
    )
    pages: dict[bytes, Resource] = {b"api": below, b"feed": feeds}
    pages |= {b"healthz": Health(is_ready=True), b"readyz": health, b"metrics": Metrics(counts)}
    if not shipped_engine().worker:
        _LOG.warn("{text}", text=_NO_ENGINE)
    return site(services, origins, pages, guard), health
