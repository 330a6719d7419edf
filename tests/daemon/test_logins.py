"""Log-ins of browsers over HTTP, and a daemon that serves only those who have logged in."""

from __future__ import annotations

import base64
import http.client
import json
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from tests.daemon.conftest import PATIENCE, Daemon, serving
from tests.daemon.stores import TOKENS, make_store

pytestmark = [pytest.mark.process, pytest.mark.whole]

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@attrs.frozen
class Reply:
    status: int
    headers: Any
    values: Any

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": self.headers["Set-Cookie"].partition(";")[0]}


def send(daemon: Daemon, method: str, path: str, **headers: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", daemon.ports[0], timeout=PATIENCE)
    connection.request(method, path, headers=headers)
    reply = connection.getresponse()
    body = b"" if reply.status == http.client.SWITCHING_PROTOCOLS else reply.read()
    reply.close()
    connection.close()
    is_json = reply.headers["Content-Type"] == "application/json"
    return Reply(reply.status, reply.headers, json.loads(body) if is_json else body)


def basic(name: str, token: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{token}".encode()).decode()}


def log_in(daemon: Daemon, name: str = "ann", **headers: str) -> Reply:
    found = send(daemon, "POST", "/api/session", **basic(name, TOKENS[name]), **headers)
    assert found.status == http.client.OK
    return found


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that requires a log-in."""
    path = make_store(tmp_path_factory.mktemp("store") / "s")
    more = ("--set", "limits.failed_logins=1000", "--set", "limits.sessions=3")
    where = ("--http", "tcp:0:interface=127.0.0.1")
    with serving("--store", str(path), "--login", *where, *more) as daemon:
        yield daemon


def test_ticket_buys_no_cookie(closed: Daemon) -> None:
    ticket = log_in(closed).values["ticket"]
    reply = send(closed, "POST", "/api/session", **basic("ann", ticket))
    assert (reply.status, reply.headers["Set-Cookie"]) == (401, None)


@pytest.mark.gate
def test_new_login_ends_the_earlier_session_of_the_browser_and_its_pages(closed: Daemon) -> None:
    first = log_in(closed, "ann")
    page = closed.peer()
    assert page.ask(f"login ann {first.values['ticket']}") == "= "
    second = log_in(closed, "bob", **first.cookie)
    page.rest()  # it is closed
    page.close()
    assert send(closed, "GET", "/api/session", **first.cookie).values["user"] is None
    assert send(closed, "GET", "/api/session", **second.cookie).values["user"] == "bob"


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/games",
        "/%61pi/games",
        "/api/game/1",
        "/api/user/ann",
        "/api/ladder",
        "/api/runs",
        "/api/facts.json",
        "/api/openapi.json",
        "/api/session/x",
        "/api/nothing",
    ],
)
def test_api_is_closed_before_the_login(closed: Daemon, path: str) -> None:
    reply = send(closed, "GET", path)
    assert (reply.status, list(reply.values)) == (401, ["error"])
    assert send(closed, "GET", path, Cookie="yoddd=guess").status == 401
    assert send(closed, "GET", path, **basic("ann", "guess")).status == 401
    assert send(closed, "GET", path, **log_in(closed).cookie).status in (200, 404)
    assert send(closed, "GET", path, **basic("ann", TOKENS["ann"])).status in (200, 404)


@pytest.mark.parametrize(
    "path",
    [pytest.param("/ws", marks=pytest.mark.gate), "/ws/", "/ws/channels", "/ws/analysis"],
)
def test_websocket_is_closed_before_the_login(closed: Daemon, path: str) -> None:
    assert send(closed, "GET", path, **UPGRADE).status == 401
    opened = 404 if path == "/ws/" else 101
    assert send(closed, "GET", path, **UPGRADE, **log_in(closed).cookie).status == opened
    assert send(closed, "GET", path, **UPGRADE, **basic("bob", TOKENS["bob"])).status == opened


@pytest.mark.parametrize("path", ["/", "/index.html", "/healthz", "/readyz", "/api/session"])
def test_page_health_and_session_are_open(closed: Daemon, path: str) -> None:
    assert send(closed, "GET", path).status == http.client.OK
