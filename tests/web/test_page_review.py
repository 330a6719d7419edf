"""The review of a game on the page, judged by the daemon."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import WAIT, User
from tests.web.test_look import GAME as LONG_GAME

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = (
    "game=yodd&board=hex4&black=person&white=person&turns="
    "1f3.1b2,1d2.1c2,2b5.1a3,2d7.1c4,1f5.1d5,2b4.1d4,2a4.1f1,2e1.1f4,2c3.pass.pass"
)
"""A game with errors of both players, which White wins."""


def review(user: User) -> None:
    user.open(GAME)
    user.page.locator("#after [data-after=review]").click()
    expect(user.page.locator("#review .judged")).to_have_count(2)


@pytest.mark.gate
@pytest.mark.firefox
def test_review_of_a_finished_game_judges_both_players(user: User) -> None:
    review(user)
    page = user.page
    expect(page.locator("#after").get_by_role("button")).to_have_text(["Rematch"])
    expect(page.locator("#review .judged b")).to_have_text([re.compile(r"^(100|\d?\d) %$")] * 2)
    expect(page.locator("#graph .sign").first).to_be_attached()
    marks = page.locator("#graph .sign").count()
    page.click("#game-tab")
    expect(page.locator("#moves .icon")).to_have_count(marks)
    page.click("#review-tab")
    expect(page.locator("#graph .win")).to_have_attribute("d", re.compile(r"^M.*(L.*){11}$"))
    page.click("[data-review=before]")
    expect(page.locator("#review .verdict")).to_contain_text(
        re.compile("inaccuracy|mistake|blunder")
    )
    expect(page.locator(".missed .missed-ring").first).to_be_attached()
    place = page.input_value("#slider")
    page.click("[data-review=better]")
    expect(page.locator("#slider")).to_have_value(str(int(place) - 1))
    expect(page.locator(".stones .number").first).to_have_text("1")
    page.click("[data-review=better]")
    expect(page.locator("#slider")).to_have_value(place)
    page.locator("#slider").click(position={"x": 2, "y": 20})
    expect(page.locator("#slider")).to_have_value("0")


def test_review_lesson_asks_until_a_turn_is_right(user: User) -> None:
    review(user)
    page = user.page
    page.locator("[data-review^=learn]").first.click()
    expect(page.locator("#review .verdict")).to_contain_text("Find a better turn")
    turns = user.turns()
    user.pass_turn()
    expect(page.locator("#review .told")).to_contain_text(re.compile("Try again|Right"))
    give_up = page.locator("[data-review=give-up]")
    if give_up.is_visible():
        give_up.click()
    expect(page.locator(".stones .number").first).to_have_text("1")
    assert user.turns() == turns, "the game itself stays as it was"
    onward = page.locator("[data-review=next], [data-review=close]")
    while onward.first.get_attribute("data-review") == "next":
        onward.first.click()
    expect(page.locator("#review-body")).to_contain_text("at the first try")
    page.click("[data-review=close]")
    expect(page.locator("#review .judged")).to_have_count(2)


def test_review_that_is_stopped_or_left_ends(user: User) -> None:
    user.page.set_viewport_size({"width": 390, "height": 844})
    # A game whose review takes longer than what is done meanwhile.
    user.ask_server().open(f"{LONG_GAME}.resign", modules=True)
    user.page.locator("#after [data-after=review]").click()
    user.page.click("[data-review=stop]")
    expect(user.page.locator("[data-review=begin]")).to_be_visible()
    user.page.click("[data-review=begin]")
    expect(user.page.locator("#review progress")).to_be_visible()
    user.page.evaluate(
        "import('./js/play/main.js').then(({ app }) => app.server.connection.lose(''))"
    )
    expect(user.page.locator("#review .problem")).to_contain_text("The review has stopped")
    expect(user.page.locator("#network")).to_have_attribute("data-network", "online")
    user.page.click("[data-review=begin]")
    expect(user.page.locator("#review .judged")).to_have_count(2, timeout=3 * WAIT)
