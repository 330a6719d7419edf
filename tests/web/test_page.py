"""The page as such: accessible, small, fast, and at home on a telephone."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.web.conftest import TELEPHONE, Person, Server, somebody
from yoddd.cli.bench.web import gzipped_size

pytestmark = pytest.mark.browser

GAME = "game=yodd&board=hex5&black=person&white=person&turns=1e5.1c3,2g5.2g4"


def violations(person: Person) -> list[str]:
    results = Axe().run(person.page).response["violations"]
    return [f"{one['id']}: {[node['target'] for node in one['nodes']][:3]}" for one in results]


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_no_violation_of_accessibility_in_any_theme(person: Person, theme: str) -> None:
    person.page.add_init_script(
        f"localStorage.setItem('yoddd.settings', '{json.dumps({'theme': theme, 'number': True})}')"
    )
    person.open(GAME)
    assert violations(person) == []
    person.cell("a1").click()
    assert violations(person) == []
    for button in ("#new", "#settings-open", "#files-open", "#help-open", "#watch-open"):
        person.page.click(button)
        assert violations(person) == [], button
        person.page.keyboard.press("Escape")


def test_a_telephone_shows_the_board_and_plays_by_touch(browser: Browser, server: Server) -> None:
    touch = {"viewport": TELEPHONE, "has_touch": True, "is_mobile": True}
    with somebody(browser, server, **touch) as person:
        person.open("game=yodd&board=hex5&black=person&white=person")
        assert person.page.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]
        box = person.page.locator("#board").bounding_box()
        assert box is not None
        assert box["width"] > 340
        person.cell("a1").tap()
        expect(person.page.locator("#status")).to_contain_text("black on a1")
        person.page.tap("#play")
        person.wait_turns(1, exactly=True)


def test_a_long_press_drops_the_other_colour(browser: Browser, server: Server) -> None:
    with somebody(browser, server, viewport=TELEPHONE, has_touch=True) as person:
        person.open(GAME)
        person.page.evaluate(
            """() => {
              const cell = document.querySelector(".cell[aria-label^='a1,'] .tile");
              const init = { bubbles: true, pointerType: 'touch', pointerId: 1 };
              cell.dispatchEvent(new PointerEvent('pointerdown', init));
              setTimeout(() => cell.dispatchEvent(new PointerEvent('pointerup', init)), 700);
            }"""
        )
        person.wait_status("white on a1")


def test_shape_of_the_page_stays_while_one_plays(person: Person) -> None:
    person.open(GAME)
    before = person.page.locator("#board").bounding_box()
    person.cell("a1").click()
    person.cell("i5").hover()
    person.cell("i5").click(button="right")
    assert person.page.locator("#board").bounding_box() == before


def test_all_assets_weigh_less_than_150_kilobytes() -> None:
    assert gzipped_size() < 150_000


def test_files_are_compressed_and_revalidated(server: Server) -> None:
    where = urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port or 0)
    connection.request("GET", "/", headers={"Accept-Encoding": "gzip"})
    reply = connection.getresponse()
    reply.read()
    assert reply.headers["Content-Encoding"] == "gzip"
    assert "script-src 'self'" in reply.headers["Content-Security-Policy"]
    connection.request("GET", "/", headers={"If-None-Match": reply.headers["ETag"]})
    assert connection.getresponse().status == 304
    connection.close()
