"""The site without a server: from a folder of a plain static host, offline, and across updates."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.support.js_package import NEEDS_WASM, serving
from tests.web.conftest import DESK, new_context
from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.static_site import write_site

pytestmark = [pytest.mark.browser, pytest.mark.whole, NEEDS_WASM]

FOLDER = "deep/yoddd"
"""Where the site lies on its host."""


@attrs.frozen
class Host:
    """A static host: its folder of the site, and the site's address."""

    folder: Path
    url: str


@contextmanager
def hosting(root: Path) -> Iterator[Host]:
    with serving(root, "") as address:
        yield Host(root / FOLDER, f"{address}/{FOLDER}/")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("resvg_py")
    folder = tmp_path_factory.mktemp("made")
    write_site(folder, shipped_engine())
    return folder


@pytest.fixture
def host(tmp_path: Path, made: Path) -> Iterator[Host]:
    shutil.copytree(made, tmp_path / FOLDER)
    with hosting(tmp_path) as one:
        yield one


class Visitor:
    """A browser context of its own, and what its pages report."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        context.add_init_script("if (location.host) localStorage.setItem('yoddd.visited', 'true')")
        self.problems: list[str] = []
        self.page: Page = self.tab()

    def tab(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "console",
            lambda message: (
                self.problems.append(message.text) if message.type in {"error", "warning"} else None
            ),
        )
        page.on(
            "requestfailed",
            lambda request: (
                # A page that is left while its icon loads aborts that.
                self.problems.append(request.url) if request.failure != "net::ERR_ABORTED" else None
            ),
        )
        page.on(
            "response",
            lambda reply: self.problems.append(reply.url) if reply.status >= 400 else None,
        )
        return page

    def go(self, address: str) -> None:
        """Go to another page once this one has all of it."""
        self.page.wait_for_load_state("networkidle")
        self.page.goto(address)

    def wait_kept(self) -> None:
        """Wait until the site is kept."""
        self.page.wait_for_function("() => navigator.serviceWorker.controller !== null")

    def keep(self, host: Host) -> Page:
        """Open the site, and return its page once the site is kept."""
        self.page.goto(host.url)
        self.wait_kept()
        return self.page

    def wait_turns(self, number: int) -> None:
        self.page.wait_for_function(
            "number => Number(document.getElementById('slider').max) >= number", arg=number
        )

    def drop(self, *labels: str) -> None:
        for label in labels:
            self.page.locator(f".cell[aria-label^='{label},']").click()
        self.page.click("#play")


def analyse(page: Page) -> None:
    """Switch the analysis on; the game's board has a table."""
    page.check("#analyse")
    expect(page.locator("#table li").first).to_be_visible()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    context = new_context(browser, viewport=DESK)
    one = Visitor(context)
    yield one
    assert one.problems == []
    context.close()


@pytest.fixture
def unkept(browser: Browser) -> Iterator[Visitor]:
    """A visitor whose browser keeps nothing of the site, so that each request can be answered."""
    context = new_context(browser, service_workers="block")
    yield Visitor(context)
    context.close()


@pytest.mark.firefox
def test_static_site_plays_analyses_and_reviews(visitor: Visitor, host: Host) -> None:
    page = visitor.page
    page.goto(f"{host.url}#game=yodd&board=hex2&black=person&white=level-10")
    expect(page.locator("nav.pages a")).to_have_text(["Play", "Learn", "Puzzles"])
    expect(page.locator("#lobby-open, #network")).to_have_count(0)
    expect(page.locator("body.offline")).to_have_count(0)
    visitor.drop("b2")
    visitor.wait_turns(2)
    analyse(page)
    page.click("#review-tab")
    page.click("[data-review=begin]")
    expect(page.locator("#review .judged")).to_have_count(2)
    page.click("#new")
    expect(page.locator("select[name=engine]")).to_be_hidden()


