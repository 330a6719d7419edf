"""Log-ins of browsers: cookies, tickets, other sites, failures, and the puzzles of accounts."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.task import Clock

from tests.daemon.fake_time import world_of
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.pages.browser import Browser, Reply, basic
from tests.daemon.stores import TOKENS
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.browser_sessions import WINDOW, PuzzleResource, SessionResource
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
        self.puzzles = Browser(PuzzleResource(stored, origins))

    def register(self, name: str, **headers: str) -> Reply:
        return self.browser.get(f"/?register={name}", method="POST", **headers)

    def post(self, name: str, token: str, **headers: str) -> Reply:
        return self.browser.get("/", method="POST", **basic(name, token), **headers)

    def log_in(self, name: str = "ann") -> tuple[str, str]:
        """The cookie and the ticket of a session."""
        reply = self.post(name, TOKENS[name])
        return reply.headers["set-cookie"].partition(";")[0], reply.values["ticket"]

    def wire(self, connection: FakeConnection, ticket: str) -> object:
        """The answer to a log-in over the wire."""
        answers: list[object] = []
        self.users.log_in(connection, "ann", ticket, answers.append)
        return answers[0]


@pytest.fixture
def world(journal: DirectJournal) -> Setup:
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
    assert world.users.names == {"ann"}
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


# -- puzzles ------------------------------------------------------------------------------------


UNSOLVED: dict[str, Any] = {"solved": {}}


def test_puzzles_solved_on_two_devices_are_those_of_the_account(world: Setup) -> None:
    (first, _), (second, _) = world.log_in(), world.log_in()
    assert world.puzzles.get("/", cookie=first).values == {"puzzles": UNSOLVED}
    words = "rating=1020.5&day=20800&days=3&most_days=5&most_run=4"
    reply = world.puzzles.get(f"/?{words}&later=yodd-hex3-0", method="POST", cookie=first)
    assert (reply.status, reply.values["puzzles"]["most_run"]) == (200, 4)
    words = "rating=990&day=20799&days=9&most_days=9&most_storm=7&first=yodd-hex3-0,yodd-hex3-1"
    world.puzzles.get(f"/?{words}", method="POST", cookie=second)
    expected = {
        "rating": 990.0,
        "day": 20800,
        "days": 3,
        "most_days": 9,
        "most_run": 4,
        "most_storm": 7,
        "solved": {"yodd-hex3-0": True, "yodd-hex3-1": True},
    }
    assert world.puzzles.get("/", cookie=first).values == {"puzzles": expected}
    assert world.puzzles.get("/", cookie=world.log_in("bob")[0]).values == {"puzzles": UNSOLVED}


def test_puzzles_without_a_log_in_or_of_other_sites_are_not_kept(world: Setup) -> None:
    assert world.puzzles.get("/").values == {"puzzles": None}
    assert world.puzzles.get("/?rating=1000", method="POST").status == 401
    words = {"cookie": world.log_in()[0], "origin": "https://else.example"}
    assert world.puzzles.get("/?rating=1000", method="POST", **words).status == 403


@pytest.mark.parametrize(
    "words",
    [
        "",
        "rating=nan",
        "rating=1e9",
        "rating=1000&day=-1",
        "rating=1000&first=none",
        f"rating=1000&first={','.join(['yodd-hex3-0'] * 101)}",
        "rating=1000&solved=yodd-hex3-0",
    ],
)
def test_puzzles_that_are_malformed_are_refused(world: Setup, words: str) -> None:
    cookie = world.log_in()[0]
    reply = world.puzzles.get(f"/?{words}", method="POST", cookie=cookie)
    assert reply.status == 400
    assert world.puzzles.get("/", cookie=cookie).values == {"puzzles": UNSOLVED}
