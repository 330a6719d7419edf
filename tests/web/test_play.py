"""Whole games in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Person

pytestmark = pytest.mark.browser

HOT_SEAT = "game=yodd&board=hex3&black=person&white=person"


def finish(person: Person) -> None:
    """Play whatever the engine suggests until the game is over."""
    for _ in range(60):
        person.wait_status(r"(Black|White|Engine 1|You).*(wins|to move(?!: the engine))")
        if "wins" in person.status():
            return
        if person.page.is_enabled("#pass") and person.turns() > 6:
            person.page.click("#pass")
        else:
            length = person.turns()
            person.page.click("#hint")
            person.wait_status("would play")
            if person.page.is_enabled("#play"):
                person.page.click("#play")
            else:
                person.page.click("#pass")
            person.wait_turns(length + 1)
    raise AssertionError("the game never ends")


def test_a_whole_game_against_the_engine_to_its_result(person: Person) -> None:
    person.open("game=yodd&board=hex2&black=person&white=level-1")
    finish(person)
    expect(person.page.locator("#status")).to_contain_text("wins")
    expect(person.page.locator("#play")).to_be_disabled()


def test_the_engine_answers_whoever_did_not_wait_for_the_hint(person: Person) -> None:
    person.open("game=yodd&board=hex4&black=person&white=level-1")
    # At once: a hint may take no longer than a click.
    person.page.evaluate(
        "import('./js/main.js').then(({ app }) => {"
        " app.hint(); app.setPending([{ cell: 0, colour: 0 }]); app.commit(); })"
    )
    person.wait_turns(2)
    person.wait_status("Black to move")


def test_an_even_turn_is_refused_with_its_reason(person: Person) -> None:
    person.open(HOT_SEAT + "&turns=1c3")
    person.cell("a1").click()
    person.wait_count("2", "0", "2")
    person.page.click("#play")
    expect(person.page.locator("#status")).to_have_text("Not allowed: 2 groups, even")
    person.wait_turns(1, exactly=True)
    person.cell("a3").click()
    person.page.click("#play")
    person.wait_turns(2, exactly=True)
    person.wait_count("3", "0", "3")


def test_the_server_has_the_last_word(person: Person) -> None:
    person.open(HOT_SEAT)
    # A page whose rules have gone wrong believes any turn legal.
    person.page.evaluate(
        "async () => {"
        " const { Position } = await import('./js/rules.js');"
        " Position.prototype.dropProblem = () => null; }"
    )
    person.cell("a1").click()
    person.page.click("#play")
    person.wait_turns(1)
    person.cell("c5").click()
    person.page.click("#play")
    person.wait_status("Not allowed: illegal move: .*2 groups, even")
    person.wait_turns(1, exactly=True)


def test_a_reload_in_the_middle_goes_on_where_it_was(person: Person) -> None:
    person.open("game=yodd&board=hex4&black=person&white=level-1")
    person.cell("d4").click()
    person.page.click("#play")
    person.wait_turns(2)
    before = person.count()
    person.page.reload()
    person.wait_status("Black to move")
    person.wait_turns(2, exactly=True)
    person.wait_count(*before)
    person.page.click("#hint")
    person.wait_status("would play")


def test_a_game_by_keyboard_alone(person: Person) -> None:
    person.open("game=xodd&board=square3&black=person&white=person")
    for _ in range(12):
        person.page.keyboard.press("Tab")
        if person.page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    for key in ("ArrowLeft", "ArrowDown", "b"):
        person.page.keyboard.press(key)
    expect(person.page.locator("#status")).to_contain_text(
        "black on a1 makes a new group, total 1, odd"
    )
    person.page.keyboard.press("Enter")
    person.wait_turns(1, exactly=True)
    for key in ("ArrowRight", "w", "ArrowUp"):
        person.page.keyboard.press(key)
    expect(person.page.locator("#status")).to_contain_text("needs a second stone")
    person.page.keyboard.press("w")
    person.wait_count("1", "1", "2")
    person.page.keyboard.press("Backspace")
    person.page.keyboard.press("ArrowRight")
    person.page.keyboard.press("b")
    person.page.keyboard.press("Enter")
    person.wait_turns(2, exactly=True)
    person.wait_count("2", "1", "3")
    for key in ("p", "p"):
        person.page.keyboard.press(key)
    expect(person.page.locator("#status")).to_have_text("White wins with 1 groups to 2")
    person.page.keyboard.press("u")
    expect(person.page.locator("#status")).to_contain_text("to move")


def test_both_mouse_buttons_and_the_way_back(person: Person) -> None:
    person.open(HOT_SEAT + "&turns=1c3")
    person.cell("a1").click(button="right")
    person.wait_count("1", "1", "2")
    person.cell("a1").click()
    expect(person.page.locator("#count-1")).to_have_text("0")
    person.page.click("#back", force=True)
    expect(person.page.locator("#play")).to_be_disabled()


def test_the_replay_and_a_variation(person: Person) -> None:
    person.open(HOT_SEAT + "&turns=1c3.2c2,1a1.pass")
    person.wait_turns(3, exactly=True)
    person.page.keyboard.press("ArrowLeft")
    person.page.keyboard.press("ArrowLeft")
    expect(person.page.locator("#slider")).to_have_value("1")
    person.cell("c2").click()
    person.page.click("#play")
    expect(person.page.locator("#moves .alternatives")).to_have_count(1)
    person.page.keyboard.press("End")
    person.page.fill("#comment", "a quiet turn")
    with person.page.expect_download() as saved:
        person.page.click("#files-open")
        person.page.click("#save-sgf")
    text = saved.value.path().read_text()
    assert "C[a quiet turn]" in text
    assert text.count(";W[") == 2
    person.page.set_input_files("#file", saved.value.path())
    expect(person.page.locator("#moves .alternatives")).to_have_count(1)


@pytest.mark.parametrize(
    ("fragment", "label"),
    [
        ("game=xodd&board=square12", "l12"),
        ("game=odd&board=hex5&min_group=3", "e9"),
        ("game=odd&board=square7", "g7"),
        ("game=yoin&board=hex6&turns=f6", "k6"),
        ("game=yodd&board=hex13", "m25"),
        ("game=xodd&board=square25", "y25"),
        ("position=yodd hex4 4/5/6/3b3/6/5/4 w 0 2&turns=2a1,2g4", "d4"),
    ],
)
def test_every_game_and_size_opens(person: Person, fragment: str, label: str) -> None:
    person.open(f"{fragment}&black=person&white=person")
    expect(person.cell(label)).to_have_count(1)
    expect(person.page.locator("#board")).to_be_visible()


def test_yoin_swaps_the_people(person: Person) -> None:
    person.open("game=yoin&board=hex3&black=person&white=level-1&turns=c3.swap")
    expect(person.page.locator("#player-0 .dot.white")).to_have_count(1)


def test_a_new_game_from_the_dialog(person: Person) -> None:
    person.open()
    person.page.click("#new")
    person.page.locator("#new-form .games label", has_text=re.compile("^Odd$")).click()
    person.page.select_option("[name=board]", "square5")
    person.page.select_option("[name=white]", "person")
    person.page.click("#new-form .solid")
    expect(person.page.locator("#title")).to_have_text("Odd, 5 \u00d7 5")
    person.page.click("#new")
    person.page.fill("[name=position]", "yodd hex4 nonsense b 0 1")
    person.page.click("#new-form .solid")
    expect(person.page.locator("#new-dialog .problem")).to_contain_text("rows, hex4 has 7")
