"""Every control in windows of all widths and languages: a mouse can press it, no text is cut."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, ViewportSize, WebSocketRoute, expect

from tests.daemon.stores import make_store
from tests.support.runs import write_archive
from tests.web.conftest import DESK, Server, User, new_user, serving
from tests.web.test_accounts import log_in
from tests.web.test_lobby import CUT, drop, fail_to_connect, lose_connection, offer
from tests.web.test_look import GAME as LONG
from tests.web.test_page_review import GAME as LOST
from yoddd.daemon.pages.shell import ENGLISH, LANGUAGES, read_catalogue

pytestmark = [pytest.mark.browser, pytest.mark.whole]

WIDTHS: Final = range(320, 1601, 20)

"""A fault that lasts 20 pixels shows in one of them."""

GAME = "game=yodd&board=hex4&black=person&white=person"

OPENED = f"{GAME}&turns=1d4.1a1,2g4"

AGAINST = "game=yodd&board=hex4&black=person&white=level-1&turns=1a1.2c1,2e1"

Story = Callable[[User, User], Iterator[str]]

"""What a user does; each name that it yields is a state of the page. The rival reads English."""

IN_EVERY_HEIGHT: Final = {"first turn", "take-back asked", "won", "offline"}

"""States that are looked at in all heights of a width; for the others the heights take turns."""


def heights(width: int) -> tuple[int, ...]:
    """The heights of windows of a width: one for each layout that the page has there."""
    if width < 480:
        return 568, 664, 844
    if width < 560:
        return 640, 1000
    if width < 960:
        return 320 if width < 640 else 360, 620, 1180
    return 600, 900


PREPARE = """() => { window.measure = async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  // A menu opens in its place in this window.
  const menu = document.querySelector(':popover-open');
  if (menu) {
    menu.hidePopover();
    document.querySelector(`[popovertarget=${menu.id}], #moves .more`).click();
    await frame();
  }
  // A change of the layout that a script makes comes with the next frame.
  await frame();
  const { scrollWidth } = document.documentElement;
  const found = scrollWidth > innerWidth ? [`the page is wider than the window`] : [];
  const shown = document.querySelector('dialog[open], :popover-open') ?? document.body;
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true });
  const nameOf = (one) =>
    one.id || one.getAttribute('name') || one.textContent.trim().slice(0, 30) || one.className;
  for (const one of shown.querySelectorAll(':not(svg, svg *, .skip, option, input, .pv)')) {
    const wide = one.scrollWidth > one.clientWidth + 1;
    const high = one.scrollHeight > one.clientHeight + 1;
    if (!(wide || high) || !one.clientWidth || !isShown(one)) continue;
    const { clipPath, overflowX, overflowY, scrollbarWidth } = getComputedStyle(one);
    if (clipPath !== 'none') continue;
    const has = [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    const isCut = (wide && (has ? !/auto|scroll/.test(overflowX) : /hidden|clip/.test(overflowX)))
      || (high && /hidden|clip/.test(overflowY));
    if (isCut) found.push(`${nameOf(one)}: is cut`);
    if (wide && overflowX === 'auto' && scrollbarWidth === 'none')
      found.push(`${nameOf(one)}: scrolls sideways`);
  }
  const wanted = 'button, a[href], input, select, textarea, summary, [role=button], [role=grid]';
  const controls = new Set([...shown.querySelectorAll(wanted)].map((one) =>
    one.matches('[type=radio], [type=checkbox]') ? one.closest('label') ?? one : one));
  let asked = 0;
  for (const one of controls) {
    const box = one.getClientRects()[0];
    if (!box || box.width < 4 || one.matches('.skip') || !isShown(one)) continue;
    asked += 1;
    if (Math.min(box.width, box.height) < 23.9 && getComputedStyle(one).display !== 'inline')
      found.push(`${nameOf(one)}: is smaller than 24 pixels`);
    if ([one, ...one.querySelectorAll('span')].some((part) => part.textContent.trim()
      && !part.children.length && getComputedStyle(part).fontSize === '0px'))
      found.push(`${nameOf(one)}: has no visible text`);
    const places = one.closest('.bar, .controls') ? [0.5, 0.1, 0.9] : [0.5];
    const over = ({ left, top, width, height }) => places
      .map((part) => document.elementFromPoint(left + part * width, top + height / 2))
      .find((there) => !one.contains(there));
    let there = over(box);
    for (const block of ['center', 'nearest', 'start', 'end']) {
      if (there === undefined) break;
      one.scrollIntoView({ block, inline: 'nearest' });
      there = over(one.getClientRects()[0]);
    }
    const cover = there?.closest('[id]') ?? there;
    if (cover !== undefined)
      found.push(`${nameOf(one)}: lies ${cover ? `under ${nameOf(cover)}` : 'outside'}`);
  }
  return [asked, found];
}; }"""

"""Defines ``measure``: the number of visible controls, and what is wrong with the page."""

UNPAINTED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html { opacity: 0 } #board > * { display: none }');
  document.adoptedStyleSheets = [sheet];
}"""

