"""The engine's view, streamed onto the board."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.bench.page import long_game
from tests.support.programs import until
from tests.web.conftest import User
from tests.web.test_lobby import offer

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4.2c2,2e5"


def look(user: User, fragment: str = GAME, *, modules: bool = False) -> None:
    user.open(fragment, modules=modules)
    user.page.check("#analyse")
    expect(user.page.locator("#lines li").first).to_be_visible()


@pytest.mark.gate
@pytest.mark.firefox
def test_analysis_switched_on_then_off_shows_then_clears_the_heat_map(user: User) -> None:
    look(user)
    expect(user.page.locator(".heat .spot").nth(5)).to_be_attached()
    expect(user.page.locator(".heat .figure").first).to_have_text(re.compile(r"^\d+(\.\d)?$"))
    figures = user.page.locator(".heat .figure").all_text_contents()
    assert all(re.fullmatch(r"\d+(\.\d)?", figure) for figure in figures)
    expect(user.page.locator("#lines li:first-child b")).to_have_text(re.compile(r"^\d+\.\d%"))
    user.page.keyboard.press("ArrowLeft")
    expect(user.page.locator("#lines li").first).to_be_visible()
    user.page.uncheck("#analyse")
    expect(user.page.locator(".heat .spot")).to_have_count(0)
    expect(user.page.locator("#lines li")).to_have_count(0)


def test_analysis_line_under_the_pointer_shows_numbered_stones(user: User) -> None:
    look(user)
    # The list may have appeared below the pointer that pressed the switch.
    user.page.mouse.move(5, 5)
    expect(user.page.locator(".stones .number")).to_have_count(0)
    expect(user.page.locator(".stones circle.stone")).to_have_count(5)
    user.page.locator("#lines li").first.hover()
    expect(user.page.locator(".stones .number").first).to_have_text("1")
    expect(user.page.locator(".stones circle.stone").nth(5)).to_be_attached()
    user.page.mouse.move(5, 5)
    expect(user.page.locator(".stones .number")).to_have_count(0)


def test_analysis_after_a_first_stone_rates_every_second_one(user: User) -> None:
    look(user)
    user.cell("f5").click()
    cells = user.page.locator(".cell[aria-label$='completes the turn']")
    expect(cells.nth(10)).to_be_attached()
    expect(user.page.locator("#analysis-state")).to_contain_text("Every completion")
    expect(user.page.locator(".heat .spot")).to_have_count(cells.count())
    expect(user.page.locator("#lines li .played").first).to_contain_text("f5")
    user.page.keyboard.press("Escape")
    # No turn is looked at as often as that behind a first stone.
    expect(user.page.locator("#lines .visits").first).to_contain_text("k")


def test_large_board_whose_stone_is_taken_back_has_no_sign_of_it_left(user: User) -> None:
    look(user, long_game())
    spots = user.page.locator(".heat .spot")
    expect(spots.first).to_be_attached()
    user.cell("s7").click()
    expect(user.page.locator(".cell.misfit").nth(100)).to_be_attached()
    expect(user.page.locator(".marks .bar.on-misfit").nth(100)).to_be_attached()
    user.page.keyboard.press("Backspace")
    # No report draws others while the squares lose their spots one by one.
    user.page.uncheck("#analyse")
    expect(spots).to_have_count(0)
    expect(user.page.locator(".cell.misfit")).to_have_count(0)
    expect(user.page.locator(".marks .on-misfit")).to_have_count(0)


def test_analysis_best_turn_of_the_list_is_the_darkest_on_the_board(user: User) -> None:
    look(user)
    user.cell("f5").click()
    expect(user.page.locator("#analysis-state")).to_contain_text("Every completion")
    # One is rounded to a whole number, the other to tenths.
    user.page.wait_for_function(
        """() => {
          const spots = [...document.querySelectorAll('.heat g')];
          const share = (spot) => Number(spot.children[0].style.getPropertyValue('--share'));
          spots.sort((one, two) => share(two) - share(one));
          const best = document.querySelector('#lines b')?.textContent;
          return best && Math.abs(Number(spots[0]?.textContent) - parseFloat(best)) <= 0.55;
        }"""
    )


@pytest.mark.firefox
def test_analysis_cell_under_the_pointer_shows_its_line(user: User) -> None:
    look(user)
    user.page.locator(".heat .spot").first.hover(force=True)
    expect(user.page.locator(".stones .number").first).to_have_text("1")
    user.page.mouse.move(5, 5)
    expect(user.page.locator(".stones .number")).to_have_count(0)


def test_analysis_view_of_the_end_shows_whose_stones_are_expected(user: User) -> None:
    look(user)
    user.page.get_by_text("Expected end", exact=True).click()
    expect(user.page.locator(".outlook .owned")).to_have_count(37 - 5)
    expect(user.page.locator(".heat .spot")).to_have_count(0)
    user.page.get_by_text("Visits", exact=True).click()
    expect(user.page.locator(".heat .spot").first).to_be_attached()
    expect(user.page.locator(".outlook .owned")).to_have_count(0)


def policy_of(user: User) -> tuple[list[str], list[str]]:
    """Return the texts of the cells, the darkest first, and the first column of the list."""
    found: tuple[list[str], list[str]] = user.page.evaluate(
        """() => {
          const share = (spot) => Number(spot.children[0].style.getPropertyValue('--share'));
          const spots = [...document.querySelectorAll('.heat g')];
          spots.sort((one, two) => share(two) - share(one));
          const texts = (all) => [...all].map((one) => one.textContent);
          return [texts(spots), texts(document.querySelectorAll('#lines b'))];
        }"""
    )
    return found


def test_analysis_view_of_the_policy_is_the_same_on_the_board_and_in_the_list(user: User) -> None:
    look(user)
    user.page.get_by_text("Policy", exact=True).click()
    expect(user.page.locator("#analysis-legend")).to_contain_text("before any search")
    expect(user.page.locator("#lines li")).to_have_count(6)
    expect(user.page.locator("#lines b").first).to_have_text(re.compile("%$"))
    user.settle()
    cells, rows = policy_of(user)
    assert all(re.fullmatch(r"[1-9]\d?|\.\d", text) for text in cells)
    shares = [float(row.removesuffix("%")) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert abs(float(cells[0]) - shares[0]) <= 0.5
    expect(user.page.locator("#analysis-state")).to_contain_text("visits")
    assert policy_of(user)[0] == cells  # searching does not change it


def test_analysis_view_of_the_policy_rates_second_stones(user: User) -> None:
    look(user)
    user.page.get_by_text("Policy", exact=True).click()
    expect(user.page.locator(".heat .spot").nth(5)).to_be_attached()
    user.cell("f5").click()
    expect(user.page.locator("#analysis-state")).to_contain_text("Every completion")
    user.settle()
    fitting = set(
        user.page.locator(".cell[aria-label$='completes the turn']").evaluate_all(
            "cells => cells.map((cell) => cell.getAttribute('aria-label').slice(0, 2))"
        )
    )
    named = user.page.locator("#lines .played").all_inner_texts()
    assert {name for name in named if name != "no more"} <= fitting
    cells, rows = policy_of(user)
    assert len(cells) <= len(fitting)
    assert float(rows[0].removesuffix("%")) > 1
    user.page.locator("#lines li").first.hover()
    expect(user.page.locator(".stones .number").first).to_have_text("1")


def test_analysis_view_of_a_game_without_a_policy_says_so(user: User) -> None:
    look(user, "game=odd&board=hex4&black=person&white=person&turns=1d4")
    user.page.get_by_text("Policy", exact=True).click()
    expect(user.page.locator("#analysis-legend")).to_contain_text("all stones are equally likely")
    until(lambda: len(set(policy_of(user)[0])) == 1)


@pytest.mark.firefox
def test_analysis_views_are_chosen_by_the_keyboard(user: User) -> None:
    look(user)
    user.page.locator("input[name=view][value=visits]").focus()
    user.page.keyboard.press("ArrowRight")
    expect(user.page.locator("input[name=view][value=policy]")).to_be_checked()
    expect(user.page.locator("#analysis-legend")).to_contain_text("before any search")


def test_analysis_over_a_lost_connection_goes_on_when_it_is_back(user: User) -> None:
    look(user.ask_server(), modules=True)
    said = user.page.evaluate(
        """async () => {
          const { app } = await import('./js/main.js');
          app.server.connection.lose('');
          return document.getElementById('analysis-state').textContent;
        }"""
    )
    assert "connection is lost" in said
    expect(user.page.locator("#analysis-state")).to_contain_text("visits")
    expect(user.page.locator("#analysis-resume")).to_be_hidden()


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
