"""Whole games in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User

pytestmark = [pytest.mark.browser, pytest.mark.whole]

HOT_SEAT = "game=yodd&board=hex3&black=person&white=person"


def finish(user: User) -> None:
    """Play whatever the engine suggests until the game is over."""
    for _ in range(60):
        user.wait_status(r"(Black|White|Engine 1|You).*(wins|to move(?!: the engine))")
        if "wins" in user.status():
            return
        length = user.turns()
        if user.page.is_enabled("#pass") and length > 6:
            user.pass_turn()
        else:
            user.page.click("#hint")
            user.wait_status("would play")
            if user.page.is_enabled("#play"):
                user.page.click("#play")
            else:
                user.pass_turn()
        user.wait_turns(length + 1)
    raise AssertionError("the game never ends")


@pytest.mark.gate
@pytest.mark.firefox
def test_game_against_the_engine_ends_with_its_result(user: User) -> None:
    user.open("game=yodd&board=hex2&black=person&white=level-1")
    finish(user)
    expect(user.page.locator("#status")).to_contain_text("wins")
    expect(user.page.locator("#play")).to_be_disabled()


@pytest.mark.gate
def test_turn_with_an_even_total_is_refused_with_its_reason(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.cell("a1").click()
    user.wait_count("2", "0", "2")
    expect(user.page.locator("#play")).to_be_disabled()
    user.page.keyboard.press("Enter")
    expect(user.page.locator("#status")).to_have_text("Not allowed: 2 groups, even")
    user.wait_turns(1, exactly=True)
    user.cell("a3").click()
    user.page.click("#play")
    user.wait_turns(2, exactly=True)
    user.wait_count("3", "0", "3")


@pytest.mark.gate
def test_turn_that_the_server_refuses_is_taken_back(user: User) -> None:
    user.ask_server().open(HOT_SEAT, modules=True)
    # A page whose rules have gone wrong believes any turn legal.
    user.page.evaluate(
        "async () => {"
        " const { Position } = await import('./js/rules/rules.js');"
        " Position.prototype.dropProblem = () => null; }"
    )
    user.cell("a1").click()
    user.page.click("#play")
    user.wait_turns(1)
    user.cell("c5").click()
    user.page.click("#play")
    user.wait_status("^Not allowed: .*2 groups, even")
    user.wait_turns(1, exactly=True)


@pytest.mark.gate
@pytest.mark.firefox
def test_game_after_a_reload_goes_on(user: User) -> None:
    user.open("game=yodd&board=hex4&black=person&white=level-1")
    user.cell("d4").click()
    user.page.click("#play")
    user.wait_turns(2)
    user.wait_status("Black to move")
    before = [user.page.inner_text(f"#count-{index}") for index in range(3)]
    user.page.reload()
    user.wait_status("Black to move")
    user.wait_turns(2, exactly=True)
    user.wait_count(*before)
    user.page.click("#hint")
    user.wait_status("would play")


@pytest.mark.gate
@pytest.mark.firefox
def test_game_is_played_by_keyboard_alone(user: User) -> None:
    user.open("game=xodd&board=square3&black=person&white=person")
    for _ in range(15):
        user.page.keyboard.press("Tab")
        if user.page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    for key in ("ArrowLeft", "ArrowDown", "b"):
        user.page.keyboard.press(key)
    expect(user.page.locator("#status")).to_contain_text(
        "black on a1 makes a new group, total 1, odd"
    )
    user.page.keyboard.press("Enter")
    user.wait_turns(1, exactly=True)
    for key in ("ArrowRight", "w", "ArrowUp"):
        user.page.keyboard.press(key)
    expect(user.page.locator("#status")).to_contain_text("needs a second stone")
    user.page.keyboard.press("w")
    user.wait_count("1", "1", "2")
    user.page.keyboard.press("Backspace")
    user.page.keyboard.press("ArrowRight")
    user.page.keyboard.press("b")
    user.page.keyboard.press("Enter")
    user.wait_turns(2, exactly=True)
    user.wait_count("2", "1", "3")
    user.page.keyboard.press("p")
    user.confirm()
    user.page.keyboard.press("p")
    expect(user.page.locator("#status")).to_have_text("White wins with fewer groups: 1 to 2")
    user.page.keyboard.press("u")
    expect(user.page.locator("#status")).to_contain_text("to move")


@pytest.mark.gate
@pytest.mark.firefox
def test_pending_stones_follow_both_mouse_buttons_and_are_taken_back(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.cell("a1").click(button="right")
    user.wait_count("1", "1", "2")
    user.cell("a1").click()
    expect(user.page.locator("#count-1")).to_have_text("0")
    user.page.click("#back", force=True)
    expect(user.page.locator("#play")).to_be_disabled()


@pytest.mark.gate
def test_record_keeps_variations_and_comments_through_sgf(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3.2c2,1a1.pass")
    user.wait_turns(3, exactly=True)
    user.page.keyboard.press("ArrowLeft")
    user.page.keyboard.press("ArrowLeft")
    expect(user.page.locator("#slider")).to_have_value("1")
    user.cell("c2").click()
    user.page.click("#play")
    expect(user.page.locator("#moves .variation .turn")).to_have_count(1)
    user.page.keyboard.press("End")
    user.page.click("#comment-open")
    user.page.fill("#comment", "a quiet turn")
    with user.page.expect_download() as saved:
        user.page.click("#files-open")
        user.page.click("#save-sgf")
    text = saved.value.path().read_text()
    assert "C[a quiet turn]" in text
    assert text.count(";W[") == 2
    user.page.set_input_files("#file", saved.value.path())
    expect(user.page.locator("#moves .variation .turn")).to_have_count(1)


def test_link_to_a_game_against_the_engine_goes_on_against_it(user: User) -> None:
    user.open("game=yodd&board=hex3&black=person&white=level-1&turns=1c3")
    user.wait_turns(2)
    user.page.click("#files-open")
    user.page.goto(user.page.input_value("#link"))
    user.wait_turns(2)
    expect(user.page.locator("#player-1 .who")).to_have_text("Engine 1")


@pytest.mark.gate
@pytest.mark.firefox
def test_new_game_dialog_starts_a_game(user: User) -> None:
    user.open()
    user.page.click("#new")
    user.page.locator("#new-form .games label", has_text=re.compile("^Odd$")).click()
    user.page.select_option("[name=board]", "square5")
    user.page.select_option("[name=white]", "person")
    user.page.click("#new-form .solid")
    expect(user.page.locator("#title")).to_have_text("Odd, 5 \u00d7 5")


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
    factors = "[0-9]+ \\u00d7 [0-9]+ = [0-9]+"
    user.wait_status(f"(Black|White) wins: .*multiplied, ({factors} to {factors}|[0-9]+ each; )")
