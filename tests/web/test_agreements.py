"""Clocks of late spectators, terms of offers, take-backs and rematches."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.support.programs import until
from tests.web.conftest import DESK, Server, User, new_user
from tests.web.test_lobby import drop, join, offer

pytestmark = [pytest.mark.browser, pytest.mark.whole]


def clock(user: User, seat: int) -> Locator:
    return user.page.locator(f"#player-{seat} .clock")


def seconds(clock: Locator) -> float:
    """The time that a clock shows, once it shows one."""
    expect(clock).to_have_text(re.compile(r"\d:\d\d"))
    minutes, rest = clock.inner_text().split(":")
    return 60 * int(minutes) + float(rest)


def test_clock_after_a_reload_and_of_a_late_spectator_is_true(user: User, other: User) -> None:
    begun = time.monotonic()
    offer(user, "ann", clock="1800+15")
    join(other, "bob", "ann")
    until(lambda: seconds(clock(other, 0)) <= 1796)
    true = seconds(clock(other, 0))
    user.page.reload()
    late = other.page.context.new_page()
    late.goto(user.page.url)
    for page in (user.page, late):
        shown = seconds(page.locator("#player-0 .clock"))
        # No more than was left before, and no less than since the offer was made.
        assert 1799 - (time.monotonic() - begun) <= shown <= true


def test_offer_with_its_own_clock_shows_all_its_terms(user: User, other: User) -> None:
    own = {"kind": "byoyomi", "minutes": "0.05", "periods": "2", "seconds": "600"}
    offer(user, "cleo", modules=False, clock="custom", **own)
    other.open()
    other.page.click("#lobby-open")
    row = other.page.locator("tr", has_text="cleo waits")
    expect(row).to_contain_text("you play White · 3 s + 2 \N{MULTIPLICATION SIGN} 10 min · unrated")
    join(other, "dora", "cleo")
    expect(clock(user, 0)).to_have_text(re.compile("^[0-9]:\\d\\d \N{MULTIPLICATION SIGN}2"))
    expect(clock(user, 1)).to_have_text("0:03.0")


@pytest.mark.gate
@pytest.mark.firefox
def test_take_back_is_asked_declined_and_agreed(user: User, other: User) -> None:
    offer(user, "emma", clock="600+5")
    join(other, "finn", "emma")
    expect(user.page.locator("#undo")).to_be_disabled()
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    user.page.click("#undo")
    expect(user.page.locator("#agreement")).to_contain_text("You asked to take a turn back")
    expect(other.page.locator("#agreement")).to_contain_text("emma asks to take a turn back")
    other.page.click("#agreement >> text=Decline")
    expect(user.page.locator("#agreement")).to_have_text("finn declines to take a turn back.")
    expect(other.page.locator("#agreement")).to_be_hidden()
    user.page.click("#undo")
    user.page.click("#agreement >> text=Withdraw")
    expect(other.page.locator("#agreement")).to_have_text(
        "emma no longer asks to take a turn back."
    )
    user.page.click("#undo")
    # The request is there after a reload, too.
    expect(other.page.locator("#agreement")).to_be_visible()
    other.page.reload()
    other.page.click("#agreement button >> text=Agree")
    for one in (user, other):
        one.wait_turns(0, exactly=True)
        expect(one.page.locator("#agreement")).to_be_hidden()
    drop(user, ("a1", "b"))
    other.wait_turns(1)


@pytest.mark.gate
def test_rematch_that_both_want_has_the_seats_exchanged(user: User, other: User) -> None:
    offer(user, "gina")
    join(other, "hugo", "gina")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    other.resign()
    user.wait_status("gina wins")
    user.page.click("#after >> text=Rematch")
    user.wait_status("Waiting for an opponent")
    expect(other.page.locator("#agreement")).to_contain_text("gina asks for a rematch")
    other.page.click("#agreement button >> text=Agree")
    for one in (user, other):
        one.wait_status("Black to move")
        expect(one.page.locator("#player-0 .who")).to_have_text("hugo")
        expect(one.page.locator("#player-1 .who")).to_have_text("gina")
    drop(other, ("c3", "b"))
    user.wait_turns(1)


def test_spectator_follows_the_rematch_unless_they_look_back(
    browser: Browser, server: Server, user: User, other: User
) -> None:
    offer(user, "pia")
    join(other, "quo", "pia")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    game = user.page.url.partition("#")[2]
    with (
        new_user(browser, server, viewport=DESK) as here,
        new_user(browser, server, viewport=DESK) as back,
    ):
        for spectator in (here, back):
            spectator.open(game)
            spectator.wait_turns(1)
        other.resign()
        for spectator in (here, back):
            spectator.wait_status("pia wins")
        back.page.click("#prev")
        user.page.click("#after >> text=Rematch")
        other.page.click("#agreement button >> text=Agree")
        expect(here.page.locator("#player-0 .who")).to_have_text("quo")
        here.wait_status("Black to move")
        expect(back.page.locator("#agreement")).to_contain_text("The rematch has begun.")
        expect(back.page.locator("#player-0 .who")).to_have_text("pia")
        back.page.locator("#agreement button").first.click()
        expect(back.page.locator("#player-0 .who")).to_have_text("quo")
