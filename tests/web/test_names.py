"""Names of users: long ones in the layout, and the answer to those that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import Server, User, new_user
from tests.web.test_lobby import drop, join, offer

pytestmark = [pytest.mark.browser, pytest.mark.whole]

WIDTH = 360
LONG = "Wolfeschlegelsteinhausenberger-"


@pytest.fixture
def phone(browser: Browser, server: Server) -> Iterator[User]:
    with new_user(browser, server, viewport={"width": WIDTH, "height": 640}) as one:
        yield one


def check_width(user: User) -> None:
    """Check that the page and its dialogs are no wider than the screen."""
    user.settle()
    assert user.page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    beyond = """() => [...document.querySelectorAll('.player *, .bar *, dialog[open] *')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
        .map((one) => one.outerHTML.slice(0, 80))"""
    assert user.page.evaluate(beyond) == []
    wide = """() => [...document.querySelectorAll('dialog[open]')]
        .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id)"""
    assert user.page.evaluate(wide) == []


@pytest.mark.firefox
def test_names_of_32_characters_fit_on_a_small_phone(phone: User, other: User) -> None:
    host, second = (LONG + end for end in "AB")
    offer(other, host, clock="600+5")
    phone.open()
    phone.page.click("#lobby-open")
    expect(phone.page.locator(f"[aria-label='Join: {host} is waiting']")).to_be_visible()
    check_width(phone)
    join(phone, second, host)
    check_width(phone)
    expect(phone.page.locator("#player-1 .clock")).to_be_in_viewport()
    expect(phone.page.locator("#player-0 .who")).to_have_attribute("title", host)
    drop(other, ("c3", "b"))
    phone.wait_turns(1)
    for seat in (0, 1):
        box = phone.page.locator(f"#player-{seat} .who").bounding_box()
        assert box is not None
        assert box["width"] > 40, "beside the clock and the note some letters are left"
    phone.page.click("#lobby-open")
    expect(phone.page.locator("[aria-label^='Go on: ']")).to_be_visible()
    check_width(phone)
    phone.page.keyboard.press("Escape")
    phone.resign()
    phone.wait_status("wins by resignation")
    check_width(phone)
