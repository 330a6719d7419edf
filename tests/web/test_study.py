"""Looking at positions: pictures, coordinates, clocks, marks, levels."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from tests.support.programs import until
from tests.web.conftest import User
from tests.web.test_agreements import clock, seconds

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4"


def test_board_is_saved_as_svg_and_png(user: User) -> None:
    user.open(GAME)
    user.page.click("#files-open")
    with user.page.expect_download() as saved:
        user.page.click("#save-svg")
    root = ET.fromstring(saved.value.path().read_text())  # noqa: S314 — our own file
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(circles) >= 3
    with user.page.expect_download() as saved:
        user.page.click("#save-png")
    assert saved.value.path().read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.firefox
def test_address_edited_by_the_user_shows_its_game(user: User) -> None:
    user.open(GAME)
    user.page.evaluate("location.hash = 'game=odd&board=hex3&turns=1a1'")
    expect(user.page.locator("#title")).to_have_text("Odd, hexagon of 3")
    user.wait_turns(1, exactly=True)


@pytest.mark.gate
@pytest.mark.firefox
def test_settings_of_the_board_survive_a_reload(user: User) -> None:
    user.open(GAME)
    at = "() => document.querySelector(\".cell[aria-label^='a1,'] .tile\").getAttribute('points')"
    seen = [user.page.evaluate(at)]
    user.page.click("#board-menu-open")
    for button in ("#rotate", "#flip"):
        user.page.click(button)
        until(lambda: user.page.evaluate(at) not in seen)
        seen.append(user.page.evaluate(at))
    user.page.select_option("#coordinates", "cell")
    user.page.keyboard.press("Escape")
    expect(user.page.locator(".cell .name")).to_have_count(37)
    user.page.reload()
    expect(user.page.locator(".cell .name")).to_have_count(37)


@pytest.mark.gate
def test_clock_goes_on_while_the_user_looks_at_earlier_turns(user: User) -> None:
    user.page.clock.install()
    user.open("game=yodd&board=hex3&black=person&white=person&clock=180%2B2")
    user.cell("c3").click()
    user.page.click("#play")
    user.wait_turns(1)
    user.page.click("#prev")
    before = seconds(clock(user, 1))
    user.page.clock.fast_forward(20_000)
    until(lambda: seconds(clock(user, 1)) <= before - 20)
    user.page.click("#end")
    user.page.clock.fast_forward(20_000)
    until(lambda: seconds(clock(user, 1)) <= before - 40)
