"""Slips of the finger do not pass, drop a game or leave the site."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User
from tests.web.test_lobby import drop, join, offer
from tests.web.test_play import HOT_SEAT

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.gate
def test_pass_with_a_stone_pending_asks_first(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.cell("a1").click()
    user.wait_count("2", "0", "2")
    user.page.click("#pass")
    assert "stone" in user.confirm(accept=False)
    user.wait_count("2", "0", "2")
    user.wait_turns(1, exactly=True)
    user.page.click("#pass")
    user.confirm()
    user.wait_turns(2, exactly=True)


def test_keys_behind_a_dialog_do_nothing(user: User, other: User) -> None:
    offer(user, "ned")
    join(other, "oda", "ned")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    other.page.click("#lobby-open")
    other.page.locator("#lobby-dialog h2").click()
    for key in ("p", "Enter", "Home", "u"):
        other.page.keyboard.press(key)
    other.page.keyboard.press("Escape")
    expect(other.page.locator("#lobby-dialog")).not_to_be_visible()
    other.page.keyboard.press("p")
    other.cell("a1").focus()
    other.page.keyboard.press("p")
    # A turn of the keys before would be the second one, and this pass refused.
    for one in (user, other):
        one.wait_turns(2)
        expect(one.page.locator("#moves .turn")).to_have_text(["c3", "pass"])


@pytest.mark.parametrize("name", ["new", "settings-open", "files-open", "lobby-open", "help-open"])
def test_escape_closes_a_dialog_and_keeps_the_stones(user: User, name: str) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.cell("a1").click()
    user.page.click(f"#{name}")
    expect(user.page.locator("dialog[open]")).to_have_count(1)
    user.page.keyboard.press("Escape")
    expect(user.page.locator("dialog[open]")).to_have_count(0)
    user.wait_count("2", "0", "2")


@pytest.mark.firefox
def test_new_game_asks_before_it_drops_a_running_one(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.page.click("#new")
    user.page.click("#new-dialog button[value=start]")
    assert "not over" in user.confirm(accept=False)
    user.wait_turns(1, exactly=True)
    user.page.click("#new-dialog button[value=start]")
    user.confirm()
    user.wait_turns(0, exactly=True)
    user.page.click("#new")
    user.page.click("#new-dialog button[value=start]")
    expect(user.page.locator("#new-dialog")).not_to_be_visible()


def test_lobby_game_that_is_left_for_a_new_one_asks_first(user: User, other: User) -> None:
    offer(user, "pia")
    join(other, "quo", "pia")
    other.page.click(".brand")
    assert "pia" in other.confirm(accept=False)
    expect(other.page.locator("#player-0 .who")).to_have_text("pia")


@pytest.mark.gate
@pytest.mark.firefox
def test_back_stays_within_the_site(user: User) -> None:
    user.page.goto("about:blank")
    user.open(HOT_SEAT + "&turns=1c3")
    user.start_new_game()
    user.wait_turns(0, exactly=True)
    user.page.go_back()
    user.wait_turns(1, exactly=True)
    user.page.go_forward()
    user.wait_turns(0, exactly=True)
