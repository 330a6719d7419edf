"""Seats that last, presence, invites and restarts, in games of humans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.support.programs import free_port, until
from tests.web.conftest import DESK, PHONE, Server, User, new_user, serving
from tests.web.test_lobby import (
    CUT,
    begin,
    begin_with_turn,
    cut,
    drop,
    fail_to_connect,
    join,
    offer,
)

pytestmark = [pytest.mark.browser, pytest.mark.whole]

CLAIM = 4
"""Seconds until a game may be claimed here."""

LISTED = re.compile("=.* playing .*wim xia")
"""A reply that lists a game."""


class Restartable:
    """``yoddd serve`` with a store, on a port that it has again after a restart."""

    def __init__(self, store: Path) -> None:
        self.http = f"tcp:{free_port()}:interface=127.0.0.1"
        self.words = ["--store", str(store), "--set", f"limits.claim={CLAIM}"]
        self.folder = store.parent
        self.running = ExitStack()
        self.start()

    def start(self) -> None:
        one = serving(self.folder, *self.words, http=self.http)
        self.server = self.running.enter_context(one)

    def stop(self) -> None:
        self.running.close()

    def restart(self) -> None:
        self.stop()
        self.start()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restartable]:
    daemon = Restartable(tmp_path_factory.mktemp("seats") / "store.sqlite3")
    yield daemon
    daemon.stop()


@pytest.fixture(scope="module")
def server(daemon: Restartable) -> Server:
    return daemon.server


def forgive_connections(*users: User) -> None:
    """Drop the errors that a browser logs when the server is gone."""
    for user in users:
        user.problems[:] = [one for one in user.problems if "ERR_CONNECTION" not in one]


def note(user: User, seat: int) -> Locator:
    return user.page.locator(f"#player-{seat} .note")


def reopen(user: User) -> None:
    """The user closes the tab, and opens the site again in the same browser."""
    context = user.page.context
    user.page.close()
    user.page = context.new_page()
    user.page.on("pageerror", lambda error: user.problems.append(str(error)))
    user.open()


def test_game_against_the_engine_is_found_again_in_another_tab_until_it_is_over(
    user: User,
) -> None:
    clock = user.page.locator("#player-0 .clock")
    user.open("game=yodd&board=hex3&black=person&white=level-1&clock=90")
    drop(user, ("c3", "b"))
    user.wait_turns(2)
    expect(clock).not_to_have_text("1:30")
    left = clock.inner_text()
    reopen(user)
    banner = user.page.locator("#return")
    expect(banner).to_contain_text("Your game against Engine 1, 2 turns")
    user.page.click("#lobby-open")
    expect(user.page.locator("#my-games")).to_contain_text("Yodd, hexagon of 3")
    user.page.click("#my-games [aria-label^='Go on: against Engine 1']")
    user.wait_turns(2)
    clock = user.page.locator("#player-0 .clock")
    assert clock.inner_text() <= left
    user.page.reload()
    user.wait_turns(2)
    assert clock.inner_text() <= left
    expect(banner).to_be_hidden()
    user.resign()
    user.page.click("#after >> text=Review")
    expect(user.page.locator("#after")).to_have_text("Rematch")
    user.page.keyboard.press("Home")
    expect(user.page.locator("#after")).to_contain_text("Rematch")
    reopen(user)
    user.page.click("#lobby-open")
    expect(user.page.locator("#lobby-quick")).to_be_visible()
    expect(user.page.locator("#my-games, #return > *")).to_have_count(0)


@pytest.mark.firefox
def test_seat_after_the_tab_was_closed_is_in_my_games(user: User, other: User) -> None:
    begin_with_turn(user, other, "amy", "ben")
    reopen(user)
    expect(note(other, 0)).to_have_text(re.compile("away since"))
    drop(other, ("a1", "b"), ("a3", "w"))
    user.page.reload()
    expect(user.page.locator("#lobby-open")).to_have_text("Lobby (1)")
    user.page.click("#lobby-open")
    expect(user.page.locator("#my-games")).to_contain_text("against ben: your turn")
    user.page.click("#my-games button")
    user.wait_turns(2)
    expect(note(other, 0)).to_have_text("")
    user.resign()
    other.wait_status("ben wins by resignation")


NOTICES = """
  window.shown = [];
  window.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, { body }) { super(); window.shown.push(`${title} ${body}`); }
  };
