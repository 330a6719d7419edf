"""The resources of a daemon's HTTP port; only a daemon that has one imports them.

Where a log-in is required, the files of the board are open, because the page of the log-in is one
of them, and so are the resources of health and of the session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from twisted.logger import Logger
from twisted.web.http import UNAUTHORIZED
from twisted.web.resource import IResource, Resource
from twisted.web.server import Request, Site

from yoddd.daemon.base.admission.admission import host_of
from yoddd.daemon.base.process.logs import LogControl
from yoddd.daemon.base.process.watchdog import Watchdog
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.composition import Composition
from yoddd.daemon.net.listeners import interface_of
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.browser_sessions import Tokens, account_of, credentials_of
from yoddd.daemon.pages.monitoring import DaemonCollector, Health, Metrics, StandbyRoot, StoreProbe
from yoddd.daemon.pages.paced_resource import PacedResource
from yoddd.daemon.pages.parameters import ApiError
from yoddd.daemon.pages.run_pages import Runs, api
from yoddd.daemon.pages.site import UnloggedSite, site

_CLOSED: Final = (b"api", b"ws")
_SESSION: Final = (b"api", b"session")


class LoginWall(PacedResource):
    """A resource for requests with the cookie of a session, or the name and token of an account."""

    isLeaf = True

    def __init__(self, journal: Journal, tokens: Tokens, behind: IResource) -> None:
        """Create it.

        Args:
            journal: the store of the sessions.
            tokens: checks the tokens of accounts.
            behind: the resource that it lets them have.
        """
        super().__init__()
        self._journal = journal
        self._tokens = tokens
        self._behind = behind

    @classmethod
    def guard(
        cls, journal: Journal, tokens: Tokens, path: Sequence[bytes], resource: IResource
    ) -> IResource:
        """Return the resource of a request for ``path``, which checks the log-in first."""
        is_open = path[0] not in _CLOSED or tuple(path) == _SESSION
        return resource if is_open else cls(journal, tokens, resource)

    def render(self, request: Request) -> int:
        """Render the resource behind once the log-in is found."""
        return self.pace(request, lambda: self._check(request))

    async def write(self, request: Request, found: None) -> None:
        """Render the resource behind."""
        del found
        request.render(self._behind)

    async def _check(self, request: Request) -> None:
        """Check the log-in of a request.

        Raises:
            ApiError: it has none.
            PeerError: its name or token is wrong.
            StoreError: the store fails.
        """
        if await account_of(self._journal, request) is not None:
            return
        if request.getHeader(b"authorization") is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        name, token = credentials_of(request)
        await self._tokens.check_token(host_of(request.getClientAddress()), name, token)


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
    feeds: Mapping[bytes, Resource] = {}
    if ledger is not None:
        from yoddd.daemon.pages.api import resources
        from yoddd.daemon.pages.browser_sessions import PuzzleResource, SessionResource
        from yoddd.daemon.pages.feed import FeedResource, Feeds
        from yoddd.daemon.website import LoginWall

        journal, users = ledger.journal, ledger.users
        for name, resource in resources(journal).items():
            below.putChild(name, resource)
        below.putChild(b"session", SessionResource(journal, users, origins, current, runs))
        below.putChild(b"puzzles", PuzzleResource(journal, origins))
        below.putChild(b"feed", FeedResource(journal, origins))
        feeds = {b"feed": Feeds(journal, built.lobby.awaited)}
        health = Health(StoreProbe(services.reactor, journal).ask)
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
    pages = {b"api": below, b"healthz": Health(is_ready=True), b"readyz": health}
    if not shipped_engine().worker:
        _LOG.warn("{text}", text=_NO_ENGINE)
    return site(services, origins, {**pages, **feeds, b"metrics": Metrics(counts)}, guard), health
