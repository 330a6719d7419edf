"""The end of a game: who has won and why, said once."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User
from tests.web.test_lobby import drop, join, offer

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.gate
def test_refereed_resignation_is_said_once_to_both(user: User, other: User) -> None:
    offer(user, "ivy")
    join(other, "jon", "ivy")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    other.resign()
    for one in (user, other):
        one.wait_status("ivy wins by resignation")
        expect(one.page.locator("#verdict")).to_be_empty()
        one.page.click("#prev")
        expect(one.page.locator("#verdict")).to_have_text("The board is empty")


ENGINE = "game=yodd&board=hex3&black=person&white=level-1"


def test_card_of_a_lost_game_says_so_and_leads_on(user: User) -> None:
    user.open(ENGINE)
    user.resign()
    user.wait_status("White wins by resignation")
    expect(user.page.locator("#after h2")).to_have_text("You lost")
    for name in ("Rematch", "Analyse"):
        button = user.page.locator("#after .row").get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=1)
    user.page.get_by_role("button", name="Close the result").click()
    expect(user.page.locator("#after")).to_be_hidden()


@pytest.mark.gate
def test_card_is_shown_at_the_end_alone(user: User) -> None:
    user.open("game=yodd&board=hex4&black=person&white=person&turns=1a1.2c1,2e1.pass")
    user.pass_turn()
    user.wait_status("wins with fewer groups")
    expect(user.page.locator("#after h2")).to_have_text("Black won")
    expect(user.page.locator("#play")).to_be_hidden()
    user.page.click("#prev")
    expect(user.page.locator("#after")).to_be_hidden()
    expect(user.page.locator("#play")).to_be_visible()
    user.page.click("#next")
    expect(user.page.locator("#after")).to_be_visible()


def test_rematch_with_the_engine_has_the_seats_exchanged(user: User) -> None:
    user.open(ENGINE)
    user.resign()
    user.page.click("#after >> text=Rematch")
    expect(user.page.locator("#player-0 .who")).to_have_text("Engine 1")
    user.wait_turns(1)
    expect(user.page.locator("#after")).to_be_hidden()
    expect(user.page.locator("input[name=colour][value='1']")).to_be_checked()
