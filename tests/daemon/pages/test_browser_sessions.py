"""Log-ins of browsers: cookies, tickets, other sites, and failures."""

from __future__ import annotations

import base64
from typing import Any, cast

import attrs
import pytest
from twisted.internet.task import Clock

from tests.daemon.fake_time import world_of
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.pages.browser import Browser, Reply
from tests.daemon.stores import TOKENS
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.browser_sessions import WINDOW, SessionResource
from yoddd.store import accounts

EMPTY = {"accounts": True, "registration": False, "runs": False, "ladder": False}
LOGGED_OUT = {**EMPTY, "user": None, "ticket": None}


class Setup:
    """The resource of the sessions over a real store."""

    def __init__(self, journal: DirectJournal) -> None:
        self.journal = journal
        stored = cast("Any", journal)
        self.settings = CurrentSettings(
            Settings(
                origins=("https://yodd.example",), limits=Limits(failed_logins=2, registrations=2)
            )
        )
        self.clock = Clock()
        journal.world = world_of(self.clock)
        self.users = Users(stored, EngineRegistry(Clock().seconds), self.settings)
        origins = Origins(self.settings)
        self.browser = Browser(SessionResource(stored, self.users, origins, self.settings))

    def register(self, name: str, **headers: str) -> Reply:
        return self.browser.get(f"/?register={name}", method="POST", **headers)

    def post(self, name: str, token: str, **headers: str) -> Reply:
        words = base64.b64encode(f"{name}:{token}".encode()).decode()
        return self.browser.get("/", method="POST", authorization=f"Basic {words}", **headers)

    def log_in(self) -> tuple[str, str]:
        """The cookie and the ticket of ann's session."""
        reply = self.post("ann", TOKENS["ann"])
        return reply.headers["set-cookie"].partition(";")[0], reply.values["ticket"]

    def wire(self, connection: FakeConnection, ticket: str) -> object:
        """The answer to a log-in over the wire."""
        answers: list[object] = []
        self.users.log_in(connection, "ann", ticket, answers.append)
        return answers[0]


@pytest.fixture
def world(journal: DirectJournal) -> Setup:
    # The journals of the tests browse as they read.
    return Setup(journal)


def test_session_is_opened_by_a_token_and_closed(world: Setup) -> None:
    assert world.browser.get("/").values == LOGGED_OUT
    cookie, ticket = world.log_in()
    logged_in = {**EMPTY, "user": "ann", "ticket": ticket}
    assert world.browser.get("/", cookie=cookie).values == logged_in
    assert world.browser.get("/", method="DELETE", cookie=cookie).values == LOGGED_OUT
    assert world.browser.get("/", cookie=cookie).values == LOGGED_OUT


def test_registration_is_refused_unless_the_operator_allows_it(world: Setup) -> None:
    assert world.register("kim").status == 403
    world.settings.value = attrs.evolve(world.settings.value, registration=True)
    reply = world.register("kim")
    assert (reply.status, reply.values["user"]) == (200, "kim")
    cookie = reply.headers["set-cookie"].partition(";")[0]
    assert world.browser.get("/", cookie=cookie).values["user"] == "kim"
    assert world.post("kim", reply.values["token"]).status == 200
    assert "token" not in world.post("kim", reply.values["token"]).values
    assert world.register("lea", origin="https://evil.example").status == 403
    assert [world.register(name).status for name in ("ANN", "no%20name")] == [409, 400]
    assert [world.register(name).status for name in ("a", "b")] == [200, 429]
    world.clock.advance(WINDOW)
    assert world.register("b").status == 200


def test_session_cookie_is_out_of_reach_of_scripts_and_other_sites(world: Setup) -> None:
    plain = world.post("ann", TOKENS["ann"]).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(plain.split("; "))
    assert "Secure" not in plain
    secure = world.post("ann", TOKENS["ann"], origin="https://yodd.example")
    assert "Secure" in secure.headers["set-cookie"].split("; ")


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_session_change_by_another_site_is_refused(world: Setup, method: str) -> None:
    cookie, _ = world.log_in()
    reply = world.browser.get("/", method=method, origin="https://evil.example", cookie=cookie)
    assert (reply.status, "set-cookie" in reply.headers) == (403, False)
    assert world.browser.get("/", cookie=cookie).values["user"] == "ann"


def test_session_too_many_wrong_tokens_are_refused(world: Setup) -> None:
    assert [world.post("ann", "guess").status for _ in range(3)] == [401, 401, 429]
    assert world.post("ann", TOKENS["ann"]).status == 200, "a valid one is always accepted"


@pytest.mark.parametrize("header", ["", "Bearer abc", "Basic !", "Basic YW5u", "Basic /w=="])
def test_session_without_credentials_is_refused(world: Setup, header: str) -> None:
    assert world.browser.get("/", method="POST", authorization=header).status == 401


def test_session_while_the_store_is_away_is_refused(world: Setup) -> None:
    cookie, _ = world.log_in()
    world.journal.is_away = True
    assert world.browser.get("/", cookie=cookie).status == 503


def test_ticket_logs_pages_in_beside_each_other(world: Setup) -> None:
    _, ticket = world.log_in()
    one, two, engine = FakeConnection(), FakeConnection(), FakeConnection()
    assert world.wire(engine, TOKENS["ann"]) == "ann"
    assert [world.wire(page, ticket) for page in (one, two)] == ["ann", "ann"]
    assert one.reasons == two.reasons == engine.reasons == []
    assert world.users.who() == ["ann person"]
    for connection in (engine, one, two):
        assert world.users.is_here("ann")
        connection.lose()
    assert not world.users.is_here("ann")


def test_log_out_ends_the_pages_of_the_browser_alone(world: Setup) -> None:
    (cookie, ticket), (_, other) = world.log_in(), world.log_in()
    page, elsewhere = FakeConnection(), FakeConnection()
    world.wire(page, ticket)
    world.wire(elsewhere, other)
    world.browser.get("/", method="DELETE", cookie=cookie)
    assert page.reasons
    assert not elsewhere.reasons


def test_revoked_tokens_end_the_sessions(world: Setup) -> None:
    cookie, ticket = world.log_in()
    page = FakeConnection()
    world.wire(page, ticket)
    world.journal.store.transact(lambda c: accounts.revoke_tokens(c, "ann", "2026-11-21"))
    assert world.browser.get("/", cookie=cookie).values == LOGGED_OUT
    assert world.users.is_here("ann")
    world.browser.get("/", method="DELETE", cookie=cookie)
    assert page.reasons


def test_tickets_are_forgotten_with_their_sockets(world: Setup) -> None:
    for _ in range(5):
        _, ticket = world.log_in()
        page = FakeConnection()
        world.wire(page, ticket)
        page.lose()
    assert len(world.users._grants) == 1
