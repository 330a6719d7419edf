"""Slips of the finger, and mistakes that the page made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import PHONE, Server, User, new_user
from tests.web.test_lobby import begin, begin_with_turn, offer
from tests.web.test_play import HOT_SEAT

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.gate
def test_pass_with_a_stone_pending_asks_first(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.cell("a1").click()
    user.wait_count("2", "0", "2")
    user.page.click("#pass")
    assert "stone" in user.confirm(accept=False)
    user.wait_count("2", "0", "2")
    user.wait_turns(1, exactly=True)
    user.page.click("#pass")
    user.confirm()
    user.wait_turns(2, exactly=True)


def test_keys_behind_a_dialog_do_nothing(user: User, other: User) -> None:
    begin_with_turn(user, other, "ned", "oda")
    other.page.click("#lobby-open")
    other.page.locator("#lobby-dialog h2").click()
    for key in ("p", "Enter", "Home", "u"):
        other.page.keyboard.press(key)
    other.page.keyboard.press("Escape")
    expect(other.page.locator("#lobby-dialog")).not_to_be_visible()
    other.page.keyboard.press("p")
    other.cell("a1").focus()
    other.page.keyboard.press("p")
    # A turn of the keys before would be the second one, and this pass refused.
    for one in (user, other):
        one.wait_turns(2)
        expect(one.page.locator("#moves .turn")).to_have_text(["c3", "pass"])


@pytest.mark.parametrize("name", ["new", "settings-open", "files-open", "lobby-open", "help-open"])
def test_escape_closes_a_dialog_and_keeps_the_stones(user: User, name: str) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.cell("a1").click()
    user.page.click(f"#{name}")
    expect(user.page.locator("dialog[open]")).to_have_count(1)
    user.page.keyboard.press("Escape")
    expect(user.page.locator("dialog[open]")).to_have_count(0)
    user.wait_count("2", "0", "2")


@pytest.mark.firefox
def test_new_game_asks_before_it_drops_a_running_one(user: User) -> None:
    user.open(HOT_SEAT + "&turns=1c3")
    user.page.click("#new")
    user.page.click("#new-dialog button[value=start]")
    assert "not over" in user.confirm(accept=False)
    user.wait_turns(1, exactly=True)
    user.page.click("#new-dialog button[value=start]")
    user.confirm()
    user.wait_turns(0, exactly=True)
    user.page.click("#new")
    user.page.click("#new-dialog button[value=start]")
    expect(user.page.locator("#new-dialog")).not_to_be_visible()


def test_lobby_game_that_is_left_for_a_new_one_asks_first(user: User, other: User) -> None:
    begin(user, other, "pia", "quo")
    other.page.click(".brand")
    assert "pia" in other.confirm(accept=False)
    expect(other.page.locator("#player-0 .who")).to_have_text("pia")


@pytest.mark.gate
@pytest.mark.firefox
def test_back_stays_within_the_site(user: User) -> None:
    user.page.goto("about:blank")
    user.open(HOT_SEAT + "&turns=1c3")
    user.start_new_game()
    user.wait_turns(0, exactly=True)
    user.page.go_back()
    user.wait_turns(1, exactly=True)
    user.page.go_forward()
    user.wait_turns(0, exactly=True)


# -- mistakes of the page --------------------------------------------------------------------


OVER = "game=yodd&board=hex4&black=person&white=person&turns=1a1.2c1,2e1.1b1.resign"

CONTROLS = """() => [...document.querySelectorAll('.controls button, .controls .switch')]
  .filter((one) => one.checkVisibility())
  // On a phone the card is a sheet above the rest.
  .filter((one) => getComputedStyle(one.closest('#after') ?? one).position !== 'fixed')
  .map((one) => ({ name: one.id || one.textContent, ...one.getBoundingClientRect().toJSON() }))"""


@pytest.mark.gate
def test_controls_of_a_game_that_is_over_are_whole_and_apart(
    browser: Browser, server: Server
) -> None:
    with new_user(browser, server, viewport=PHONE) as user:
        user.open(OVER)
        expect(user.page.locator("#after")).to_be_visible()
        for is_end in (True, False):
            user.settle()
            boxes = user.page.evaluate(CONTROLS)
            assert any(box["name"] == "play" for box in boxes) is not is_end
            for box in boxes:
                assert box["left"] >= 0, box
                assert box["right"] <= PHONE["width"], box
            for index, one in enumerate(boxes):
                for other in boxes[index + 1 :]:
                    apart = one["right"] <= other["left"] or other["right"] <= one["left"]
                    below = one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
                    assert apart or below, (one, other)
            user.page.evaluate("document.getElementById('prev').click()")


def test_second_participant_needs_another_name_and_begins_with_their_colour(
    user: User, other: User
) -> None:
    offer(user, "anna")
    other.open()
    other.page.click("#lobby-open")
    other.page.fill("#lobby-dialog [name=name]", "Anna")
    other.page.click("[aria-label='Join: anna is waiting']")
    problem = other.page.locator("#lobby-dialog .problem")
    expect(problem).to_have_text("the other participant is Anna, too: choose another name")
    other.page.fill("#lobby-dialog [name=name]", "rose")
    other.page.click("[aria-label='Join: anna is waiting']")
    expect(other.page.locator("#player-1 .who")).to_have_text("rose")
    expect(other.page.locator("input[name=colour][value='1']")).to_be_checked()
    expect(user.page.locator("input[name=colour][value='0']")).to_be_checked()


HEAD = "(;FF[4]GM[9633]YGAME[yodd]YBOARD[hex3]PB[eva]PW[max]"


def test_file_asks_before_it_takes_the_place_of_a_game(user: User, tmp_path: Path) -> None:
    file = tmp_path / "two.sgf"
    file.write_text(f"{HEAD};B[1c3]C[here])\n{HEAD};B[1a1];W[1b1])", encoding="utf-8")
    user.open("game=yodd&board=hex4&black=person&white=person&turns=1a1")
    user.page.set_input_files("#file", str(file))
    assert "not over" in user.confirm(accept=False)
    expect(user.page.locator("#title")).to_contain_text("4")
    user.page.set_input_files("#file", str(file))
    user.confirm()
    user.wait_status("The file holds 2 games. This is the first")
    expect(user.page.locator("#player-1 .who")).to_have_text("max")
    expect(user.page.locator("#resign")).to_be_disabled()
    user.page.click("#files-open")
    expect(user.page.locator("#link-note")).to_contain_text("with variations")
    shared = user.page.input_value("#link")
    games = user.page.locator("#file-games option")
    expect(games).to_have_text(["1. eva \u2013 max", "2. eva \u2013 max"])
    user.page.select_option("#file-games", index=1)
    user.wait_turns(2, exactly=True)
    user.page.click("#files-open")
    expect(user.page.locator("#link-note")).to_be_empty()
    user.page.goto("about:blank")
    user.page.goto(shared)
    expect(user.page.locator("#player-0 .who")).to_have_text("eva")


def test_address_that_leads_nowhere_has_a_page_of_ours(user: User) -> None:
    for path in ("nothing.html", "js/none/at/all"):
        reply = user.page.goto(f"{user.server.url}{path}")
        assert reply is not None
        assert reply.status == 404
        expect(user.page.locator("h1")).to_have_text("There is no such page")
        user.page.click("text=Play")
        expect(user.page.locator("#board")).to_be_visible()
    assert all("404" in problem for problem in user.problems)
    user.problems.clear()


def test_game_that_does_not_exist_is_said_in_words(user: User) -> None:
    user.open("table=t99")
    user.wait_status("^The game cannot be shown: no game 't99'$")
