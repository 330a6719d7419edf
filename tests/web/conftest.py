"""A real daemon and a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.daemon.conftest import serving as daemon_serving
from tests.support.browsers import PROGRAMS, launch_options
from tests.support.runs import write_archive

WAIT = 60_000.0
"""Milliseconds that a test waits at most for what a page does."""

expect.set_options(timeout=WAIT)


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any],
    browser_name: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """Start Debian's Chromium, or with ``--browser firefox`` its Firefox ESR."""
    options = launch_options(browser_name, tmp_path_factory.mktemp("browser"))
    if options is None:
        pytest.skip(f"no {PROGRAMS[browser_name]} on the PATH")
    return {**browser_type_launch_args, **options}


PREFERENCES: dict[str, tuple[str, dict[str, Any]]] = {
    "forced_colors": ("active", {"browser.display.document_color_use": 2}),
    "reduced_motion": ("reduce", {"ui.prefersReducedMotion": 1}),
}
"""How Chromium emulates what a user prefers, and the settings of a Firefox that is told so."""

Preferring = Callable[[str], tuple[Browser, dict[str, Any]]]


@pytest.fixture
def preferring(
    browser: Browser, browser_name: str, launch_browser: Callable[..., Browser]
) -> Iterator[Preferring]:
    """The browser of a user with one of ``PREFERENCES``, and options for its contexts."""
    with ExitStack() as launched:

        def launch(name: str) -> tuple[Browser, dict[str, Any]]:
            value, settings = PREFERENCES[name]
            if browser_name == "chromium":
                return browser, {name: value}
            other = launch_browser(firefox_user_prefs=settings)
            launched.callback(other.close)
            return other, {}

        yield launch


class Server:
    """``yoddd serve`` with its board, and the folder of its tournaments."""

    def __init__(self, text_port: int, url: str, runs: Path) -> None:
        self.runs = runs
        self.text_port = text_port
        self.url = url

    def at(self, fragment: str) -> str:
        return f"{self.url}#{fragment}"


ANY_PORT = "tcp:0:interface=127.0.0.1"


@contextmanager
def serving(runs: Path, *words: str, http: str = ANY_PORT) -> Iterator[Server]:
    """``yoddd serve`` with these words; it has to end well, and to log no error."""
    with daemon_serving("--http", http, *words) as daemon:
        yield Server(daemon.port, f"http://127.0.0.1:{daemon.ports[0]}/", runs)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    runs = tmp_path_factory.mktemp("runs")
    write_archive(runs / "cup")
    with serving(runs, "--runs", str(runs)) as one:
        yield one


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """A browser context whose pages are waited for as long as a busy machine takes."""
    context = browser.new_context(**options)
    context.set_default_timeout(WAIT)
    return context


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a browser without a history."""
    context = new_context(browser)
    yield context.new_page()
    context.close()


SETTLED = """async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const ends = (one) => one.effect?.getComputedTiming().endTime !== Infinity;
  await document.fonts.ready;
  await Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished));
  await frame();
  await frame();
}"""
"""Resolves when the page has its fonts, nothing fades in, and all of it has been laid out."""


class User:
    """A user at a browser; ``problems`` collects errors and warnings of the page."""

    def __init__(
        self, context: BrowserContext, server: Server, *, is_first_visit: bool = False
    ) -> None:
        # Visitors of a browser that keeps nothing yet are shown the introduction; a blank page has
        # no storage.
        if not is_first_visit:
            keep = "localStorage.setItem('yoddd.visited', 'true')"
            context.add_init_script(f"if (location.host) {keep}")
        self.page: Page = context.new_page()
        self.server = server
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on(
            "console",
            lambda message: (
                self.problems.append(message.text) if message.type in {"error", "warning"} else None
            ),
        )

    def ask_server(self) -> User:
        """Have the server's engine play and analyse from now on, as users choose it."""
        self.page.add_init_script(
            "if (location.host) localStorage.setItem('yoddd.settings', JSON.stringify("
            "{ ...JSON.parse(localStorage.getItem('yoddd.settings')), engine: 'server' }))"
        )
        return self

    def open(self, fragment: str = "", *, modules: bool = False) -> User:
        """Open the board; with ``modules`` a test can import the modules of the page."""
        page = f"{self.server.url}?modules" if modules else self.server.url
        self.page.goto(f"{page}#{fragment}" if fragment else page)
        self.page.wait_for_function("() => !document.body.classList.contains('offline')")
        return self

    def visit(self, page: str) -> User:
        """One of the pages beside the board, once it has something to show."""
        self.page.goto(f"{self.server.url}{page}")
        self.page.wait_for_function("() => !document.querySelector('#sheet > .quiet')")
        return self

    def cell(self, label: str) -> Any:
        return self.page.locator(f".cell[aria-label^='{label},']")

    def settle(self) -> User:
        """Wait until the page is laid out as it stays."""
        self.page.evaluate(SETTLED)
        return self

    def status(self) -> str:
        return self.page.locator("#status").inner_text()

    def wait_status(self, pattern: str) -> None:
        self.page.wait_for_function(
            "pattern => new RegExp(pattern).test(document.getElementById('status').textContent)",
            arg=pattern,
        )

    def wait_count(self, *count: str) -> None:
        """Wait for the groups of Black, of White and of both."""
        for index, number in enumerate(count):
            expect(self.page.locator(f"#count-{index}")).to_have_text(number)

    def wait_turns(self, number: int, *, exactly: bool = False) -> None:
        """Wait until the game is that many turns long, or longer unless ``exactly``."""
        if exactly:
            expect(self.page.locator("#slider")).to_have_attribute("max", str(number))
            return
        self.page.wait_for_function(
            "number => Number(document.getElementById('slider').max) >= number", arg=number
        )

    def confirm(self, *, accept: bool = True) -> str:
        """Answer the question that the page asks; returns its text."""
        box = self.page.locator("#confirm-dialog")
        expect(box).to_be_visible()
        text = self.page.inner_text("#confirm-text")
        box.locator("button.solid" if accept else "button:not(.solid)").click()
        expect(box).not_to_be_visible()
        return text

    def resign(self) -> None:
        """Resign, and say yes to the question."""
        self.page.click("#resign")
        self.confirm()

    def pass_turn(self) -> None:
        """Pass, also where that could lose the game."""
        self.page.click("#pass")
        if self.page.locator("#confirm-dialog").is_visible():
            self.confirm()

    def open_offer(self) -> None:
        """Open the lobby, and the form of an offer there."""
        self.page.click("#lobby-open")
        self.page.click("#lobby-dialog summary")

    def start_new_game(self) -> None:
        """Begin the game that the dialog offers in the place of the one shown."""
        self.page.click("#new")
        self.page.click("#new-dialog button[value=start]")
        if self.page.locator("#confirm-dialog").is_visible():
            self.confirm()

    def turns(self) -> int:
        return int(self.page.get_attribute("#slider", "max") or 0)


@contextmanager
def new_user(
    browser: Browser, server: Server, *, is_first_visit: bool = False, **options: Any
) -> Iterator[User]:
    """A user with a browser context of their own, whose pages must report no problem."""
    context = new_context(browser, **options)
    user = User(context, server, is_first_visit=is_first_visit)
    try:
        yield user
        assert user.problems == []
    finally:
        context.close()


DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def user(browser: Browser, server: Server) -> Iterator[User]:
    with new_user(browser, server, viewport=DESK) as one:
        yield one


@pytest.fixture
def other(browser: Browser, server: Server) -> Iterator[User]:
    """A second user."""
    with new_user(browser, server, viewport=DESK) as one:
        yield one