"""Only the layout counts here; drawing would take half of the time."""


def press(user: User, selector: str) -> Locator:
    """Press a button, also one that lies in a menu."""
    user.page.dispatch_event(selector, "click")
    return user.page.locator(selector)


def show(user: User, part: str) -> None:
    expect(user.page.locator(part).first).to_be_visible()


def play_alone(user: User, _: User) -> Iterator[str]:
    user.open(GAME)
    yield "first turn"
    user.cell("d4").click()
    expect(user.page.locator(".stone.pending")).to_have_count(1)
    yield "one stone dropped"
    user.open(f"{LONG}&clock=600%2B5")
    user.wait_turns(23)
    show(user, "#player-1 .clock")
    yield "long game with clocks"
    user.page.keyboard.press("Home")
    user.cell("a1").click()
    press(user, "#play")
    user.page.keyboard.press("!")
    press(user, "#comment-open")
    show(user, "#comment")
    yield "variation with a comment"
    press(user, "#moves .more")
    show(user, "#turn-menu")
    yield "menu of a turn"
    user.page.keyboard.press("Escape")
    user.open("game=yoin&board=hex3&black=person&white=person&turns=c3")
    show(user, "#swap")
    yield "swap"


def open_dialogs(user: User, _: User) -> Iterator[str]:
    user.open("welcome")
    show(user, "#welcome")
    yield "welcome"
    user.page.keyboard.press("Escape")
    user.open(OPENED)
    user.wait_turns(2)
    for name in ("new", "settings", "help", "files", "login"):
        press(user, "#new" if name == "new" else f"#{name}-open")
        show(user, f"#{name}-dialog")
        yield name
        user.page.keyboard.press("Escape")
    press(user, "#resign")
    show(user, "#confirm-dialog")
    yield "question"
    user.page.keyboard.press("Escape")
    press(user, "#board-menu-open")
    show(user, "#board-menu")
    yield "menu of the board"
    user.page.keyboard.press("Escape")
    log_in(user, "ann")
    expect(user.page.locator(".account a")).to_have_text("ann")
    yield "logged in"
    press(user, ".menu-open")
    yield "menu of the page"


