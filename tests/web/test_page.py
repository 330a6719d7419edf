"""The page as such: its header, size, speed, and its layout on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.web.conftest import PHONE, Server, User, new_user
from tests.web.test_play import HOT_SEAT
from yoddd.daemon.pages.shell import PAGES
from yoddd.daemon.pages.site import load_assets

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex5&black=person&white=person&turns=1e5.1c3,2g5.2g4"


def gzipped_size() -> int:
    """Bytes that a browser without a cache loads for the board, compressed as they are sent."""
    assets = load_assets()
    page = assets["index.html"]
    linked = re.findall(r'(?:href|src)="([^"#]+\.(?:css|js|svg))"', page.content.decode())
    return sum(len(one.packed) for one in (page, *map(assets.__getitem__, linked)))


def violations(user: User) -> list[str]:
    results = Axe().run(user.page).response["violations"]
    return [f"{one['id']}: {[node['target'] for node in one['nodes']][:3]}" for one in results]


@pytest.mark.gate
def test_board_page_on_a_phone_is_played_by_touch(browser: Browser, server: Server) -> None:
    touch: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with new_user(browser, server, **touch) as user:
        user.open("game=yodd&board=hex5&black=person&white=person")
        user.settle()
        assert user.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        box = user.page.locator("#board").bounding_box()
        assert box is not None
        assert box["width"] > 340
        user.cell("a1").tap()
        expect(user.page.locator("#status")).to_contain_text("black on a1")
        user.page.tap("#play")
        user.wait_turns(1, exactly=True)


@pytest.mark.firefox
def test_board_long_press_drops_the_other_colour(browser: Browser, server: Server) -> None:
    with new_user(browser, server, viewport=PHONE, has_touch=True) as user:
        user.page.clock.install()
        user.open(GAME)
        press = """(type) => document.querySelector(".cell[aria-label^='a1,'] .tile").dispatchEvent(
          new PointerEvent(type, { bubbles: true, pointerType: 'touch', pointerId: 1 }),
        )"""
        user.page.evaluate(press, "pointerdown")
        user.page.clock.run_for(700)
        user.page.evaluate(press, "pointerup")
        user.wait_status("white on a1")


LOADED = """() => performance.getEntriesByType('resource')
  .filter(({ initiatorType }) => ['script', 'link', 'css'].includes(initiatorType))
  .map(({ name, transferSize }) => [name.split('.').at(-1), transferSize > 0])"""

"""The kind of each file that the page has loaded, and whether it came from the server."""


@pytest.mark.firefox
def test_board_page_loads_two_files_and_keeps_them(user: User) -> None:
    loaded = user.open(GAME).page.evaluate(LOADED)
    assert sorted(loaded) == [["css", True], ["js", True]]
    user.page.goto("about:blank")
    assert sorted(user.open(GAME).page.evaluate(LOADED)) == [["css", False], ["js", False]]


def test_board_whose_second_script_is_not_loaded_says_so(user: User) -> None:
    user.open(GAME).page.route("**/joined/*.js", lambda route: route.abort())
    user.page.click("#files-open")
    user.page.click("#save-sgf")
    user.wait_status("connect to the network")
    user.problems.clear()


def test_board_weighs_less_than_120_kilobytes() -> None:
    assert gzipped_size() < 120_000


def test_link_in_the_query_opens_the_game_and_has_an_image(user: User) -> None:
    user.page.goto(f"{user.server.url}?game=yodd&board=hex3&black=person&white=person&turns=1c3")
    user.wait_turns(1)
    expect(user.page).to_have_url(re.compile("#game=yodd"))
    user.page.click("#files-open")
    expect(user.page.locator("#link")).to_have_value(re.compile(r"/\?game=yodd"))
    link = user.page.input_value("#link")
    html = user.page.request.get(link).text()
    assert re.search('property="og:image" content="([^"]*)"', html)


@pytest.mark.gate
def test_installed_page_opens_and_plays_without_a_network(user: User) -> None:
    page = user.open().page
    manifest = page.evaluate("fetch('manifest.webmanifest').then((reply) => reply.json())")
    for icon in manifest["icons"]:
        assert (
            page.request.get(f"{user.server.url}{icon['src']}").headers["content-type"]
            == icon["type"]
        )
    assert page.evaluate("navigator.serviceWorker.getRegistrations()") == []
    page.evaluate("window.dispatchEvent(new Event('appinstalled'))")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.goto(f"{user.server.url}#game=yodd&board=hex2&black=person&white=level-1")
    page.reload()
    user.cell("b2").click()
    page.click("#play")
    user.wait_turns(2)
    page.goto(f"{user.server.url}learn.html#odd")
    expect(page.locator(".cell").first).to_be_visible()
    user.problems.clear()


PATHS = sorted(page.path for page in PAGES)


@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_settings_help_and_a_link_past_the_header(user: User, path: str) -> None:
    user.page.goto(f"{user.server.url}{path}")
    user.page.wait_for_load_state("networkidle")
    user.page.click("#help-open")
    expect(user.page.locator("#help-dialog")).to_contain_text("places a stone")
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
