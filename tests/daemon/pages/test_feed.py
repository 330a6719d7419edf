"""The private feed of an account: its address, and what it tells a reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
from twisted.web.resource import Resource

from tests.daemon.lobby.journals import DirectJournal
from tests.daemon.lobby.test_lobby import Setup
from tests.daemon.lobby.test_seats import restart
from tests.daemon.memory import MemoryDaemon
from tests.daemon.pages.browser import Browser, Reply
from tests.daemon.pages.test_browser_sessions import Setup as Sessions
from yoddd.daemon.pages.feed import Feeds
from yoddd.protocol.lobby import Pause
from yoddd.store import accounts

SECRET = "s" * 32
BY_THE_DAY = {"board": "hex2", "seat": "b", "clock": "days=3"}


@pytest.fixture
def world(journal: DirectJournal) -> Setup:
    """A lobby with ann and bob logged in; the feed of bob has `SECRET`."""
    world = Setup(journal)
    for number, name in enumerate(("ann", "bob"), 1):
        world.log_in(name)
        journal.do(accounts.set_feed, number, SECRET if name == "bob" else None)
    return world


def reader(world: Setup) -> Browser:
    root = Resource()
    root.putChild(b"feed", Feeds(cast("Any", world.journal), world.lobby.awaited))
    return Browser(root)


def entries(world: Setup) -> list[tuple[str, str, str]]:
    """The id, the title and the link of each entry."""
    reply = reader(world).get(f"/feed/{SECRET}", host="yodd.example:8000")
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("application/atom+xml")
    feed = ET.fromstring(reply.body)  # noqa: S314 — it is our own
    atom = "{http://www.w3.org/2005/Atom}"
    found = []
    for one in feed.iter(f"{atom}entry"):
        link = one.find(f"{atom}link")
        assert link is not None
        assert one.findtext(f"{atom}updated")
        words = (one.findtext(f"{atom}{name}", "") for name in ("id", "title"))
        found.append((*words, link.get("href", "")))
    return cast("list[tuple[str, str, str]]", found)


def test_feed_tells_of_offers_turns_and_results(world: Setup) -> None:
    assert entries(world) == []
    game_id, key = world.seek("ann", "ann", {**BY_THE_DAY, "against": "bob"})
    tag, home = f"tag:yodd.example,2026:{game_id}", "http://yodd.example:8000/"
    title = "ann offers you a game: yodd hex2, clock days=3"
    assert entries(world) == [(f"{tag}/offer", title, f"{home}#join={game_id}")]
    other = world.accept("bob", game_id, "bob")
    assert entries(world) == []
    assert world.put(key, "1a1") == ""
    title = "Your turn against ann: turn 2, yodd hex2"
    turn = (f"{tag}/turn/2", title, f"{home}#table={game_id}")
    assert entries(world) == [turn]
    world = restart(world)
    assert entries(world) == [turn]
    assert world.put(other, "resign") == ""
    title = "Lost against ann by resign: yodd hex2"
    assert entries(world) == [(f"{tag}/end", title, f"{home}#table={game_id}")]


def test_feed_tells_of_no_turn_in_a_pause(world: Setup) -> None:
    game_id, key = world.seek("ann", "ann", {**BY_THE_DAY, "against": "bob"})
    other = world.accept("bob", game_id, "bob")
    assert world.put(key, "1a1") == ""
    (turn,) = entries(world)
    for one in (other, key):
        assert world.ask(world.lobby.play(one, Pause(1))) == ""
    assert entries(world) == []
    world.clock.advance(86401)
    assert entries(world) == [turn]


def test_feed_that_has_not_changed_is_not_sent_again(world: Setup) -> None:
    tag = reader(world).get(f"/feed/{SECRET}").headers["etag"]
    again = reader(world).get(f"/feed/{SECRET}", if_none_match=tag)
    assert (again.status, again.body) == (304, b"")


def test_address_is_told_once_renewed_and_ended_by_its_user_alone(
    daemons: Callable[..., MemoryDaemon],
) -> None:
    user = Sessions(daemons({"store": "s.db", "origins": ["https://yodd.example"]}))

    def ask(method: str = "GET", **headers: str) -> Reply:
        return user.get("/api/feed", method=method, **headers)

    assert ask().values == {"exists": False, "address": None}
    assert ask("POST").status == 401
    cookie, _ = user.log_in("ann")
    first, second = (f"/{ask('POST', cookie=cookie).values['address']}" for _ in range(2))
    assert ask(cookie=cookie).values == {"exists": True, "address": None}
    assert [user.get(one).status for one in (first, second)] == [404, 200]
    assert ask("DELETE", cookie=cookie, origin="https://evil.example").status == 403
    assert user.get(second).status == 200
    ask("DELETE", cookie=cookie)
    assert [user.get(one).status for one in (second, "/feed/guess")] == [404, 404]


def test_feed_of_a_disabled_account_ends(world: Setup, journal: DirectJournal) -> None:
    journal.do(accounts.set_disabled, "bob", disabled=True)
    assert reader(world).get(f"/feed/{SECRET}").status == 404
