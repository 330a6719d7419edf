"""Looking at positions: pictures, coordinates, clocks, marks, levels."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Person

pytestmark = pytest.mark.browser

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4"
# Two cells are empty: one stone of each colour leaves an even total that no second one mends.
TIGHT = "position=yodd hex2 w1/wbw/w1 w 0 6&black=person&white=person"


def test_the_board_is_saved_as_a_picture(person: Person) -> None:
    person.open(GAME)
    person.page.click("#files-open")
    with person.page.expect_download() as saved:
        person.page.click("#save-svg")
    root = ET.fromstring(saved.value.path().read_text())  # noqa: S314 — our own file
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(circles) >= 3
    with person.page.expect_download() as saved:
        person.page.click("#save-png")
    assert saved.value.path().read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_an_address_that_is_changed_by_hand_shows_its_game(person: Person) -> None:
    person.open(GAME)
    person.page.evaluate("location.hash = 'game=odd&board=hex3&turns=1a1'")
    expect(person.page.locator("#title")).to_have_text("Odd, hexagon of 3")
    person.wait_turns(1, exactly=True)


def test_coordinates_rotation_and_mirror(person: Person) -> None:
    person.open(GAME)
    at = "() => document.querySelector(\".cell[aria-label^='a1,'] .tile\").getAttribute('points')"
    before = person.page.evaluate(at)
    person.page.click("#settings-open")
    person.page.click("#rotate")
    turned = person.page.evaluate(at)
    person.page.click("#flip")
    assert len({before, turned, person.page.evaluate(at)}) == 3
    person.page.select_option("#coordinates", "cell")
    person.page.keyboard.press("Escape")
    expect(person.page.locator(".cell .name")).to_have_count(37)
    person.page.reload()
    expect(person.page.locator(".cell .name")).to_have_count(37)


def test_a_clock_that_runs_out_ends_the_game(person: Person) -> None:
    person.open("game=yodd&board=hex3&black=person&white=person&clock=1%2B0")
    person.cell("c3").click()
    person.page.click("#play")
    assert re.fullmatch(r"0:0[01](\.\d)?", person.page.inner_text("#player-1 .clock"))
    person.wait_status("Time is up: Black wins")
    expect(person.page.locator("#play")).to_be_disabled()


def test_a_first_stone_that_no_turn_can_have_is_marked(person: Person) -> None:
    person.open(TIGHT)
    marked = person.page.locator(".marks path.bar")
    expect(marked).to_have_count(2)
    person.cell("c2").hover()
    helper = person.page.locator("#hover-0 dd, #hover-1 dd").all_inner_texts()
    assert sum("✗" in text and "+ 1" not in text for text in helper) == 1


def test_ten_levels_are_offered_and_the_chosen_one_is_asked_for(person: Person) -> None:
    sent: list[str] = []
    person.page.on(
        "websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text)))
    )
    person.open()
    person.page.click("#new")
    levels = person.page.locator("[name=white] option").all_text_contents()
    assert [text.split(",")[0] for text in levels[1:]] == [f"Engine {n}" for n in range(1, 11)]
    person.page.select_option("[name=board]", "hex3")
    person.page.select_option("[name=black]", "level-3")
    person.page.select_option("[name=white]", "person")
    person.page.click("#new-form .solid")
    person.wait_turns(1)
    asked = [line for line in sent if line.startswith("set_param")]
    assert {"set_param level 3", "set_param playouts 4"} & set(asked)


def test_the_theme_stays_and_patterns_tell_the_colours_apart(person: Person) -> None:
    person.open(GAME)
    person.page.click("#settings-open")
    person.page.select_option("#theme", "contrast")
    person.page.keyboard.press("Escape")
    fill = "() => getComputedStyle(document.querySelector('.stones .stone.black')).fill"
    assert "stripes" in person.page.evaluate(fill)
    stored = person.page.evaluate("localStorage.getItem('yoddd.settings')")
    assert json.loads(stored)["theme"] == "contrast"