def play_engine(user: User, _: User) -> Iterator[str]:
    is_held: list[bool] = []

    def relay(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        route.on_message(lambda text: None if is_held else server.send(text))

    user.page.route_web_socket("**/ws/channels", relay)
    user.ask_server().open(AGAINST)
    press(user, "#analyse")
    press(user, "#analysis-tab")
    show(user, "#lines li")
    yield "analysis"
    press(user, "#hint")
    user.wait_turns(2)
    yield "hint"
    user.open(LOST.replace("white=person", "white=level-1"))
    show(user, "#after h2")
    yield "over"
    user.page.keyboard.press("Home")
    show(user, "#after [data-after=back]")
    yield "turn looked back at"
    press(user, "#after [data-after=back]")
    press(user, "#after [data-after=review]")
    expect(user.page.locator("#review .judged")).to_have_count(2)
    yield "reviewed"
    press(user, "[data-review=before]")
    show(user, "#review .verdict")
    yield "error reviewed"
    user.open("game=xodd&board=square3&black=person&white=person&turns=1b2")
    press(user, "#analysis-tab")
    show(user, "#table li")
    yield "table"
    user.open("game=yodd&board=hex4&black=person&white=level-5&clock=600%2B5")
    is_held.append(True)
    user.cell("d4").click()
    press(user, "#play")
    user.wait_turns(1)
    yield "engine thinks"


def lose_network(user: User, _: User) -> Iterator[str]:
    user.page.clock.install()
    user.page.add_init_script(CUT)
    user.open(OPENED)
    lose_connection(user)
    expect(user.page.locator("#network")).to_have_attribute("data-network", "reconnecting")
    yield "reconnecting"
    fail_to_connect(user)
    show(user, "#network-retry")
    yield "offline"


def play_rival(user: User, rival: User) -> Iterator[str]:
    offer(rival, "Noemi", clock="600+5")
    user.open()
    user.open_offer()
    show(user, "#lobby-dialog .lobby tr")
    yield "lobby"
    user.page.keyboard.press("Escape")
    rival.page.click("#agreement button")
    offer(rival, "Noemi", clock="600+5", invite="3600")
    link = rival.page.locator("#invite-link")
    expect(link).to_have_value(re.compile("#join="))
    user.page.evaluate("link => location.assign(link)", link.input_value())
    show(user, "#join-game")
    yield "invited"
    user.page.fill("#join-name", "Oskar")
    press(user, "#join-game")
    rival.page.click("#files-dialog .solid")
    rival.wait_status("Black to move")
    drop(rival, ("c3", "b"))
    user.wait_turns(1)
    yield "refereed"
    rival.page.click("#undo")
    expect(user.page.locator("#agreement button")).to_have_count(2)
    yield "take-back asked"
    press(user, "#agreement [data-agrees=no]")
    rival.resign()
    show(user, "#after h2")
    yield "won"
    rival.page.click("#after [data-after=rematch]")
    expect(user.page.locator("#agreement button")).to_have_count(2)
    yield "rematch asked"
    press(user, "#agreement [data-agrees=yes]")
    show(user, "#player-0.turn")
    rival.page.goto("about:blank")
    show(user, "#claim-game")
    yield "rival away"
    user.page.goto("about:blank")
    user.open()
    show(user, "#return button")
    yield "game elsewhere"
    press(user, "#lobby-open")
    press(user, "#lobby-dialog .tiles [data-board=hex4]")
    show(user, "#agreement button")
    yield "offer"


def read(user: User, _: User) -> Iterator[str]:
    for name in (
        "editor.html",
        "learn.html",
        "learn.html#yodd.2",
        "learn.html#yodd.done",
        "puzzles.html",
        "puzzles.html#free",
        "puzzles.html#storm",
        "rules.html#product",
        "runs.html",
        "runs.html#cup",
        "ladder.html",
        "games.html",
        "user.html#ann",
    ):
        user.page.goto("about:blank")
        user.page.goto(f"{user.server.url}{name}")
        show(user, "h1")
        yield name


GAMES: Final = (play_alone, play_engine, lose_network, play_rival)

BESIDE: Final = (open_dialogs, read)

"""Their layout differs less from one window to the next: half of the widths in each language."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with accounts and a tournament, on which a game may be claimed at once."""
    folder: Path = tmp_path_factory.mktemp("swept")
    write_archive(folder / "runs" / "cup")
    runs, store = folder / "runs", make_store(folder / "store.sqlite")
    words = ["--runs", str(runs), "--set", "limits.claim=1", "--set", "registration=true"]
    with serving(runs, "--store", str(store), *words) as one:
        yield one


WRITTEN = """() => [document.title, document.body.innerText,
  ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((one) =>
    ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''))]"""


def untranslated(user: User, language: str) -> set[str]:
    """The keys of texts and the places for values that the page shows in their stead."""
    expect(user.page.locator("html")).to_have_attribute("lang", language)
    text = "\n".join(user.page.evaluate(WRITTEN))
    keys = set(re.findall(r"[a-z]+\.[a-z-]+", text)) & read_catalogue(language).keys()
    return keys | set(re.findall(r"\{\w+\}", text))


def measure(user: User) -> list[str]:
    """The faults of the page in the window that it has."""
    asked, faults = user.page.evaluate("() => window.measure()")
    assert asked
    return list(faults)


def find_faults(
    user: User, widths: Sequence[int], *, in_every_height: bool
) -> dict[str, list[str]]:
    """Look at the page in windows of these widths; return the faults, each with its windows."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    page = user.settle().page
    page.evaluate(PREPARE)
    page.evaluate(UNPAINTED)
    browser = page.context.browser
    is_chromium = browser is not None and browser.browser_type.name == "chromium"
    session = page.context.new_cdp_session(page) if is_chromium else None
    for index, width in enumerate(widths):
        every = heights(width)
        for height in every if in_every_height else (every[index % len(every)],):
            if session:  # half of the work of the other way
                more = {"deviceScaleFactor": 1, "mobile": False}
                size = {"width": width, "height": height, **more}
                session.send("Emulation.setDeviceMetricsOverride", size)
            else:
                page.set_viewport_size({"width": width, "height": height})
            for fault in measure(user):
                found[fault].append(f"{width}x{height}")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("() => { document.adoptedStyleSheets = []; }")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("story", GAMES + BESIDE, ids=lambda one: one.__name__)
def test_page_in_windows_of_every_width_can_be_read_and_pressed(
    browser: Browser, server: Server, story: Story, language: str
) -> None:
    widths = WIDTHS if story in GAMES else WIDTHS[LANGUAGES.index(language) % 2 :: 2]
    problems = {}
    with (
        new_user(browser, server, locale=language, viewport=DESK) as user,
        new_user(browser, server, viewport=DESK) as rival,
    ):
        for state in story(user, rival):
            for text in untranslated(user, language):
                problems[state, text] = ["everywhere"]
            found = find_faults(user, widths, in_every_height=state in IN_EVERY_HEIGHT)
            problems.update({(state, fault): windows for fault, windows in found.items()})
        # The browser reports what the server does not have, and connections that break.
        user.problems.clear()
    assert problems == {}


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