@pytest.mark.firefox
def test_static_site_has_lessons_rules_puzzles_and_the_editor(visitor: Visitor, host: Host) -> None:
    page = visitor.page
    visitor.go(f"{host.url}learn.html#yodd.3")
    expect(page.locator(".cell").first).to_be_visible()
    visitor.go(f"{host.url}rules.html#yodd")
    expect(page.locator(".cell").first).to_be_visible()
    visitor.go(f"{host.url}puzzles.html?puzzle=yodd-hex3-17")
    page.get_by_role("button", name="Solution").click()
    page.get_by_role("button", name="Show all values").click()
    expect(page.locator(".answer")).to_contain_text("Ringed stones win")
    visitor.go(f"{host.url}editor.html")
    page.locator(".cell").first.click()
    visitor.go(f"{host.url}?game=yodd&board=hex3&black=person&white=person&turns=1c3")
    visitor.wait_turns(1)
    expect(page).to_have_url(re.compile(f"^{re.escape(host.url)}#game=yodd"))


@pytest.mark.gate
def test_static_site_without_a_network_plays_on(visitor: Visitor, host: Host) -> None:
    page = visitor.keep(host)
    visitor.context.set_offline(True)
    visitor.go(f"{host.url}?game=yodd&board=hex2&black=person&white=level-10")
    visitor.drop("b2")
    visitor.wait_turns(2)
    analyse(page)
    visitor.go(f"{host.url}puzzles.html#free")
    expect(page.locator(".cell").first).to_be_visible()
    visitor.go(f"{host.url}learn.html#odd")
    expect(page.locator(".cell").first).to_be_visible()


SQUARE5 = "board=square5&black=person&white=person"


@pytest.mark.parametrize(
    ("game", "turns", "value"),
    [
        pytest.param("xodd", "", "Black to move wins", id="xodd"),
        pytest.param("xodd", "1c3", "White to move loses", id="xodd later"),
        pytest.param("odd", "", "Black to move wins", id="odd"),
    ],
)
def test_static_site_has_the_winner_of_square5_from_the_first_turn(
    unkept: Visitor, host: Host, game: str, turns: str, value: str
) -> None:
    page = unkept.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition(".")[2]))
    page.goto(f"{host.url}#game=yodd&board=hex2&black=person&white=person")
    analyse(page)
    assert "table" not in asked
    page.goto("about:blank")
    page.goto(f"{host.url}#game={game}&{SQUARE5}&turns={turns}")
    page.check("#analyse")
    expect(page.locator("#table-value")).to_contain_text(value)
    assert asked.count("table") == 1


def test_static_site_keeps_a_table_that_was_asked_for(visitor: Visitor, host: Host) -> None:
    page = visitor.keep(host)
    assert not page.evaluate(KEPT_TABLES)
    visitor.go(f"{host.url}?game=xodd&{SQUARE5}")
    analyse(page)
    page.wait_for_function(f"async () => (await ({KEPT_TABLES})()) === 1")
    visitor.context.set_offline(True)
    page.reload()
    analyse(page)


def test_static_site_keeps_no_table_of_another_version(visitor: Visitor, host: Host) -> None:
    page = visitor.keep(host)
    for table in host.folder.glob("joined/*.table"):
        table.write_bytes(table.read_bytes() + b" ")
    visitor.go(f"{host.url}?game=xodd&{SQUARE5}")
    page.check("#analyse")
    expect(page.locator("#lines li").first).to_be_visible()
    assert not page.evaluate(KEPT_TABLES)
    visitor.problems.clear()  # the browser reports the file


KEPT_TABLES = """async () => {
  const [name] = await caches.keys();
  const kept = await (await caches.open(name)).keys();
  return kept.filter(({ url }) => url.endsWith('.table')).length;
}"""


def change(host: Host) -> None:
    """Publish another version, with another first page and another lesson."""
    page = host.folder / "index.html"
    page.write_text(page.read_text().replace("<html ", '<html data-version="newer" ', 1))
    lesson = lesson_of(host)
    lesson.write_text(f"{lesson.read_text()}\n")
    renew(host.folder)


def renew(folder: Path) -> None:
    """Write the digests of the files into the service worker, as those of another version."""
    keeper = folder / "sw.js"
    text = keeper.read_text()
    found = re.search(r"const FILES = (\{.*?\n\});", text, re.DOTALL)
    assert found
    files = {
        path: hashlib.sha256((folder / path).read_bytes()).hexdigest()
        for path in json.loads(found[1])
    }
    listed = json.dumps(files, indent=2)
    version = hashlib.sha256(listed.encode()).hexdigest()[:16]
    text = text.replace(found[1], listed)
    keeper.write_text(re.sub("VERSION = '.*'", f"VERSION = '{version}'", text))


