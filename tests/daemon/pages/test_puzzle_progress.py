"""The puzzles that the users of accounts have solved, over HTTP and a real store."""

from __future__ import annotations

import base64
from typing import Any, cast

import pytest
from twisted.internet.task import Clock
from twisted.web.resource import Resource

from tests.daemon.lobby.journals import DirectJournal
from tests.daemon.pages.browser import Browser
from tests.daemon.stores import TOKENS
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.browser_sessions import PuzzleResource, SessionResource

EMPTY: dict[str, Any] = {"solved": {}}


@pytest.fixture
def browser(journal: DirectJournal) -> Browser:
    stored = cast("Any", journal)
    settings = CurrentSettings(Settings(origins=("https://yodd.example",)))
    origins = Origins(settings)
    users = Users(stored, EngineRegistry(Clock().seconds), settings)
    root = Resource()
    session = SessionResource(stored, users, origins, settings)
    root.putChild(b"session", session)
    root.putChild(b"puzzles", PuzzleResource(stored, origins))
    return Browser(root)


def log_in(browser: Browser, name: str) -> str:
    """The cookie of a session."""
    words = base64.b64encode(f"{name}:{TOKENS[name]}".encode()).decode()
    reply = browser.get("/session", method="POST", authorization=f"Basic {words}")
    return reply.headers["set-cookie"].partition(";")[0]


def test_puzzles_solved_on_two_devices_are_those_of_the_account(browser: Browser) -> None:
    first, second = log_in(browser, "ann"), log_in(browser, "ann")
    assert browser.get("/puzzles", cookie=first).values == {"puzzles": EMPTY}
    words = "rating=1020.5&day=20800&days=3&most_days=5&most_run=4"
    reply = browser.get(f"/puzzles?{words}&later=yodd-hex3-0", method="POST", cookie=first)
    assert (reply.status, reply.values["puzzles"]["most_run"]) == (200, 4)
    words = "rating=990&day=20799&days=9&most_days=9&most_storm=7&first=yodd-hex3-0,yodd-hex3-1"
    browser.get(f"/puzzles?{words}", method="POST", cookie=second)
    expected = {
        "rating": 990.0,
        "day": 20800,
        "days": 3,
        "most_days": 9,
        "most_run": 4,
        "most_storm": 7,
        "solved": {"yodd-hex3-0": True, "yodd-hex3-1": True},
    }
    assert browser.get("/puzzles", cookie=first).values == {"puzzles": expected}
    assert browser.get("/puzzles", cookie=log_in(browser, "bob")).values == {"puzzles": EMPTY}


def test_puzzles_without_a_log_in_or_of_other_sites_are_not_kept(browser: Browser) -> None:
    assert browser.get("/puzzles").values == {"puzzles": None}
    assert browser.get("/puzzles?rating=1000", method="POST").status == 401
    words = {"cookie": log_in(browser, "ann"), "origin": "https://else.example"}
    assert browser.get("/puzzles?rating=1000", method="POST", **words).status == 403


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
def test_puzzles_that_are_malformed_are_refused(browser: Browser, words: str) -> None:
    cookie = log_in(browser, "ann")
    reply = browser.get(f"/puzzles?{words}", method="POST", cookie=cookie)
    assert reply.status == 400
    assert browser.get("/puzzles", cookie=cookie).values == {"puzzles": EMPTY}
