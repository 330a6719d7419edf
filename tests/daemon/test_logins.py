"""A daemon that serves only those who have logged in, over HTTP, WebSockets, and lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.daemon.memory import FAR, Browser, MemoryDaemon
from tests.daemon.pages.browser import UPGRADE, Reply, basic
from tests.daemon.stores import TOKENS

pytestmark = pytest.mark.gate

API = "/api /api/ /api/games /%61pi/games /api/game/1 /api/user/ann /api/ladder /api/runs"
MORE = "/api/facts.json /api/openapi.json /api/session/x /api/nothing"


@pytest.fixture
def closed(daemons: Callable[..., MemoryDaemon]) -> MemoryDaemon:
    limits = {"limits.failed_logins": 1000, "limits.per_address": 1000}
    return daemons({"store": "games.db", "login": True, **limits})


def send(daemon: MemoryDaemon, path: str, method: str = "GET", **headers: str) -> Reply:
    return Browser(daemon.web, FAR).get(path, method=method, **headers)


def log_in(daemon: MemoryDaemon, name: str = "ann", **headers: str) -> tuple[dict[str, str], str]:
    """The cookie and the ticket of a session."""
    reply = send(daemon, "/api/session", "POST", **basic(name, TOKENS[name]), **headers)
    return {"cookie": reply.headers["set-cookie"].partition(";")[0]}, reply.values["ticket"]


def test_lines_before_the_login_are_refused(closed: MemoryDaemon) -> None:
    peer = closed.peer()
    assert peer.ask("games") == "? login required: games\n\n"
    assert closed.peer().ask("attach x") == "? login required: attach needs a token\n\n"
    assert peer.ask(f"login ann {TOKENS['ann']}") == "= \n\n"
    assert peer.ask("games") == "= \n\n"


@pytest.mark.parametrize("path", [*API.split(), *MORE.split()])
def test_api_is_closed_before_the_login(closed: MemoryDaemon, path: str) -> None:
    for headers in ({}, {"cookie": "yoddd=guess"}, basic("ann", "guess")):
        reply = send(closed, path, **headers)
        assert (reply.status, list(reply.values)) == (401, ["error"])
    for headers in (log_in(closed)[0], basic("ann", TOKENS["ann"])):
        assert send(closed, path, **headers).status in (200, 404)


@pytest.mark.parametrize(
    ("path", "opened"), [("/ws", 101), ("/ws/", 404), ("/ws/channels", 101), ("/ws/analysis", 101)]
)
def test_websocket_is_closed_before_the_login(closed: MemoryDaemon, path: str, opened: int) -> None:
    assert send(closed, path, **UPGRADE).status == 401
    for headers in (log_in(closed)[0], basic("bob", TOKENS["bob"])):
        assert send(closed, path, **UPGRADE, **headers).status == opened


@pytest.mark.parametrize("path", ["/", "/index.html", "/healthz", "/readyz", "/api/session"])
def test_page_health_and_session_are_open(closed: MemoryDaemon, path: str) -> None:
    assert send(closed, path).status == 200


def test_ticket_buys_no_cookie(closed: MemoryDaemon) -> None:
    _, ticket = log_in(closed)
    reply = send(closed, "/api/session", "POST", **basic("ann", ticket))
    assert (reply.status, "set-cookie" in reply.headers) == (401, False)


def test_new_login_ends_the_earlier_session_of_the_browser_and_its_pages(
    closed: MemoryDaemon,
) -> None:
    cookie, ticket = log_in(closed)
    page = closed.peer()
    assert page.ask(f"login ann {ticket}") == "= \n\n"
    other, _ = log_in(closed, "bob", **cookie)
    assert page.is_closed()
    assert send(closed, "/api/session", **cookie).values["user"] is None
    assert send(closed, "/api/session", **other).values["user"] == "bob"
