"""The header of every page, a way past it by the keyboard, and wide windows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import User
from tests.web.test_play import HOT_SEAT
from yoddd.daemon.pages.shell import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.whole]

PATHS = sorted(page.path for page in PAGES)


@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_settings_help_and_a_link_past_the_header(user: User, path: str) -> None:
    user.page.goto(f"{user.server.url}{path}")
    user.page.wait_for_load_state("networkidle")
    user.page.click("#help-open")
    expect(user.page.locator("#help-dialog")).to_contain_text("drops a stone")
    user.page.keyboard.press("Escape")
    user.page.click("#settings-open")
    user.page.select_option("#theme", "dark")
    expect(user.page.locator("html")).to_have_attribute("data-theme", "dark")
    user.page.keyboard.press("Escape")
    user.page.reload()
    expect(user.page.locator("html")).to_have_attribute("data-theme", "dark")
    skip = user.page.get_by_role("link", name=re.compile("^Skip to the (board|content)$"))
    user.page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    before = user.page.url
    user.page.keyboard.press("Enter")
    user.page.wait_for_function("() => document.activeElement.closest('main') !== null")
    assert user.page.url == before
    user.problems.clear()


@pytest.mark.firefox
def test_new_game_and_rematch_are_played_by_keys_at_once(user: User) -> None:
    user.open(HOT_SEAT)
    user.page.focus("#new")
    user.page.keyboard.press("Enter")
    user.page.select_option("#new-dialog [name=white]", "person")
    user.page.locator("#new-dialog button[value=start]").press("Enter")
    expect(user.page.locator("#new-dialog")).to_be_hidden()
    expect(user.page.locator(".cell[tabindex='0']")).to_be_focused()
    user.page.keyboard.press("b")
    user.page.keyboard.press("Enter")
    user.wait_turns(1, exactly=True)
