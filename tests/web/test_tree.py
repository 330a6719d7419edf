"""The record as a tree: variations, glyphs, comments, deletion, links, files."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=odd&board=hex4&black=person&white=person&turns=1d4.2a1.1b1.2c1"
STUDY = (
    "(;GM[9633]YGAME[odd]YBOARD[hex4]C[the start];B[1d4];W[2a1]"
    "(;B[1b1]C[quiet];W[1a2])(;B[2b2](;W[1e1])(;W[2e1];B[1e2]))(;B[1d1]))"
)


def open_file(user: User, path: Path) -> None:
    user.page.click("#files-open")
    user.page.set_input_files("#file", path)
    user.page.click("#confirm-yes")  # the game that is shown goes


def rows(user: User) -> list[str]:
    """The rows of the record from top to bottom, words only."""
    texts = user.page.locator("#moves li").all_inner_texts()
    return [" ".join(text.replace("…", "").split()) for text in texts]


@pytest.mark.firefox
def test_tree_shows_variations_below_their_turn_and_keys_walk_through(
    user: User, tmp_path: Path
) -> None:
    (tmp_path / "study.sgf").write_text(STUDY)
    user.open(GAME)
    open_file(user, tmp_path / "study.sgf")
    expect(user.page.locator("#moves .variation .turn")).to_have_count(5)
    current = user.page.locator("#moves [aria-current]")
    for key, turn in (
        ("Home", None),
        ("ArrowRight", "d4"),
        ("Shift+ArrowRight", "a1"),
        ("ArrowRight", "b1"),
        ("ArrowDown", "b2"),
        ("ArrowRight", "e1"),
        ("ArrowDown", "e1"),
        ("ArrowRight", "e2"),
        ("Shift+ArrowLeft", "b2"),
        ("Shift+ArrowLeft", "a1"),
    ):
        user.page.keyboard.press(key)
        expect(current).to_have_text([turn] if turn else [])
    user.page.keyboard.press("c")
    expect(user.page.locator("#comment")).to_be_focused()


def test_tree_turn_menu_annotates_promotes_deletes_and_brings_back(user: User) -> None:
    user.open(GAME)
    user.page.keyboard.press("Home")
    user.page.keyboard.press("ArrowRight")
    user.cell("g1").click()  # one stone is a whole turn here
    variation = user.page.locator("#moves .variation .turn")
    expect(variation).to_have_count(1)
    user.page.locator("#moves .more").click()
    user.page.locator("#turn-menu [aria-label='Blunder']").click()
    expect(variation).to_have_text("g1??")
    expect(user.page.locator("#board .badge.bad")).to_have_text("??")
    user.page.keyboard.press("?")
    user.page.keyboard.press("!")
    expect(variation).to_have_text("g1!")
    expect(user.page.locator("#board .badge.good")).to_have_text("!")
    user.page.keyboard.press("ArrowLeft")
    expect(user.page.locator("#board .badge")).to_have_count(0)
    user.page.keyboard.press("ArrowRight")
    variation.click(button="right")
    user.page.click("#turn-menu >> text=Make main line")
    expect(variation).to_have_count(3)  # the game has become the variation
    before = rows(user)
    variation.first.click(button="right")
    user.page.click("#turn-menu >> text=Delete from here")
    expect(variation).to_have_count(0)
    expect(user.page.locator("#status")).to_contain_text("3 turns deleted")
    user.page.keyboard.press("Control+z")
    expect(variation).to_have_count(3)
    user.settle()
    assert rows(user) == before


@pytest.mark.gate
@pytest.mark.firefox
def test_tree_study_survives_a_reload_and_its_link(user: User, other: User) -> None:
    user.open(GAME)
    user.page.keyboard.press("Home")
    user.page.keyboard.press("ArrowRight")
    user.cell("g1").click()  # one stone is a whole turn here
    user.page.keyboard.press("!")
    user.page.keyboard.press("c")
    user.page.keyboard.type("a quiet turn")
    user.page.wait_for_function("() => location.hash.startsWith('#study=')")
    expect(user.page.locator("#moves .note")).to_have_text("a quiet turn")
    user.page.click("#files-open")
    expect(user.page.locator("#link-note")).to_contain_text("with variations and comments")
    link = user.page.input_value("#link")
    other.page.goto(link)
    # The address is written at a pace.
    user.page.wait_for_function(
        "link => location.href.startsWith(link)", arg=link.replace("?", "#")
    )
    user.page.reload()
    for one in (user, other):
        expect(one.page.locator("#moves .variation .turn")).to_have_text("g1!")
        expect(one.page.locator("#moves .note")).to_have_text("a quiet turn")
        expect(one.page.locator("#comment")).to_have_value("a quiet turn")
        expect(one.page.locator("#title")).to_have_text("Odd, hexagon of 4")