"""
HIDDEN = "Object.defineProperty(document, 'hidden', { get: () => true })"


def test_game_by_the_day_waits_in_any_tab_of_the_user(user: User, other: User) -> None:
    for one in (user, other):
        one.page.add_init_script(NOTICES)
    offer(user, "jo", clock="days=3")
    user.open()
    join(other, "kim", "jo")
    other.page.click("#settings-open")
    other.page.check("#notify")
    other.page.click("#settings-dialog .solid")
    other.page.clock.install()
    other.open("game=odd&board=hex3")
    other.page.evaluate(HIDDEN)
    expect(user.page).to_have_title(re.compile(r"^\(1\) Yodd"))
    user.page.click("#return .solid")
    expect(user.page).to_have_title(re.compile("^● Your turn"))
    drop(user, ("c3", "b"))
    user.wait_turns(1)
    expect(user.page).to_have_title(re.compile("^Yodd"))
    other.page.clock.fast_forward(21_000)
    expect(other.page).to_have_title(re.compile(r"^\(1\) Odd"))
    assert other.page.get_attribute("link[rel=icon]", "href") != "icon.svg"
    notice = "Your turn against jo: your turn, 2 d 23 h left"
    assert other.page.evaluate("window.shown") == [notice]
    other.page.click("#lobby-open")
    first = other.page.locator("#my-games tr").first
    expect(first).to_contain_text("against jo: your turn, 2 d 23 h left")
    first.locator("button").click()
    other.wait_turns(1)
    expect(other.page.locator("#player-1 .clock")).to_have_text("2 d 23 h")


def test_turn_is_notified_where_the_user_has_asked_for_it(user: User, other: User) -> None:
    user.page.context.grant_permissions(["notifications"])
    user.page.add_init_script(NOTICES)
    begin(user, other, "eli", "flo")
    user.page.click("#settings-open")
    user.page.check("#notify")
    user.page.click("#settings-dialog .solid")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    user.page.evaluate(HIDDEN)
    drop(other, ("a1", "b"), ("a3", "w"))
    user.page.wait_for_function("() => window.shown.length > 0")
    assert user.page.evaluate("window.shown") == ["Your turn against flo"]


def test_abandoned_game_is_claimed_after_the_stated_time(user: User, other: User) -> None:
    user.page.clock.install()
    begin(user, other, "gus", "ida")
    user.page.clock.pause_at(user.page.evaluate("Date.now()") / 1000 + 1)
    other.page.goto("about:blank")
    expect(user.page.locator("#claim")).to_contain_text("ida is away. You may claim the game at")
    user.page.clock.resume()
    user.page.click("#claim-game")
    user.wait_status("gus wins: .* disconnected")


def share(user: User, link: str) -> str:
    user.page.click("#files-open")
    expect(user.page.locator(f"#{link}")).not_to_have_value("")
    value = user.page.input_value(f"#{link}")
    user.page.click("#files-dialog .solid")
    return value


@pytest.mark.firefox
def test_share_offers_watch_position_and_return_links(
    user: User, other: User, browser: Browser, server: Server
) -> None:
    begin_with_turn(user, other, "oli", "pat")
    watch = share(user, "watch-link")
    assert "?table=" in watch
    user.page.click("#files-open")
    # A board of the reader's own has an engine.
    expect(user.page.locator("#link")).to_be_hidden()
    user.page.keyboard.press("Escape")
    returned = share(other, "return-link")
    with new_user(browser, server, viewport=PHONE) as phone:
        phone.open(returned.partition("#")[2])
        phone.wait_turns(1)
        expect(phone.page).not_to_have_url(re.compile("key="))
        drop(phone, ("a1", "b"), ("a3", "w"))
        user.wait_turns(2)
    with new_user(browser, server, viewport=DESK) as spectator:
        spectator.page.goto(watch)
        spectator.wait_turns(2)
        expect(spectator.page).to_have_url(re.compile("#table="))
        expect(spectator.page.locator("#resign")).to_be_disabled()


@pytest.mark.gate
def test_restart_is_announced_and_the_game_goes_on(
    user: User, other: User, daemon: Restartable
) -> None:
    begin_with_turn(user, other, "sam", "tia")
    daemon.stop()
    user.wait_status("The server is restarting; your game will continue shortly")
    daemon.start()
    other.wait_status("White to move")
    user.wait_status("White to move")
    drop(other, ("a1", "b"), ("a3", "w"))
    user.wait_turns(2)
    forgive_connections(user, other)


def test_game_that_goes_on_is_offered_by_a_banner_until_it_is_shown(
    user: User, other: User
) -> None:
    begin_with_turn(user, other, "wim", "xia")
    banner = user.page.locator("#return")
    expect(banner).to_be_hidden()
    reopen(user)
    banner = user.page.locator("#return")
    expect(banner).to_contain_text("Your game against xia: their turn")
    banner.get_by_role("button", name="Go on").click()
    user.wait_turns(1)
    expect(banner).to_be_hidden()
    # A list of the user's games has come that names the one that is shown.
    heard: list[str] = []
    user.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(str(text)))
    )
    user.page.reload()
    user.wait_turns(1)
    # The browser reports its frames during calls only.
    until(lambda: bool(user.settle()) and any(map(LISTED.search, heard)))
    user.settle()
    expect(banner).to_be_hidden()
    reopen(user)
    banner = user.page.locator("#return")
    banner.get_by_role("button", name="Not now").click()
    expect(banner).to_be_hidden()


def test_notices_leave_the_clocks_free_and_the_clocks_stop_while_the_server_is_away(
    user: User, browser: Browser, server: Server
) -> None:
    offer(user, "yan", clock="600+5")
    with new_user(browser, server, viewport=PHONE, is_mobile=True) as phone:
        phone.page.clock.install()
        phone.page.add_init_script(CUT)
        join(phone, "zoe", "yan")
        drop(user, ("c3", "b"))
        phone.wait_turns(1)
        phone.pass_turn()
        user.wait_turns(2)
        for size in (PHONE, {"width": 320, "height": 568}):
            phone.page.set_viewport_size({"width": size["width"], "height": size["height"]})
            phone.page.evaluate("window.away = true")
            cut(phone)
            for state in ("Reconnecting…", "Offline"):
                if state == "Offline":
                    fail_to_connect(phone)
                expect(phone.page.locator("#network")).to_have_text(state)
                assert phone.page.evaluate(COVERED) == []
                assert phone.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            clocks = phone.page.locator(".player .clock")
            before = clocks.all_inner_texts()
            phone.page.clock.fast_forward(20_000)
            assert clocks.all_inner_texts() == before
            phone.page.evaluate("window.away = false")
            phone.page.click("#network-retry")
            expect(phone.page.locator("#network")).to_have_text("Online")
            expect(clocks.first).not_to_have_text(before[0])


COVERED = """() => {
  const note = document.querySelector('.network').getBoundingClientRect();
  return [...document.querySelectorAll('.player')].filter((one) => {
    const box = one.getBoundingClientRect();
    return note.bottom > box.top && note.top < box.bottom;
  }).map(({ id }) => id);
}"""
