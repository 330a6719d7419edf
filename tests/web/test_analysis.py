"""The engine's view, streamed onto the board."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Person
from tests.web.test_lobby import offer

pytestmark = pytest.mark.browser

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4.2c2,2e5"
THROUGH_ALL = re.compile(r"^M[\d. ]+(L[\d. ]+){3}$")
"""A line of the graph through all four positions."""


def look(person: Person, fragment: str = GAME) -> None:
    person.open(fragment)
    person.page.check("#analyse")
    expect(person.page.locator("#lines li").first).to_be_visible()


def test_heat_numbers_and_lines_come_and_go(person: Person) -> None:
    look(person)
    expect(person.page.locator(".heat .spot").nth(5)).to_be_attached()
    figures = person.page.locator(".heat .figure").all_text_contents()
    assert all(0 <= int(figure) <= 100 for figure in figures)
    expect(person.page.locator("#lines li:first-child b")).to_have_text(re.compile(r"^\d+\.\d%"))
    person.page.keyboard.press("ArrowLeft")
    expect(person.page.locator("#lines li").first).to_be_visible()
    person.page.uncheck("#analyse")
    expect(person.page.locator(".heat .spot")).to_have_count(0)
    expect(person.page.locator("#lines li")).to_have_count(0)


def test_a_line_under_the_pointer_is_shown_as_numbered_stones(person: Person) -> None:
    look(person)
    before = person.page.locator(".stones circle.stone").count()
    person.page.locator("#lines li").first.hover()
    expect(person.page.locator(".stones .number").first).to_have_text("1")
    assert person.page.locator(".stones circle.stone").count() > before
    person.page.mouse.move(5, 5)
    expect(person.page.locator(".stones .number")).to_have_count(0)


def test_behind_a_first_stone_every_second_one_is_looked_at(person: Person) -> None:
    look(person)
    person.cell("f5").click()
    fitting = person.page.locator(".cell.fits").count()
    assert fitting > 10
    expect(person.page.locator(".heat .spot")).to_have_count(fitting)
    expect(person.page.locator("#lines li .played").first).to_contain_text("f5")
    person.page.keyboard.press("Escape")
    # No turn is looked at as often as that behind a first stone.
    expect(person.page.locator("#lines .visits").first).to_contain_text("k")


def test_every_turn_is_judged_for_the_graph(person: Person) -> None:
    look(person)
    person.page.click("#sweep")
    expect(person.page.locator("#graph .win")).to_have_attribute("d", THROUGH_ALL)
    expect(person.page.locator(".key.win")).to_be_visible()


def test_one_may_look_elsewhere_while_turns_are_judged(person: Person) -> None:
    look(person)
    person.page.click("#sweep")
    person.page.keyboard.press("ArrowLeft")
    expect(person.page.locator("#slider")).to_have_value("2")
    expect(person.page.locator("#graph .win")).to_have_attribute("d", THROUGH_ALL)
    expect(person.page.locator("#slider")).to_have_value("2")
    expect(person.page.locator("#status")).not_to_contain_text("Not allowed")


def test_the_engine_answers_while_analysis_is_on(person: Person) -> None:
    look(person, "game=yodd&board=hex4&black=person&white=level-2&turns=1d4.1a1,2g4")
    person.page.click("#undo")
    person.page.click("#hint")
    person.wait_status("would play")
    person.page.click("#play")
    person.wait_turns(2)
    expect(person.page.locator("#lines li").first).to_be_visible()


def test_nobody_is_advised_in_a_refereed_game(person: Person) -> None:
    offer(person, "ivy")
    expect(person.page.locator("#analysis")).to_be_hidden()
    expect(person.page.locator("#hint")).to_be_disabled()
