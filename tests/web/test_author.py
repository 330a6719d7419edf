"""The author of an engine: plays it on the page, and lets it play others."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.web.conftest import Server, User
from tests.web.test_lobby import attached, drop, fill_offer

pytestmark = [pytest.mark.browser, pytest.mark.whole]


def field(user: User, name: str) -> Locator:
    return user.page.locator(f"#new-form [name={name}]")


def choose(user: User, **choices: str) -> None:
    """Open the dialog of a new game, and choose in it."""
    user.page.click("#new")
    expect(field(user, "white").locator("option[value='tcp:mine']")).to_be_enabled()
    for name, value in choices.items():
        field(user, name).select_option(value)


def start(user: User) -> None:
    user.page.click("#new-dialog button[value=start]")
    expect(user.page.locator("#new-dialog")).to_be_hidden()


def expect_players(user: User, *names: str) -> None:
    expect(user.page.locator(".player .who")).to_have_text([*names])


@pytest.mark.gate
def test_author_plays_an_attached_engine_and_lets_it_play_another(
    user: User, server: Server
) -> None:
    with attached(server, "mine", "theirs"):
        user.open()
        choose(user, board="hex3", white="tcp:mine")
        field(user, "name").fill("lou")
        start(user)
        expect_players(user, "lou", "mine")
        drop(user, ("c3", "b"))
        user.wait_turns(2)
        expect(user.page.locator("#undo")).to_be_disabled()
        user.resign()
        user.page.click("#after >> text=Rematch")
        expect_players(user, "mine", "lou")
        user.wait_turns(1)
        user.resign()
        user.wait_status("mine wins by resignation")
        choose(user, black="tcp:mine", white="tcp:theirs")
        expect(field(user, "name")).to_be_hidden()
        start(user)
        expect_players(user, "mine", "theirs")
        user.wait_status("(mine|theirs) wins")
    user.page.keyboard.press("Home")
    user.wait_count("0", "0", "0")
    user.page.keyboard.press("End")
    user.page.reload()
    user.wait_status("(mine|theirs) wins")
    user.page.click("#after >> text=Review")
    expect(user.page.locator("#review-body .judged")).to_have_count(2)


def test_engine_that_plays_by_the_day_is_asked_for_no_pause(user: User, server: Server) -> None:
    with attached(server, "mine"):
        user.open()
        fill_offer(user, "lou", clock="days=3", opponent="mine", seat="b")
        user.wait_status("Black to move")
        expect(user.page.locator("#resign")).to_be_visible()
        expect(user.page.locator("#pause")).to_be_hidden()


def test_author_lets_an_engine_play_a_level_of_the_page_which_goes_on_after_a_reload(
    user: User, server: Server
) -> None:
    with attached(server, "mine", plays="boards=hex3..hex5"):
        user.open()
        user.page.click("#new")
        mine = field(user, "black").locator("option[value='tcp:mine']")
        expect(mine).to_have_text("mine (engine): hexagon of 3 \u2013 hexagon of 5")
        expect(mine).to_be_disabled()  # on hex8
        field(user, "board").select_option("hex5")
        expect(mine).to_be_enabled()
        field(user, "black").select_option("tcp:mine")
        field(user, "white").select_option("level-1")
        start(user)
        expect_players(user, "mine", "Engine 1")
        user.wait_turns(2)
        user.page.reload()
        expect_players(user, "mine", "Engine 1")
        user.wait_turns(user.turns() + 4)
        expect(user.page.locator(".player .note")).to_have_text(["", ""])
        expect(user.page.locator("#play")).to_be_disabled()
        user.resign()
        expect(user.page.locator("#after h2")).to_have_text("mine won")
        expect(user.page.locator("#status")).to_have_text(re.compile("^mine wins by resignation"))
