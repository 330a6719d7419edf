"""The first visit, the lessons and the rules in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.web.conftest import DESK, Preferring, Server, User, new_context, new_user
from tests.web.test_lessons import GAMES, STEPS
from yoddd.daemon.pages.shell import LANGUAGES

pytestmark = [pytest.mark.browser, pytest.mark.whole]

RIGHT = """async ([game, index]) => {
  const lesson = await (await fetch(`lessons/${game}.json`)).json();
  const rules = await import('./js/rules/lesson.js');
  const step = lesson.steps[index];
  const position = rules.positionOf(step);
  const { labels } = position.rules.board;
  if (step.ask.groups) {
    const { groups } = position.census();
    return { taps: rules.askedGroups(step).map((one) => labels[groups[one].cells[0]]) };
  }
  if (!step.ask.turn) return { button: rules.choiceText(rules.rightAnswer(step)) };
  const { parseTurn } = await import('./js/rules/notation.js');
  const turn = parseTurn(rules.rightTurns(step)[0], position.rules, position.player);
  if (turn.kind !== 'drop') return { button: turn.kind === 'pass' ? 'Pass' : 'Swap sides' };
  const begun = rules.begunOf(step).map(({ cell }) => cell);
  const left = turn.stones.filter(({ cell }) => !begun.includes(cell));
  return { stones: left.map(({ cell, colour }) => [labels[cell], colour]) };
}"""
"""What to click in a step, as the page's own rules judge it."""


def solve(user: User, game: str, index: int) -> None:
    """Do one step of a lesson with the mouse."""
    todo = user.page.evaluate(RIGHT, [game, index])
    for label in todo.get("taps", ()):
        user.cell(label).click()
    for label, colour in todo.get("stones", ()):
        choice = user.page.locator(".switch label").nth(colour)
        if choice.is_visible():
            choice.click()
        user.cell(label).click()
    if "button" in todo:
        user.page.locator(".answers").get_by_role("button", name=todo["button"]).click()
    expect(user.page.locator(".answer.right")).to_be_visible()


@contextmanager
def first_visit(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """A page in a browser that has never been here."""
    context = new_context(browser, **options)
    page = context.new_page()
    page.clock.install()
    page.goto(url)
    yield page
    context.close()


@pytest.fixture
def fresh(browser: Browser, server: Server) -> Iterator[Page]:
    """The first visit to the board."""
    with first_visit(browser, server.url, viewport=DESK) as page:
        yield page


@pytest.mark.gate
@pytest.mark.firefox
def test_first_visit_shows_a_game_and_the_next_one_the_board(fresh: Page, server: Server) -> None:
    dialog = fresh.locator("#welcome")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("link", name="Learn")).to_be_focused()
    expect(dialog.locator(".small-board .stone").nth(2)).to_be_attached()
    dialog.get_by_role("button", name="Pause").click()
    before = dialog.locator(".caption").inner_text()
    dialog.get_by_role("button", name="Play on a small board").click()
    assert before
    expect(dialog).to_have_count(0)
    expect(fresh.locator("#title")).to_have_text("Yodd, hexagon of 4")
    expect(fresh.locator("#player-1 .who")).to_have_text("Engine 2")
    fresh.goto(f"{server.url}ladder.html")
    fresh.goto(server.url)
    expect(fresh.locator("#title")).to_have_text("Yodd, hexagon of 8")
    expect(dialog).to_have_count(0)


def test_game_to_watch_plays_itself_until_it_is_paused(fresh: Page) -> None:
    fresh.get_by_role("button", name="Watch a game").click()
    fresh.clock.run_for(1500)
    expect(fresh.locator("#slider")).not_to_have_value("0")
    fresh.click("#autoplay")
    expect(fresh.locator("#autoplay")).to_have_text("Go on")
    shown = fresh.locator("#slider").input_value()
    fresh.clock.run_for(5000)
    expect(fresh.locator("#slider")).to_have_value(shown)
    fresh.click("#autoplay")
    fresh.clock.run_for(1500)
    expect(fresh.locator("#slider")).not_to_have_value(shown)


