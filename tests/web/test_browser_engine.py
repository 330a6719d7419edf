"""The engine in the browser: it plays, analyses and reviews, and the server's takes its place."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.rules.test_description import MANY
from tests.support.js_package import NEEDS_WASM
from tests.support.reviews import PUZZLES
from tests.web.conftest import DESK, WAIT, Server, User, new_user
from yoddd.notation import parse_turn

pytestmark = [pytest.mark.browser, pytest.mark.whole, NEEDS_WASM]

GAME = "game=yodd&board=hex4&black=person&white=person&turns=1d4.1a1,2g4.2c2,2e5"
SEARCH = re.compile(r" (reg_genmove|analyze|review|policy|probe|set_param level)\b")
"""What costs the server time."""


def searches(user: User) -> list[str]:
    """The searches that the page asks of the server from now on."""
    sent: list[str] = []

    def note(text: str | bytes) -> None:
        if SEARCH.search(str(text)):
            sent.append(str(text))

    user.page.on("websocket", lambda socket: socket.on("framesent", note))
    return sent


@pytest.mark.gate
@pytest.mark.firefox
def test_engine_of_the_browser_plays_analyses_and_reviews_by_default(user: User) -> None:
    sent = searches(user)
    user.open("game=yodd&board=hex2&black=person&white=level-6")  # a sweep has little to do
    user.cell("b2").click()
    user.page.click("#play")
    user.wait_turns(2)
    user.page.check("#analyse")
    expect(user.page.locator("#table li").first).to_be_visible()
    user.page.click("#game-tab")
    user.page.click("#hint")
    user.wait_status("would play")
    user.page.click("#review-tab")
    user.page.click("[data-review=begin]")
    expect(user.page.locator("#review .judged")).to_have_count(2)
    assert sent == []


def test_engine_is_chosen_where_it_analyses(user: User) -> None:
    sent = searches(user)
    with user.page.expect_websocket() as opened:
        user.open(GAME)
    user.page.check("#analyse")
    expect(user.page.locator("#analysis-state")).to_contain_text("visits")
    assert sent == []
    with opened.value.expect_event("framesent", lambda text: " analyze" in str(text), timeout=WAIT):
        user.page.select_option("#engine-place", "server")
    expect(user.page.locator("#lines li").first).to_be_visible()
    user.page.reload()
    expect(user.page.locator("#engine-place")).to_have_value("server")


@pytest.mark.firefox
def test_engine_of_the_browser_plays_without_the_server(user: User) -> None:
    user.page.route_web_socket("**/ws/channels", lambda _: None)
    user.page.goto(user.server.at("game=yodd&board=hex3&black=person&white=level-9"))
    user.cell("c3").click()
    user.page.click("#play")
    user.wait_turns(2)
    expect(user.page.locator("#status")).to_contain_text("Black to move")


@pytest.mark.firefox
def test_engine_that_cannot_run_in_the_browser_is_the_servers(
    browser: Browser, server: Server
) -> None:
    with new_user(browser, server, viewport=DESK) as user:
        user.page.add_init_script("delete window.WebAssembly")
        user.open("game=yodd&board=hex3&black=level-5&white=person")
        user.wait_turns(1)
        expect(user.page.locator("#engine-place").locator("..")).to_have_attribute("hidden", "")


@pytest.mark.firefox
def test_engine_whose_module_cannot_be_loaded_is_replaced(user: User) -> None:
    user.page.route("**/*.wasm", lambda route: route.abort())
    user.open("game=yodd&board=hex3&black=level-5&white=person")
    user.wait_turns(1)
    user.wait_status("White to move")
    user.problems.clear()  # the browser reports the file


DEEP = ("yodd-hex3-17", "yodd-hex4-10017", "yodd-hex4-10481")
"""Puzzles with 9, 18 and 19 empty cells; the sweeps of two take seconds on a loaded machine."""


@pytest.mark.firefox
@pytest.mark.parametrize("name", DEEP)
def test_puzzle_is_proven_in_the_browser_with_the_worth_of_every_stone(
    user: User, name: str
) -> None:
    sent = searches(user)
    user.visit(f"puzzles.html?puzzle={name}")
    user.page.get_by_role("button", name="Solution").click()
    user.page.get_by_role("button", name="Show all values").click()
    expect(user.page.locator(".answer")).to_contain_text("Ringed stones win", timeout=3 * WAIT)
    start = PUZZLES[name].start()
    turn = parse_turn(PUZZLES[name].turns[0], start.rules, start.player)
    expect(user.page.locator(".values .won")).to_have_count(len(turn.stones))
    assert sent == []


@pytest.mark.gate
def test_described_game_is_played_with_the_engine_and_its_link_holds_it(user: User) -> None:
    user.open("game=yodd&board=hex4&black=person&white=person")
    user.page.click("#new")
    user.page.click("#new-form summary")
    text = user.page.locator("textarea[name=description]")
    text.fill(MANY.replace('"more"', '"most"'))
    problem = user.page.locator("#new-form .problem")
    expect(problem).to_contain_text('line 15: score.wins: "most": expected more, fewer')
    text.fill(MANY)
    expect(problem).to_have_text("")
    expect(user.page.locator("#goal")).to_contain_text("each player counts the groups")
    user.page.select_option("#new-form [name=board]", "hex2")
    user.page.select_option("#new-form [name=white]", "level-9")
    user.page.uncheck("#options [name=pie]")
    user.page.click("#new-dialog button[value=start]")
    user.cell("b2").click()
    user.wait_turns(2)
    user.page.reload()
    user.wait_turns(2)
    expect(user.page.locator("#aim-text")).to_contain_text("the higher number wins")
