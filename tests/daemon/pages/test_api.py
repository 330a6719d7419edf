"""Ladders and rated games over HTTP, from a store in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.web.resource import Resource

from tests.daemon.fake_time import ThreadsAtOnce
from tests.daemon.leaks import LoggedErrors
from tests.daemon.lobby.journals import DirectJournal
from tests.daemon.pages.browser import Browser, Reply, no_errors_logged
from tests.daemon.stores import add_rated_game
from yoddd.daemon.pages.api import FileWriter, QueryResource, resources
from yoddd.daemon.pages.parameters import MAX_LIMIT
from yoddd.notation import load_record, parse_sgf
from yoddd.store import games, ratings
from yoddd.store.values import AccountRating, NewGame

WALL = "2030-01-31T12:00:00Z"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DirectJournal]:
    """Three finished games, the last of them on another board, one offer and a leaderboard."""
    journal = DirectJournal(tmp_path_factory.mktemp("api"))
    opened = journal.store
    add_rated_game(opened, "ann", "bob")
    add_rated_game(opened, "bob", "cid")
    add_rated_game(opened, "cid", "ann", "hex3")
    offer = NewGame("yodd", "hex2", "60", "ann", None, WALL)
    opened.transact(lambda c: games.add_game(c, offer))
    standings = [AccountRating("ann", 50.0, 10.0, 1, 1, anchor=False)]
    opened.transact(lambda c: ratings.set_standings(c, "yodd", "hex2", standings, WALL))
    yield journal
    journal.close()


@pytest.fixture
def browser(kept: DirectJournal) -> Browser:
    root = Resource()
    for name, resource in resources(cast("Any", kept)).items():
        root.putChild(name, resource)
    return Browser(root)


def test_ladder_has_every_board_with_a_rated_game(browser: Browser) -> None:
    found = browser.get("/ladder").values["ladders"]
    assert [(one["game"], one["board"]) for one in found] == [("yodd", "hex2"), ("yodd", "hex3")]
    standing = {"name": "ann", "elo": 50, "error": 10, "games": 1, "won": 1}
    standing |= {"anchor": False, "provisional": False}
    assert [one["standings"] for one in found] == [[standing], []]


@pytest.mark.parametrize(
    ("query", "boards"),
    [("game=yodd", ["hex2", "hex3"]), ("game=odd", []), ("game=yodd&board=hex3", ["hex3"])],
)
def test_ladder_arguments_choose_boards(browser: Browser, query: str, boards: list[str]) -> None:
    found = browser.get(f"/ladder?{query}").values["ladders"]
    assert [one["board"] for one in found] == boards


def test_games_are_those_that_are_over_the_latest_first(browser: Browser) -> None:
    values = browser.get("/games").values
    assert [row["id"] for row in values["games"]] == ["r3", "r2", "r1"]
    assert values["before"] is None
    latest = values["games"][0]
    assert (latest["black"], latest["white"], latest["board"]) == ("cid", "ann", "hex3")
    assert latest["winner"] in {"b", "w"}
    expected = "id rated game board clock black white winner reason started ended"
    assert sorted(latest) == sorted(expected.split())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("player=ANN", ["r3", "r1"]),
        ("player=ann&board=hex2", ["r1"]),
        ("before=2", ["r1"]),
        ("limit=1&limit=2", ["r3", "r2"]),
        ("player=ann&opponent=BOB", ["r1"]),
        ("opponent=ann", ["r3", "r1"]),
        ("since=2000-01-01&until=2999-01-01", ["r3", "r2", "r1"]),
        ("until=2000-01-01", []),
        ("since=2999-01-01", []),
    ],
)
def test_games_arguments_choose_games(browser: Browser, query: str, expected: list[str]) -> None:
    values = browser.get(f"/games?{query}").values
    assert [row["id"] for row in values["games"]] == expected
    assert values["before"] == (2 if "limit=2" in query else None)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (
            "mood=good",
            "'mood': expected game, board, player, opponent, since, until, as, before, limit",
        ),
        ("game=5-odd", "game '5-odd': expected a name such as yodd"),
        ("player=", "player '': expected a name"),
        ("since=soon", "since 'soon': expected a day such as 2026-11-21"),
        ("as=pdf", "as 'pdf': expected one of json, jsonl, sgf"),
        ("limit=0", "limit '0': expected a number from 1 to 200"),
        (f"limit={MAX_LIMIT + 1}", "limit '201': expected a number from 1 to 200"),
        ("limit=%C2%B2", "limit '²': expected a number from 1 to 200"),
        (f"before={'9' * 5000}", f"before '{'9' * 5000}': expected a number from 1 to {1 << 53}"),
    ],
)
def test_games_argument_that_is_wrong_is_refused(browser: Browser, query: str, error: str) -> None:
    reply = browser.get(f"/games?{query}")
    assert (reply.status, reply.values) == (400, {"error": error})


@pytest.mark.parametrize("path", ["/game", "/game/", "/user", "/user/"])
def test_address_without_its_id_is_not_found(browser: Browser, path: str) -> None:
    reply = browser.get(path)
    assert (reply.status, reply.values) == (404, {"error": f"no such address: {path}"})


def test_game_is_its_record(browser: Browser, kept: DirectJournal) -> None:
    row = kept.store.read(lambda c: games.find_game(c, 1))
    assert row is not None
    assert row.record is not None
    assert browser.get("/game/r1").values == json.loads(row.record)


@pytest.mark.parametrize("name", ["r4", "r99", "1", "r", "rx", "r²", "r" + "9" * 30])
def test_game_unknown_or_not_over_is_not_found(browser: Browser, name: str) -> None:
    reply = browser.get(f"/game/{quote(name)}")
    assert reply.status == 404
    assert reply.values["error"].startswith("no finished game ")


async def download(browser: Browser, path: str, **words: str) -> Reply:
    browser.send(path, **words)
    if getattr(browser.channel, "_channel", browser.channel).requests:
        await browser.pending.notifyFinish()
    return browser.reply()


@ensureDeferred
async def test_games_are_downloaded_as_records_or_sgf(browser: Browser) -> None:
    reply = await download(browser, "/games?player=ann&as=jsonl")
    assert [load_record(line).id for line in reply.body.decode().splitlines()] == ["r3", "r1"]
    assert reply.headers["content-disposition"] == 'attachment; filename="games.jsonl"'
    reply = await download(browser, "/game/r1?as=sgf")
    (tree,), problems = parse_sgf(reply.body.decode())
    assert (tree.text("PB"), problems) == ("ann", [])
    assert reply.headers["content-disposition"] == 'attachment; filename="r1.sgf"'
    assert reply.headers["content-type"] == "application/x-go-sgf"
    reply = await download(browser, "/game/r1?as=sgf", method="HEAD")
    assert (reply.status, reply.body) == (200, b"")
    reply = await download(browser, "/games?game=odd&as=jsonl")
    assert (reply.status, reply.body) == (200, b"")


def test_user_is_a_profile_with_results_and_the_course_of_ratings(browser: Browser) -> None:
    profile = browser.get("/user/ANN").values
    assert (profile["name"], profile["kind"], profile["games"]) == ("ann", "human", 2)
    assert profile["won"] + profile["lost"] == 2
    (rating,), (point,) = profile["ratings"], profile["course"]
    assert (rating["board"], rating["elo"]) == ("hex2", 50.0)
    assert (point["games"], point["elo"], point["computed"]) == (1, 50.0, WALL)
    reply = browser.get("/user/eve")
    assert (reply.status, reply.values) == (404, {"error": "no user 'eve'"})


# -- replies that wait ----------------------------------------------------------------------------


@attrs.define
class Waiting:
    """A query whose result the test gives."""

    found: Deferred[dict[str, Any]] = attrs.Factory(Deferred)

    async def query(self, _arguments: dict[str, Any]) -> dict[str, Any]:
        return await self.found

    def browser(self) -> Browser:
        return Browser(QueryResource(self.query, files=FileWriter(ThreadsAtOnce())))


def test_query_client_disconnected_nothing_is_written() -> None:
    waiting = Waiting()
    browser = waiting.browser()
    browser.send("/")
    browser.disconnect()
    with no_errors_logged():
        waiting.found.callback({"ladders": []})
    assert browser.transport.value() == b""


def test_query_unexpected_error_is_internal(logged_errors: LoggedErrors) -> None:
    waiting = Waiting()
    browser = waiting.browser()
    browser.send("/")
    waiting.found.errback(RuntimeError("disk full"))
    assert browser.reply().status == 500
    assert browser.reply().values == {"error": "internal error"}
    assert len(logged_errors.flush(RuntimeError)) == 1
