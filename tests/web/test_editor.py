"""The position editor: stones, fields, text, and where one goes on from it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import PHONE, Server, User, new_user

pytestmark = [pytest.mark.browser, pytest.mark.whole]

LINE = "yodd hex4 4/5/6/3b3/6/5/4 w 0 2"


def edit(user: User, line: str = LINE) -> User:
    user.page.goto(f"{user.server.url}editor.html#position={line.replace(' ', '+')}")
    expect(user.page.locator("#line")).to_have_value(line)
    return user


@pytest.fixture
def touch(browser: Browser, server: Server) -> Iterator[User]:
    """A user with a phone."""
    with new_user(browser, server, viewport=PHONE, has_touch=True, is_mobile=True) as one:
        yield one


def expect_stones(user: User, placement: str) -> None:
    expect(user.page.locator("#line")).to_have_value(re.compile(rf"^yodd hex4 {placement} "))


@pytest.mark.firefox
def test_editor_mouse_drops_paints_and_erases(user: User) -> None:
    edit(user)
    user.cell("a1").click()
    expect(user.page.locator("#problem")).to_contain_text("2 groups, even")
    expect(user.page.locator("#play")).to_be_disabled()
    expect(user.page.locator("#analyse")).to_be_enabled()
    expect(user.page.locator("#link")).to_have_value(re.compile(r"/\?position=yodd"))
    user.cell("a4").click(button="right")
    expect(user.page.locator("#problem")).to_be_empty()
    expect(user.page.locator("#link")).to_have_value(re.compile(r"/\?position=yodd"))
    expect_stones(user, "4/5/6/3b3/6/5/b2w")
    user.page.click("text=Eraser")
    user.cell("d4").click()
    user.page.click("text=White")
    user.cell("e2").hover()
    user.page.mouse.down()
    for label in ("e3", "e4", "e5"):
        user.cell(label).hover()
    user.page.mouse.up()
    expect_stones(user, "4/5/1wwww1/7/6/5/b2w")
    user.page.click("#undo")
    expect(user.page.locator("#groups")).to_contain_text("groups")
    user.page.click("#clear")
    expect(user.page.locator("#line")).to_have_value("yodd hex4 4/5/6/7/6/5/4 b 0 1")
    user.page.keyboard.press("Control+z")
    expect(user.page.locator("#line")).not_to_have_value(re.compile(" 4/5/6/7/6/5/4 "))


def test_editor_reload_after_a_stone_keeps_it(user: User) -> None:
    edit(user)
    user.cell("a1").click()
    user.page.reload()
    expect(user.cell("a1")).to_have_attribute("aria-label", "a1, black")


def test_editor_touch_drops_both_colours_and_starts_a_game(touch: User) -> None:
    edit(touch)
    assert touch.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    touch.page.tap("text=White")
    touch.cell("d3").tap()
    touch.page.tap("text=Eraser")
    touch.cell("d4").tap()
    expect_stones(touch, "4/5/6/2w4/6/5/4")
    touch.page.tap("#play")
    touch.wait_status("White to move")
    expect(touch.cell("d3")).to_have_attribute("aria-label", "d3, white")


def test_editor_fields_make_the_line_and_the_line_the_fields(user: User) -> None:
    edit(user)
    page = user.page
    page.select_option("#player", "0")
    page.select_option("#passes", "1")
    expect(page.locator("#line")).to_have_value("yodd hex4 4/5/6/3b3/6/5/4 b 1 3")
    page.check("#options [name=own_colour]")
    page.fill("#number", "7")
    page.press("#number", "Tab")
    expect(page.locator("#line")).to_have_value("yodd hex4 4/5/6/3b3/6/5/4 b 1 7 own_colour=on")
    page.fill("#number", "1")
    page.press("#number", "Tab")
    expect(page.locator("#problem")).to_have_text("passes 1: too many for turn 1")
    page.select_option("#game-name", "product")
    expect(page.locator("#passes-field")).to_be_hidden()
    page.fill("#line", "odd hex3 3/4/2b2/4/3x w 0 2")
    expect(page.locator("#line-problem")).to_have_text(
        "Column 21: 'x': expected b, w or a run of empty cells"
    )
    page.fill("#line", "odd hex3 3/4/2b2/4/3 w 0 2 min_group=3")
    expect(page.locator("#game-name")).to_have_value("odd")
    expect(page.locator("#options [name=min_group]")).to_have_value("3")
    page.select_option("#size", "hex4")
    expect(page.locator("#line")).to_have_value(re.compile("^odd hex4 4/5/6/7/2b3/5/4 "))


@pytest.mark.gate
def test_position_that_no_turn_leaves_is_linked_shown_and_analysed(
    browser: Browser, server: Server
) -> None:
    with new_user(browser, server) as teacher, new_user(browser, server) as student:
        edit(teacher)
        teacher.cell("a1").click()
        teacher.page.click("text=Copy")
        # The server's engine takes no such position: that of the browser answers for it.
        student.ask_server().page.goto(teacher.page.input_value("#link"))
        student.wait_status("White to move · 2 groups, even, .*: a turn of Yodd leaves an odd")
        student.page.check("#analyse")
        expect(student.page.locator("#lines li").first).to_be_visible()
        student.cell("g4").click()
        student.page.click("#play")
        student.wait_turns(1)
        student.page.reload()
        student.wait_turns(1)


@pytest.mark.gate
def test_editor_leads_to_analysis_and_study_and_back(user: User) -> None:
    edit(user).page.click("#analyse")
    user.page.wait_for_function("() => !document.body.classList.contains('offline')")
    expect(user.page.locator("#analyse")).to_be_checked()
    expect(user.page.locator("#lines li").first).to_be_visible()
    user.page.go_back()
    expect(user.page.locator("#line")).to_have_value(LINE)
    user.page.click("#study")
    expect(user.cell("d4")).to_have_attribute("aria-label", "d4, black")
    user.cell("d3").click()
    user.page.click("#play")
    user.wait_turns(1)
    user.page.click("#files-open")
    user.page.click("#position-edit")
    expect(user.page.locator("#line")).to_have_value("yodd hex4 4/5/6/2bb3/6/5/4 b 0 3")
