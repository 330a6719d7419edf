"""The game whose turns are exactly two stones, on the board."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.gate
def test_product_game_ends_with_its_result(user: User) -> None:
    user.open("game=product&board=hex2&black=person&white=person")
    user.cell("c2").click()
    user.page.click("#play")
    user.wait_turns(1, exactly=True)
    user.cell("a1").click()
    expect(user.page.locator("#play")).to_be_disabled()
    expect(user.page.locator("#play")).to_have_attribute(
        "title", "1 stone: this turn is two stones"
    )
    user.cell("b2").click()
    user.page.click("#play")
    user.wait_turns(2, exactly=True)
    expect(user.page.locator("#pass")).not_to_be_visible()
    user.page.click("#hint")
    user.wait_status("would play")
    user.page.click("#play")
    user.wait_turns(3)
    user.page.click("#hint")
    user.wait_status("would play")
    user.page.click("#play")
    user.wait_turns(4)
    user.wait_status("(Black|White) wins(: [0-9]+ \\u00d7 [0-9]+ = [0-9]+ to|: equal products)")
    expect(user.page.locator("#caption-0")).to_contain_text("\u00d7")
