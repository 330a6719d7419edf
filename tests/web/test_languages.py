"""The page in each language: by the browser or by hand, and whole; see also test_windows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.web.conftest import Server, new_user
from tests.web.test_windows import PREPARE, measure, untranslated
from yoddd.daemon.pages.shell import ENGLISH, LANGUAGES

pytestmark = [pytest.mark.browser, pytest.mark.whole]

GAME = "game=yodd&board=hex4&black=person&white=person"


@pytest.mark.gate
@pytest.mark.parametrize("language", LANGUAGES)
def test_board_and_lesson_in_a_language_are_whole_and_fit_a_phone_and_a_desk(
    browser: Browser, server: Server, language: str
) -> None:
    size: ViewportSize = {"width": 320, "height": 844}
    with new_user(browser, server, locale=language, viewport=size) as user:
        for name in (f"#{GAME}", "learn.html#yodd.2"):
            user.page.goto(f"{server.url}{name}")
            expect(user.page.locator("h1")).to_be_attached()
            user.settle().page.evaluate(PREPARE)
            assert untranslated(user, language) == set()
            assert measure(user) == []
            user.page.set_viewport_size({"width": 1100, "height": 760})
            assert measure(user) == []
            user.page.set_viewport_size(size)


@pytest.mark.firefox
def test_language_is_that_of_the_browser_until_one_is_chosen(
    browser: Browser, server: Server
) -> None:
    with new_user(browser, server, locale="de-AT") as user:
        user.open(GAME)
        expect(user.page.locator("#status")).to_have_text("Schwarz am Zug")
        expect(user.page.locator("#pass")).to_have_text("Passen")
        user.page.click("#settings-open")
        user.page.select_option("#language", "es")
        expect(user.page.locator("#pass")).to_have_text("Pasar")
        expect(user.page.locator("html")).to_have_attribute("lang", "es")
        user.visit("learn.html#yodd.1")
        expect(user.page.locator("h1")).to_contain_text("Grupos")
        expect(user.page.locator("#language")).to_have_value("es")


def test_numbers_have_the_decimal_mark_of_the_language(browser: Browser, server: Server) -> None:
    with new_user(browser, server, locale="de-DE") as user:
        user.open(GAME)
        user.page.check("#analyse")
        expect(user.page.locator("#lines b").first).to_have_text(re.compile(r"^\d+,\d%$"))


@pytest.mark.firefox
def test_language_that_there_is_not_becomes_english(browser: Browser, server: Server) -> None:
    with new_user(browser, server, locale="fr-FR") as user:
        requests: list[str] = []
        user.page.on("request", lambda request: requests.append(request.url))
        user.open(GAME)
        expect(user.page.locator("#status")).to_have_text("Black to move")
        assert not [url for url in requests if "/texts/" in url]
    assert LANGUAGES[0] == ENGLISH
