"""The paths beside a resource: no variant of a path is answered as the path itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from twisted.internet.testing import MemoryReactorClock
from twisted.web.resource import Resource
from twisted.web.server import Site

from tests.daemon.leaks import LoggedErrors
from tests.daemon.pages.browser import Browser
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.configuration import Sources
from yoddd.daemon.net.listeners import PortService
from yoddd.daemon.net.websocket.transport import WebSocketEndpoint
from yoddd.daemon.pages.api import QueryResource
from yoddd.daemon.pages.feed import Feeds
from yoddd.daemon.pages.run_pages import RunsResource
from yoddd.daemon.service import make_service

VARIANTS = (
    *("{0}/", "{0}/x", "{0}/x/y", "{0}//", "{0}%2f", "{0}%2Fx", "{0};x", "{0}%00", "{0}%20"),
    *("/{0}", "//{0}", "/.{0}", "/x/..{0}", "{0}/.", "{0}/..", "{0}.", "{0}%3Fx", "\\{0}"),
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The whole site of a daemon that has everything and does not listen."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "runs").mkdir()
    settings = Settings(
        listen=(), store=str(folder / "games.db"), registration=True, runs=str(folder / "runs")
    )
    current, reactor = CurrentSettings(settings), cast("Reactor", MemoryReactorClock())
    daemon = make_service(World(reactor), current, print, Sources())
    (port,) = (one for one in daemon.services if isinstance(one, PortService))
    found = port._factory
    assert isinstance(found, Site)
    return found


def walk(resource: Resource, path: str = "") -> Iterator[tuple[str, Resource]]:
    """Yield every resource with its path."""
    for name, child in resource.children.items():
        if name:
            yield f"{path}/{name.decode()}", child
            yield from walk(child, f"{path}/{name.decode()}")


def test_site_answers_no_variant_of_a_path(shown: Site, logged_errors: LoggedErrors) -> None:
    found = dict(walk(shown.resource))
    assert {"/metrics", "/healthz", "/readyz", "/ws", "/ws/channels", "/api/session"} <= set(found)
    assert {"/api/games", "/api/puzzles", "/index.html"} <= set(found)
    wrong = []
    for path, resource in found.items():
        has_names = isinstance(resource, QueryResource) and not resource.isLeaf
        # What is below it names one, or none.
        if has_names or isinstance(resource, RunsResource | Feeds):
            continue
        folder = bool(resource.children) and not isinstance(resource, WebSocketEndpoint)
        for variant in (*(one.format(path) for one in VARIANTS), path.upper()):
            if folder and variant == f"{path}/":
                continue
            status = Browser(shown).get(variant).status
            if status != 404:
                wrong.append((variant, status))
    assert wrong == []
    assert logged_errors.failures == []


def test_site_answers_a_path_whose_letters_are_encoded(shown: Site) -> None:
    assert Browser(shown).get("/%68ealthz").status == Browser(shown).get("/healthz").status == 200
    assert Browser(shown, "198.51.100.7").get("/%6detrics").status == 403