LESSON = """fetch(`${document.body.getAttribute('data-static')}lessons/odd.json`)
  .then((reply) => reply.text()).then((text) => text.length)"""

VERSION = "document.documentElement.dataset.version"


def lesson_of(host: Host) -> Path:
    (found,) = host.folder.glob("data-*/lessons/odd.json")
    return found


def test_static_site_changes_to_another_version_whole(visitor: Visitor, host: Host) -> None:
    page, second = visitor.keep(host), visitor.tab()
    second.goto(f"{host.url}#game=yodd&board=hex3&black=person&white=person&turns=1c3")
    length = page.evaluate(LESSON)
    change(host)
    page.reload()
    expect(page.locator(".update")).to_be_visible()
    for tab in (page, second):
        tab.reload()
        assert tab.evaluate(VERSION) is None
        assert tab.evaluate(LESSON) == length, "the old version is whole until all pages change"
    page.locator(".update button").click()
    for tab in (page, second):
        tab.wait_for_function(f"() => {VERSION} === 'newer'")
        tab.wait_for_function(f"async (length) => (await {LESSON}) === length", arg=length + 1)
    second.wait_for_function("() => Number(document.getElementById('slider').max) === 1")
    page.wait_for_function("caches.keys().then((names) => names.length === 1)")


def test_static_site_that_is_half_published_is_not_kept(visitor: Visitor, host: Host) -> None:
    page = visitor.keep(host)
    length = page.evaluate(LESSON)
    change(host)
    lesson_of(host).write_text("{}")
    page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
    page.wait_for_function("caches.keys().then((names) => names.length === 1)")
    page.reload()
    expect(page.locator(".update")).to_have_count(0)
    assert page.evaluate(LESSON) == length
    visitor.problems.clear()  # a browser may report the script that has not been installed


# -- what goes wrong ------------------------------------------------------------------------------


JS = "text/javascript"
PLAY = "game=yodd&board=hex3&black=level-5&white=person"


@pytest.mark.firefox
def test_static_site_without_webassembly_says_so_and_is_a_board(
    visitor: Visitor, host: Host
) -> None:
    page = visitor.page
    page.add_init_script("delete window.WebAssembly")
    page.goto(f"{host.url}#{PLAY}")
    expect(page.locator("#status")).to_contain_text("needs WebAssembly")
    expect(page.locator("#hint")).to_be_disabled()
    visitor.go("about:blank")
    page.goto(f"{host.url}#game=yodd&board=hex3&black=person&white=person")
    visitor.drop("c3")
    visitor.wait_turns(1)


@pytest.mark.firefox
def test_static_site_in_a_browser_that_cannot_unpack_loads_the_plain_script(
    visitor: Visitor, host: Host
) -> None:
    page = visitor.page
    page.add_init_script("delete window.DecompressionStream")
    page.goto(f"{host.url}#game=yodd&board=hex3&black=person&white=person")
    visitor.drop("c3")
    visitor.wait_turns(1)
    visitor.wait_kept()


def worker_of(host: Host) -> str:
    found = re.search('name="engine" content="([^"]+)"', (host.folder / "index.html").read_text())
    assert found
    return found[1]


@pytest.mark.firefox
def test_static_site_whose_worker_dies_plays_its_turn_with_another(
    unkept: Visitor, host: Host
) -> None:
    page = unkept.page
    dying = "self.onmessage = () => { throw new Error('out of luck'); };"
    served: list[str] = []

    def serve(route: Route) -> None:
        served.append(route.request.url)
        if len(served) > 1:
            route.continue_()
        else:
            route.fulfill(body=dying, content_type=JS)

    page.route(f"**/{worker_of(host)}", serve)
    page.goto(f"{host.url}#{PLAY}")
    unkept.wait_turns(1)
    assert len(served) == 2


def test_static_site_page_that_is_older_than_its_data_says_so(unkept: Visitor, host: Host) -> None:
    (data,) = host.folder.glob("data-*")
    data.rename(host.folder / "data-of-another-version")
    for page in ("learn.html#yodd.3", "puzzles.html", "rules.html"):
        unkept.page.goto(f"{host.url}{page}")
        expect(unkept.page.locator("#sheet")).to_contain_text("reload the page")