def test_first_visit_by_a_link_leads_to_what_it_names(browser: Browser, server: Server) -> None:
    with first_visit(browser, server.at("game=xodd&board=square5")) as page:
        expect(page.locator("#title")).to_have_text("Xodd, 5 \u00d7 5")
        expect(page.locator("#welcome")).to_have_count(0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_introduction_fits_a_narrow_phone(browser: Browser, server: Server, language: str) -> None:
    narrow: ViewportSize = {"width": 320, "height": 640}
    with first_visit(browser, server.url, viewport=narrow, locale=language) as page:
        dialog = page.locator("#welcome")
        expect(dialog.locator(".small-board .stone").first).to_be_visible()
        for part in dialog.locator(".figures > :not(.what), h2, p, a, button").all():
            expect(part).to_be_in_viewport(ratio=0.99)


def test_introduction_can_be_opened_again(user: User) -> None:
    user.page.goto(f"{user.server.url}learn.html")
    user.page.get_by_role("link", name="The introduction").click()
    expect(user.page.locator("#welcome")).to_be_visible()
    user.page.keyboard.press("Escape")
    expect(user.page.locator("#welcome")).to_have_count(0)


def test_first_visit_without_motion_is_still(preferring: Preferring, server: Server) -> None:
    browser, still = preferring("reduced_motion")
    with first_visit(browser, server.url, **still) as page:
        stones = page.locator("#welcome .small-board .stone")
        expect(stones).to_have_count(19)
        page.clock.run_for(5000)
        expect(stones).to_have_count(19)


@pytest.mark.gate
@pytest.mark.firefox
def test_lesson_answers_at_once_and_keeps_the_progress(user: User) -> None:
    user.page.goto(f"{user.server.url}learn.html#yodd.3")
    user.cell("c4").click()
    expect(user.page.locator(".answer.wrong")).to_contain_text("2 groups, an even number")
    user.cell("f1").click()
    expect(user.page.locator(".answer.right")).to_contain_text("3 groups: odd")
    user.page.keyboard.press("Enter")
    expect(user.page.locator("h1")).to_have_text("4. One stone is enough")
    expect(user.page.locator(".steps .done")).to_have_count(1)
    user.page.goto(f"{user.server.url}learn.html")
    expect(user.page.locator(".lessons li").first).to_contain_text("1 of 15 steps")
    user.page.reload()
    user.page.get_by_role("link", name="Go on: Yodd").click()
    expect(user.page.locator("h1")).to_have_text("1. Groups")


@pytest.mark.parametrize("game", GAMES)
def test_lesson_of_a_game_can_be_done_to_its_end(user: User, game: str) -> None:
    user.page.goto(f"{user.server.url}learn.html#{game}.1")
    for index in range(STEPS[game]):
        expect(user.page.locator("h1")).to_contain_text(f"{index + 1}. ")
        solve(user, game, index)
        user.page.locator(".onward a").click()
    expect(user.page.locator("h1")).to_have_text("Well done")
    kept = user.page.evaluate("JSON.parse(localStorage.getItem('yoddd.lessons'))")
    assert sorted(kept[game]) == list(range(STEPS[game]))


def test_board_of_the_rules_answers_to_clicks(user: User) -> None:
    user.page.goto(f"{user.server.url}rules.html#yodd")
    part = user.page.locator(".trial").nth(1)
    play = part.get_by_role("button", name="Play", exact=True)
    part.locator(".cell[aria-label^='a1,']").click()
    expect(part.locator(".answer")).to_contain_text("total 2, even, needs a second stone")
    expect(play).to_be_disabled()
    part.locator(".cell[aria-label^='g1,']").click()
    play.click()
    expect(part.locator(".answer")).to_contain_text("Black to move")
    end = user.page.locator(".trial").nth(3)
    end.get_by_role("button", name="Pass").click()
    expect(end.locator(".answer")).to_have_text("Black wins with fewer groups: 2 to 3")
    user.page.get_by_role("link", name="Yoin").click()
    expect(user.page.locator("h1")).to_have_text("Rules of Yoin")
    user.page.get_by_role("button", name="Swap sides").click()
    expect(user.page.locator(".trial").nth(1).locator(".answer")).to_contain_text("White to move")


@pytest.mark.firefox
def test_board_without_motion_has_no_animation(preferring: Preferring, server: Server) -> None:
    browser, still = preferring("reduced_motion")
    with new_user(browser, server, viewport={"width": 390, "height": 844}, **still) as user:
        user.open("game=yodd&board=hex5&black=person&white=person")
        user.page.evaluate(
            """() => {
              const animate = Element.prototype.animate;
              window.animated = 0;
              Element.prototype.animate = function (...given) {
                window.animated += 1;
                return animate.apply(this, given);
              };
            }"""
        )
        user.cell("e5").click()
        expect(user.page.locator(".stone.pending")).to_have_count(1)
        moving = "() => window.animated + document.getAnimations().length"
        assert user.page.evaluate(moving) == 0
