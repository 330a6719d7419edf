"""Clocks of late spectators, and take-backs."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Locator, expect

from tests.support.programs import until
from tests.web.conftest import User
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
    offer(user, "ann", clock="1800+15")
    join(other, "bob", "ann")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    begun = time.monotonic()
    other.pass_turn()
    # The first turns are free; each has brought its 15 seconds.
    until(lambda: seconds(clock(other, 0)) <= 1811)
    true = seconds(clock(other, 0))
    user.page.reload()
    late = other.page.context.new_page()
    late.goto(user.page.url)
    for page in (user.page, late):
        shown = seconds(page.locator("#player-0 .clock"))
        # No more than was left before, and no less than since the clock began to run.
        assert 1814 - (time.monotonic() - begun) <= shown <= true


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
def test_pause_is_asked_agreed_and_ended_by_a_turn(user: User, other: User) -> None:
    offer(user, "gus", clock="days=3")
    join(other, "ida", "gus")
    other.page.click("#pause")
    other.page.fill("#pause-days", "5")
    other.page.click("#pause-dialog .solid")
    expect(other.page.locator("#agreement")).to_contain_text("You asked for a pause of 5 days.")
    expect(user.page.locator("#agreement")).to_contain_text("ida asks for a pause of 5 days.")
    expect(user.page).to_have_title(re.compile("^● Your turn"))
    user.page.click("#agreement button >> text=Agree")
    note = "pause, 4 d 23 h left"
    for one in (user, other):
        expect(one.page.locator("#player-0 .note")).to_have_text(note)
    expect(user.page).to_have_title(re.compile("^Yodd"))
    user.page.click("#lobby-open")
    expect(user.page.locator("#my-games")).to_contain_text(f"against ida: {note}")
    user.page.click("#lobby-dialog [data-close]")
    other.page.reload()
    expect(other.page.locator("#player-0 .note")).to_have_text(note)
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    expect(other.page).to_have_title(re.compile("^● Your turn"))
    expect(other.page.locator("#player-1 .clock")).to_have_text(re.compile("^[23] d"))
