"""The game whose turns are exactly two stones, on the board."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Person

pytestmark = pytest.mark.browser


def test_a_game_of_product_to_its_result(person: Person) -> None:
    person.open("game=product&board=hex2&black=person&white=person")
    person.cell("c2").click()
    person.page.click("#play")
    person.wait_turns(1, exactly=True)
    person.cell("a1").click()
    person.page.click("#play")
    expect(person.page.locator("#status")).to_have_text(
        "Not allowed: 1 stone: this turn is two stones"
    )
    person.cell("b2").click()
    person.page.click("#play")
    person.wait_turns(2, exactly=True)
    expect(person.page.locator("#pass")).not_to_be_visible()
    person.page.click("#hint")
    person.wait_status("would play")
    person.page.click("#play")
    person.wait_turns(3)
    person.page.click("#hint")
    person.wait_status("would play")
    person.page.click("#play")
    person.wait_turns(4)
    person.wait_status("(Black|White) wins by [0-9]+")


def test_the_engine_plays_product(person: Person) -> None:
    person.open("game=product&board=hex5&black=person&white=level-1")
    person.cell("e5").click()
    person.page.click("#play")
    person.wait_turns(2)
    assert int(person.count()[0]) + int(person.count()[1]) >= 1
