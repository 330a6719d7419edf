"""The one connection of a page: its number of sockets, its state, and a stalled network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.support.programs import until
from tests.web.conftest import DESK, Server, User, new_user
from tests.web.proxy import Proxy, proxied
from tests.web.test_lobby import CUT, begin_with_turn, drop, offer

pytestmark = [pytest.mark.browser, pytest.mark.whole]

NOTICED = 15_000
"""Milliseconds, by its own clock, within which a page notices a stalled network."""


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with proxied(urlsplit(server.url).port or 0) as one:
        yield one


@pytest.fixture
def far(browser: Browser, server: Server, proxy: Proxy) -> Iterator[User]:
    """A user behind a network that can stall."""
    url = f"http://127.0.0.1:{proxy.port}/"
    behind = Server(server.text_port, url, server.runs)
    with new_user(browser, behind, viewport=DESK) as one:
        yield one
        one.problems.clear()  # the browser reports connections that fail


def test_page_that_plays_watches_and_analyses_opens_one_socket(user: User, other: User) -> None:
    user.ask_server().page.add_init_script(CUT)
    begin_with_turn(user, other, "ida", "jim")
    drop(other, ("a1", "b"), ("a3", "w"))
    user.wait_turns(2)
    user.pass_turn()
    other.wait_turns(3)
    user.start_new_game()
    user.page.check("#analyse")
    expect(user.page.locator("#lines li").first).to_be_visible()
    (url,) = user.page.evaluate("window.sockets.map(({ url }) => url)")
    assert url.endswith("/ws/channels")


def cut_off(server: Server) -> int:
    """The number of connections that the daemon has cut off for their silence."""
    with urlopen(f"{server.url}metrics") as reply:  # noqa: S310 — the server is ours
        text = reply.read().decode()
    found = re.search(r'^yoddd_cut_off_total\{reason="silence"\} (\d+)', text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def test_stalled_network_is_noticed_on_both_sides(far: User, proxy: Proxy, server: Server) -> None:
    far.page.clock.install()
    offer(far, "kim")
    before = cut_off(server)
    proxy.stall()
    far.page.clock.run_for(NOTICED)
    expect(far.page.locator("#network")).not_to_have_text("Online")
    until(lambda: cut_off(server) == before + 1)
    proxy.resume()
    expect(far.page.locator("#network")).to_have_text("Online")
    far.wait_status("Waiting for an opponent")


def test_user_behind_a_dead_network_is_shown_as_away_with_what_the_other_can_do(
    far: User, user: User, proxy: Proxy
) -> None:
    begin_with_turn(user, far, "ned", "ona")
    note = user.page.locator("#player-1 .note")
    proxy.stall()
    expect(note).to_have_text(re.compile("^away since"))
    expect(user.page.locator("#claim")).to_contain_text("You may claim the game at")
    proxy.resume()
    expect(note).to_have_text("")
    expect(user.page.locator("#claim")).to_be_hidden()


@pytest.mark.firefox
def test_turn_sent_over_a_stalled_network_is_played_once(
    far: User, user: User, proxy: Proxy
) -> None:
    far.page.clock.install()
    begin_with_turn(user, far, "lou", "mia")
    proxy.stall()
    far.pass_turn()
    far.page.clock.run_for(NOTICED)
    expect(far.page.locator("#network")).not_to_have_text("Online")
    proxy.resume()
    for one in (user, far):
        one.wait_turns(2)
    # A second pass would be answered before the next turn.
    drop(user, ("a1", "b"), ("e1", "b"))
    for one in (user, far):
        one.wait_turns(3)
        one.wait_turns(3, exactly=True)
