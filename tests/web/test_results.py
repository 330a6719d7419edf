"""The end of a game: who has won and why, said alike everywhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User
from tests.web.test_agreements import offer
from tests.web.test_lobby import drop, join

pytestmark = pytest.mark.browser

# Black has fewer groups, and resigns.
AHEAD = "game=yodd&board=hex4&black=person&white=person&turns=1a1.2c1,2e1.1b1"


def verdict(user: User) -> str:
    return user.page.inner_text("#verdict")


def test_resignation_is_said_alike_beside_and_below_the_board(user: User) -> None:
    user.open(AHEAD)
    user.page.click("#resign")
    user.confirm()
    user.wait_status("^(Black|White) wins by resignation$")
    assert verdict(user) == user.status()
    user.page.click("#prev")
    assert "leads" in verdict(user)


def test_time_that_is_up_is_said_alike(user: User) -> None:
    user.open("game=yodd&board=hex3&black=person&white=person", modules=True)
    user.page.evaluate(
        """async () => {
          const [{ app }, { change }] = await Promise.all([
            import('./js/main.js'), import('./js/game.js'),
          ]);
          app.change(change(app.state, { flagged: 0 }));
        }"""
    )
    user.wait_status("^Time is up: ")
    assert verdict(user) == user.status()


def test_refereed_resignation_is_said_alike_to_both(user: User, other: User) -> None:
    offer(user, "ivy")
    join(other, "jon", "ivy")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    other.page.click("#resign")
    other.confirm()
    for one in (user, other):
        one.wait_status("ivy wins: jon resigned")
        assert verdict(one) == one.status()
        one.page.click("#prev")
        expect(one.page.locator("#verdict")).to_have_text("The board is empty")
