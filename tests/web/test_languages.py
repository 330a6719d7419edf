"""The page in every language: chosen by the browser or by hand, whole, and never wider than it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import Server, User, new_user
from yoddd.daemon.pages.texts import ENGLISH, LANGUAGES, read_catalogue

pytestmark = [pytest.mark.browser, pytest.mark.whole]

WIDTHS = (320, 390, 1280)
SIZES = (
    (320, 568),
    (390, 844),
    (568, 320),
    (640, 700),
    (768, 1024),
    (820, 700),
    (844, 390),
    (1024, 600),
    (1100, 760),
    (1160, 700),
    (1180, 760),
    (1280, 720),
    (1366, 768),
    (1920, 1080),
)
NETWORKS = ("connecting", "online", "reconnecting", "offline")
GAME = "game=yodd&board=hex4&black=person&white=person"
OVER = "game=yodd&board=hex2&black=person&white=person&turns=1a1.pass.pass"

STATES: dict[str, Callable[[User], object]] = {
    "board": lambda user: user.open(GAME),
    "welcome": lambda user: user.open("welcome"),
    "result": lambda user: user.open(OVER),
    "settings": lambda user: show(user, "settings"),
    "help": lambda user: show(user, "help"),
    "new game": lambda user: press(user, "#new"),
    "share": lambda user: press(user, "#files-open"),
    "lobby": lambda user: press(user, "#lobby-open"),
    "analysis": lambda user: press(user, "#analysis-tab"),
    "board menu": lambda user: press(user, "#board-menu-open"),
    "editor": lambda user: read(user, "editor.html"),
    "learn": lambda user: read(user, "learn.html"),
    "lesson": lambda user: user.visit("learn.html#yodd.2"),
    "lesson done": lambda user: user.visit("learn.html#yodd.done"),
    "puzzles": lambda user: user.visit("puzzles.html#free"),
    "storm": lambda user: user.visit("puzzles.html#storm"),
    "rules": lambda user: read(user, "rules.html#product"),
    "tournaments": lambda user: user.visit("runs.html"),
    "tournament": lambda user: user.visit("runs.html#cup"),
    "ladder": lambda user: user.visit("ladder.html"),
    "games": lambda user: user.visit("games.html"),
    "user": lambda user: user.visit("user.html#ann"),
}

CUT = """() => {
  const wide = document.documentElement.scrollWidth;
  const found = wide > innerWidth ? [`the page is ${wide} px wide`] : [];
  const shown = document.querySelector('dialog[open], :popover-open') ?? document.body;
  for (const one of shown.querySelectorAll('button, a.button, [role=tab], select, summary')) {
    const box = one.getBoundingClientRect();
    if (!one.clientWidth || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.closest('.wide, .steps, .titles, #moves')) continue;
    const name = one.textContent.trim() || one.getAttribute('aria-label') || one.id;
    if (one.tagName !== 'SELECT' && one.scrollWidth > one.clientWidth + 1)
      found.push(`${name}: ${one.scrollWidth} px in ${one.clientWidth}`);
    if (box.left < -1 || box.right > innerWidth + 1)
      found.push(`${name}: from ${box.left} to ${box.right}`);
  }
  return found;
}"""
"""What is cut, or leads to scrolling sideways; bars that are made to scroll are not looked into."""

COVERED = """() => [...document.querySelectorAll('.bar button, .controls button, .switch label')]
  .filter((one) => one.clientWidth && one.checkVisibility({ visibilityProperty: true }))
  .flatMap((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [0.1, 0.5, 0.9].map((part) => [
      one, document.elementFromPoint(left + part * width, top + height / 2),
    ]);
  })
  .filter(([one, there]) => !one.contains(there))
  .map(([one, there]) => `${one.textContent.trim() || one.id} lies under ${there?.id}`)"""
"""The buttons of the header and of the turn that another part of the page lies over."""

SHOW_NETWORK = """([network, text]) => {
  const state = document.querySelector('#network');
  state.dataset.network = network;
  state.querySelector('span').textContent = text;
  document.querySelector('#network-retry').hidden = network !== 'offline';
}"""

WRITTEN = """() => [document.documentElement.lang, document.title, document.body.innerText,
  ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((one) =>
    ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''))]"""


def read(user: User, page: str) -> None:
    user.page.goto(f"{user.server.url}{page}")
    expect(user.page.locator("h1")).to_be_visible()


def press(user: User, button: str) -> None:
    user.open(GAME).page.click(button)


def show(user: User, name: str) -> None:
    """Open a dialog of the header, from its menu where it has one."""
    page = user.open(GAME).settle().page
    if not page.is_visible(f"#{name}-open"):
        page.click(".menu-open")
    page.click(f"#{name}-open")


def check_pages(
    browser: Browser, server: Server, language: str, width: int, states: Iterable[str]
) -> None:
    """Check that states of the page in a language have all texts, none of them cut."""
    keys = read_catalogue(language).keys()
    size = {"width": width, "height": 844}
    problems = {}
    with new_user(browser, server, locale=language, viewport=size) as user:
        for name in states:
            user.page.goto("about:blank")
            STATES[name](user)
            expect(user.page.locator("html")).to_have_attribute("lang", language)
            _, *texts = user.settle().page.evaluate(WRITTEN)
            raw = {word for text in texts for word in re.findall(r"[a-z]+\.[a-z-]+", text)} & keys
            left = {place for text in texts for place in re.findall(r"\{\w+\}", text)}
            cut = user.page.evaluate(CUT)
            if raw or left or cut:
                problems[name] = [*raw, *left, *cut]
        # The server has no accounts, and so no user to show.
        user.problems[:] = [one for one in user.problems if "404" not in one]
    assert problems == {}


@pytest.mark.gate
@pytest.mark.parametrize("language", LANGUAGES)
def test_board_and_lesson_in_a_language_are_whole_and_fit_a_phone(
    browser: Browser, server: Server, language: str
) -> None:
    check_pages(browser, server, language, 320, ["board", "lesson"])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_page_in_a_language_is_whole_and_fits(
    browser: Browser, server: Server, language: str, width: int
) -> None:
    check_pages(browser, server, language, width, STATES)


@pytest.mark.firefox
@pytest.mark.parametrize("language", LANGUAGES)
def test_buttons_fit_and_can_be_pressed_in_windows_of_every_size(
    browser: Browser, server: Server, language: str
) -> None:
    texts = read_catalogue(language)
    problems = {}
    with new_user(browser, server, locale=language) as user:
        user.open(GAME)
        expect(user.page.locator("#network")).to_have_attribute("data-network", "online")
        for width, height in SIZES:
            user.page.set_viewport_size({"width": width, "height": height})
            user.settle()
            for network in NETWORKS:
                user.page.evaluate(SHOW_NETWORK, [network, texts[f"network.{network}"]])
                if found := [*user.page.evaluate(CUT), *user.page.evaluate(COVERED)]:
                    problems[width, height, network] = found
    assert problems == {}


@pytest.mark.firefox
def test_language_is_that_of_the_browser_until_one_is_chosen(
    browser: Browser, server: Server
) -> None:
    with new_user(browser, server, locale="de-AT") as user:
        user.open(GAME)
        expect(user.page.locator("#status")).to_have_text("Schwarz am Zug")
        expect(user.page.locator("#pass")).to_have_text("Passen")
        show(user, "settings")
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
