"""Log-ins of browsers: cookies, tickets, other sites, failures, and the puzzles of accounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import attrs
import pytest

from tests.daemon.memory import FAR, MemoryDaemon, Talk
from tests.daemon.pages.browser import Browser, Reply, basic
from tests.daemon.stores import TOKENS
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.pages.browser_sessions import WINDOW
from yoddd.store import accounts

EMPTY = {"accounts": True, "registration": False, "runs": False, "ladder": False}
LOGGED_OUT = {**EMPTY, "user": None, "ticket": None}


class Setup(Browser):
    """A browser of a daemon with a store."""

    def __init__(self, daemon: MemoryDaemon) -> None:
        self.daemon = daemon
        self.talk = Talk(daemon)
        self.users = cast("Users", daemon.services.session.services.accounts)
        super().__init__(daemon.web, FAR)

    def session(self, method: str = "GET", **headers: str) -> Reply:
        return self.get("/api/session", method=method, **headers)

    def register(self, name: str, **headers: str) -> Reply:
        return self.get(f"/api/session?register={name}", method="POST", **headers)

    def post(self, name: str, token: str, **headers: str) -> Reply:
        return self.session("POST", **basic(name, token), **headers)

    def log_in(self, name: str = "ann") -> tuple[str, str]:
        """The cookie and the ticket of a session."""
        reply = self.post(name, TOKENS[name])
        return reply.headers["set-cookie"].partition(";")[0], reply.values["ticket"]

    def solve(self, words: str, **headers: str) -> Reply:
        """Add to the puzzles of an account."""
        return self.get(f"/api/puzzles?{words}", method="POST", **headers)

    def puzzles(self, **headers: str) -> Any:
        return self.get("/api/puzzles", **headers).values["puzzles"]


@pytest.fixture
def world(daemons: Callable[..., MemoryDaemon]) -> Setup:
    limits = {"limits.failed_logins": 2, "limits.registrations": 2}
    return Setup(daemons({"store": "s.db", "origins": ["https://yodd.example"], **limits}))


def test_session_is_opened_by_a_token_and_closed(world: Setup) -> None:
    assert world.session().values == LOGGED_OUT
    cookie, ticket = world.log_in()
    logged_in = {**EMPTY, "user": "ann", "ticket": ticket}
    assert world.session(cookie=cookie).values == logged_in
    assert world.session("DELETE", cookie=cookie).values == LOGGED_OUT
    assert world.session(cookie=cookie).values == LOGGED_OUT


def test_registration_is_refused_unless_the_operator_allows_it(world: Setup) -> None:
    assert world.register("kim").status == 403
    settings = world.daemon.settings
    settings.value = attrs.evolve(settings.value, registration=True)
    reply = world.register("kim")
    assert (reply.status, reply.values["user"]) == (200, "kim")
    cookie = reply.headers["set-cookie"].partition(";")[0]
    assert world.session(cookie=cookie).values["user"] == "kim"
    assert world.post("kim", reply.values["token"]).status == 200
    assert "token" not in world.post("kim", reply.values["token"]).values
    assert world.register("lea", origin="https://evil.example").status == 403
    assert [world.register(name).status for name in ("ANN", "no%20name")] == [409, 400]
    assert [world.register(name).status for name in ("a", "b")] == [200, 429]
    world.daemon.clock.advance(WINDOW)
    later = Setup(world.daemon)
    assert later.register("b").status == 200


def test_session_cookie_is_out_of_reach_of_scripts_and_other_sites(world: Setup) -> None:
    plain = world.post("ann", TOKENS["ann"]).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(plain.split("; "))
    assert "Secure" not in plain
    secure = world.post("ann", TOKENS["ann"], origin="https://yodd.example")
    assert "Secure" in secure.headers["set-cookie"].split("; ")


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_session_change_by_another_site_is_refused(world: Setup, method: str) -> None:
    cookie, _ = world.log_in()
    reply = world.session(method, origin="https://evil.example", cookie=cookie)
    assert (reply.status, "set-cookie" in reply.headers) == (403, False)
    assert world.session(cookie=cookie).values["user"] == "ann"


def test_session_too_many_wrong_tokens_are_refused(world: Setup) -> None:
    assert [world.post("ann", "guess").status for _ in range(3)] == [401, 401, 429]
    assert world.post("ann", TOKENS["ann"]).status == 200, "a valid one is always accepted"


@pytest.mark.parametrize("header", ["", "Bearer abc", "Basic !", "Basic YW5u", "Basic /w=="])
def test_session_without_credentials_is_refused(world: Setup, header: str) -> None:
    assert world.session("POST", authorization=header).status == 401


def test_session_while_the_store_is_away_is_refused(world: Setup) -> None:
    cookie, _ = world.log_in()
    world.daemon.journal.is_away = True
    assert world.session(cookie=cookie).status == 503


def test_ticket_logs_pages_in_beside_each_other(world: Setup) -> None:
    talk = world.talk
    _, talk.words["ticket"] = world.log_in()
    talk("engine: login ann token-of-ann", "=")
    talk("one: login ann $ticket", "=", "two: login ann $ticket", "=")
    for peer in list(talk.peers.values()):
        assert not peer.is_closed()
        assert world.users.is_here("ann")
        peer.protocol.connectionLost()
    assert not world.users.is_here("ann")


def test_log_out_ends_the_pages_of_the_browser_alone(world: Setup) -> None:
    talk = world.talk
    (cookie, talk.words["ticket"]), (_, talk.words["other"]) = world.log_in(), world.log_in()
    talk("page: login ann $ticket", "=", "elsewhere: login ann $other", "=")
    world.session("DELETE", cookie=cookie)
    assert talk.peers["page"].is_closed()
    assert not talk.peers["elsewhere"].is_closed()


def test_revoked_tokens_end_the_sessions(world: Setup) -> None:
    cookie, world.talk.words["ticket"] = world.log_in()
    world.talk("page: login ann $ticket", "=")
    world.daemon.journal.store.transact(lambda c: accounts.revoke_tokens(c, "ann", "2026-11-21"))
    assert world.session(cookie=cookie).values == LOGGED_OUT
    assert not world.talk.peers["page"].is_closed()
    world.session("DELETE", cookie=cookie)
    assert world.talk.peers["page"].is_closed()


def test_tickets_are_forgotten_with_their_sockets(world: Setup) -> None:
    for number in range(5):
        _, world.talk.words["ticket"] = world.log_in()
        world.talk(f"page{number}: login ann $ticket", "=")
        world.talk.peers[f"page{number}"].protocol.connectionLost()
    assert len(world.users._grants) == 1


# -- puzzles ------------------------------------------------------------------------------------


UNSOLVED: dict[str, Any] = {"solved": {}}


def test_puzzles_solved_on_two_devices_are_those_of_the_account(world: Setup) -> None:
    (first, _), (second, _) = world.log_in(), world.log_in()
    assert world.puzzles(cookie=first) == UNSOLVED
    words = "rating=1020.5&day=20800&days=3&most_days=5&most_run=4"
    reply = world.solve(f"{words}&later=yodd-hex3-0", cookie=first)
    assert (reply.status, reply.values["puzzles"]["most_run"]) == (200, 4)
    words = "rating=990&day=20799&days=9&most_days=9&most_storm=7&first=yodd-hex3-0,yodd-hex3-1"
    world.solve(words, cookie=second)
    expected = {
        "rating": 990.0,
        "day": 20800,
        "days": 3,
        "most_days": 9,
        "most_run": 4,
        "most_storm": 7,
        "solved": {"yodd-hex3-0": True, "yodd-hex3-1": True},
    }
    assert world.puzzles(cookie=first) == expected
    assert world.puzzles(cookie=world.log_in("bob")[0]) == UNSOLVED


def test_puzzles_without_a_log_in_or_of_other_sites_are_not_kept(world: Setup) -> None:
    assert world.puzzles() is None
    assert world.solve("rating=1000").status == 401
    words = {"cookie": world.log_in()[0], "origin": "https://else.example"}
    assert world.solve("rating=1000", **words).status == 403


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
    reply = world.solve(words, cookie=cookie)
    assert reply.status == 400
    assert world.puzzles(cookie=cookie) == UNSOLVED
