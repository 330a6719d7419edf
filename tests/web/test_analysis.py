"""The engine's view, streamed onto the board."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User
from tests.web.test_lobby import offer

pytestmark = [pytest.mark.browser, pytest.mark.firefox]

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4.2c2,2e5"
THROUGH_ALL = re.compile(r"^M[\d. ]+(L[\d. ]+){3}$")
"""A line of the graph through all four positions."""


def look(user: User, fragment: str = GAME) -> None:
    user.open(fragment)
    user.page.check("#analyse")
    expect(user.page.locator("#lines li").first).to_be_visible()


def test_analysis_switched_on_then_off_shows_then_clears_the_heat_map(user: User) -> None:
    look(user)
    expect(user.page.locator(".heat .spot").nth(5)).to_be_attached()
    figures = user.page.locator(".heat .figure").all_text_contents()
    assert all(0 <= int(figure) <= 100 for figure in figures)
    expect(user.page.locator("#lines li:first-child b")).to_have_text(re.compile(r"^\d+\.\d%"))
    user.page.keyboard.press("ArrowLeft")
    expect(user.page.locator("#lines li").first).to_be_visible()
    user.page.uncheck("#analyse")
    expect(user.page.locator(".heat .spot")).to_have_count(0)
    expect(user.page.locator("#lines li")).to_have_count(0)


def test_analysis_line_under_the_pointer_shows_numbered_stones(user: User) -> None:
    look(user)
    before = user.page.locator(".stones circle.stone").count()
    user.page.locator("#lines li").first.hover()
    expect(user.page.locator(".stones .number").first).to_have_text("1")
    assert user.page.locator(".stones circle.stone").count() > before
    user.page.mouse.move(5, 5)
    expect(user.page.locator(".stones .number")).to_have_count(0)


def test_analysis_after_a_first_stone_rates_every_second_one(user: User) -> None:
    look(user)
    user.cell("f5").click()
    fitting = user.page.locator(".cell.fits").count()
    assert fitting > 10
    expect(user.page.locator(".heat .spot")).to_have_count(fitting)
    expect(user.page.locator("#lines li .played").first).to_contain_text("f5")
    user.page.keyboard.press("Escape")
    # No turn is looked at as often as that behind a first stone.
    expect(user.page.locator("#lines .visits").first).to_contain_text("k")


def test_sweep_draws_the_winrate_of_every_turn(user: User) -> None:
    look(user)
    user.page.click("#sweep")
    expect(user.page.locator("#graph .win")).to_have_attribute("d", THROUGH_ALL)
    expect(user.page.locator(".key.win")).to_be_visible()


def test_sweep_while_another_turn_is_shown_keeps_it_in_view(user: User) -> None:
    look(user)
    user.page.click("#sweep")
    user.page.keyboard.press("ArrowLeft")
    expect(user.page.locator("#slider")).to_have_value("2")
    expect(user.page.locator("#graph .win")).to_have_attribute("d", THROUGH_ALL)
    expect(user.page.locator("#slider")).to_have_value("2")
    expect(user.page.locator("#status")).not_to_contain_text("Not allowed")


def test_engine_with_analysis_on_plays_its_turn(user: User) -> None:
    look(user, "game=yodd&board=hex4&black=person&white=level-2&turns=1d4.1a1,2g4")
    user.page.click("#undo")
    user.page.click("#hint")
    user.wait_status("would play")
    user.page.click("#play")
    user.wait_turns(2)
    expect(user.page.locator("#lines li").first).to_be_visible()


def test_analysis_in_a_refereed_game_is_hidden(user: User) -> None:
    offer(user, "ivy")
    expect(user.page.locator("#analysis")).to_be_hidden()
    expect(user.page.locator("#hint")).to_be_disabled()
