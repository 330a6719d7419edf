"""The end of a game, and the board on which turns of both sides are tried after it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import DESK, Server, User, new_user
from tests.web.test_lobby import begin, drop

pytestmark = [pytest.mark.browser, pytest.mark.whole]

ENDED = "game=yodd&board=hex4&black=person&white=level-1&turns=1a1.2c1,2e1.pass.pass"


@pytest.mark.firefox
def test_finished_game_with_the_engine_is_analysed_and_left_in_one_click(user: User) -> None:
    user.open(ENDED)
    user.page.click("#after [data-after=analyse]")
    expect(user.page.locator("#analyse")).to_be_checked()
    expect(user.page.locator("#after")).to_contain_text("Try turns for both sides")
    expect(user.page.locator("#table li, #lines li").first).to_be_visible()
    user.page.uncheck("#analyse")
    user.page.click("#first")
    drop(user, ("d4", "b"))
    # The turn of the engine is the user's to try.
    drop(user, ("a1", "w"), ("g1", "b"))
    user.wait_status("Black to move")
    expect(user.page.locator("#moves .variation .turn")).to_have_count(2)
    # The engine would answer before it gives a hint.
    user.page.click("#hint")
    user.wait_status("would play")
    expect(user.page.locator("#moves .variation .turn")).to_have_count(2)
    user.page.click("#after [data-after=back]")
    expect(user.page.locator("#after h2")).to_have_text("You won")
    expect(user.page.locator("#moves .variation .turn")).to_have_count(2)


@pytest.mark.gate
def test_spectator_tries_turns_while_the_game_goes_on(
    user: User, other: User, browser: Browser, server: Server
) -> None:
    begin(user, other, "abe", "bea")
    game = user.page.url.partition("#")[2]
    with new_user(browser, server, viewport=DESK) as spectator:
        spectator.open(game)
        # The game shown before has the same status.
        expect(spectator.page.locator("#player-0 .who")).to_have_text("abe")
        for button in ("undo", "resign", "hint"):
            expect(spectator.page.locator(f"#{button}")).to_be_disabled()
        drop(spectator, ("a1", "w"))
        drop(spectator, ("a3", "w"), ("e3", "b"))
        drop(user, ("c3", "b"))
        other.wait_turns(1)
        drop(other, ("a1", "b"), ("a3", "w"))
        user.wait_turns(2)
        expect(spectator.page.locator("#moves .variation .turn")).to_have_count(2)
        spectator.page.click("#after [data-after=back]")
        expect(spectator.page.locator("#slider")).to_have_value("2")
        expect(spectator.page.locator("#after")).to_be_hidden()
        expect(spectator.page.locator("#moves .turn")).to_have_count(4)
        expect(spectator.page.locator("#resign")).to_be_disabled()


PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true });
  document.body.dispatchEvent(event);
}"""

DROP = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], 'game.sgf', { type: 'application/x-go-sgf' }));
  const event = (type) => new DragEvent(type, {
    dataTransfer: data, bubbles: true, cancelable: true,
  });
  const isTaken = !document.body.dispatchEvent(event('dragover'));
  document.body.dispatchEvent(event('drop'));
  return isTaken;
}"""


@pytest.mark.gate
def test_sgf_is_pasted_and_dropped(user: User) -> None:
    user.open("game=yodd&board=hex4&black=person&white=person&turns=1a1.2c1,2e1")
    user.wait_turns(2)
    with user.page.expect_download() as saved:
        user.page.click("#files-open")
        user.page.click("#save-sgf")
    user.page.keyboard.press("Escape")
    text = saved.value.path().read_text()
    user.page.goto("about:blank")
    user.open("game=yodd&board=hex3&black=person&white=person")
    user.page.evaluate(PASTE, "no game")
    assert user.turns() == 0
    user.page.evaluate(PASTE, text)
    user.wait_turns(2, exactly=True)
    expect(user.page.locator("#title")).to_have_text(re.compile("hexagon of 4"))
    user.page.goto("about:blank")
    user.open("game=yodd&board=hex3&black=person&white=person&turns=1a1")
    user.wait_turns(1, exactly=True)
    assert user.page.evaluate(DROP, text)
    user.confirm()
    user.wait_turns(2, exactly=True)
    user.page.evaluate(PASTE, "https://hexworld.org/board/#11c1,a1b2")
    expect(user.page.get_by_text("this is a link to a game of Hex").first).to_be_visible()
    user.page.evaluate(PASTE, "https://play.example.org/#game=odd&board=hex3&turns=1a1.1a2.1a3")
    user.wait_turns(3, exactly=True)
    expect(user.page.locator("#title")).to_have_text(re.compile("Odd"))


ENGINE = "game=yodd&board=hex3&black=person&white=level-1"


def test_card_of_a_lost_game_says_so_and_leads_on(user: User) -> None:
    user.open(ENGINE)
    user.resign()
    user.wait_status("White wins by resignation")
    expect(user.page.locator("#after h2")).to_have_text("You lost")
    for name in ("Rematch", "Analyse"):
        button = user.page.locator("#after .row").get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=1)
    user.page.get_by_role("button", name="Close the result").click()
    expect(user.page.locator("#after")).to_have_text("Rematch")


@pytest.mark.gate
def test_card_is_shown_at_the_end_alone(user: User) -> None:
    user.open("game=yodd&board=hex4&black=person&white=person&turns=1a1.2c1,2e1.pass")
    user.pass_turn()
    user.wait_status("wins with fewer groups")
    expect(user.page.locator("#after h2")).to_have_text("Black won")
    expect(user.page.locator("#play")).to_be_hidden()
    user.page.click("#prev")
    expect(user.page.locator("#after")).to_be_hidden()
    expect(user.page.locator("#play")).to_be_visible()
    user.page.click("#next")
    expect(user.page.locator("#after")).to_be_visible()


def test_rematch_with_the_engine_has_the_seats_exchanged(user: User) -> None:
    user.open(ENGINE)
    user.resign()
    user.page.click("#after >> text=Rematch")
    expect(user.page.locator("#player-0 .who")).to_have_text("Engine 1")
    user.wait_turns(1)
    expect(user.page.locator("#after")).to_be_hidden()
    expect(user.page.locator("input[name=colour][value='1']")).to_be_checked()
