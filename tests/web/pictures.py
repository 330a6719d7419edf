"""Takes the pictures of the documentation and the figures of the page.

Run: ``python -m tests.web.pictures docs/images``; needs Chromium.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.conftest import QUIET, YODDD
from tests.web.test_page import FRAMES
from yoddd.cli.bench.web import gzipped_size
from yoddd.engine import ENGINES, Budget
from yoddd.notation import parse_turn
from yoddd.rules import Position, make_rules
from yoddd.terminal.app import BoardView, PlayApp
from yoddd.terminal.seats import Opponent

TURNS = (
    "2a1.1a2,2g7.1a4,1f1.1a3,2b6.1a6,2j2.2i3.1a5,2f2.2g1.1b1,1j"
    "1.1b2,1e6.1b5.1c4,2d9.1b3,2j5.1c7,1f8"
)
YODD = f"game=yodd&board=hex6&black=person&white=person&turns={TURNS}"
XODD = (
    "game=xodd&board=square9&black=person&white=person&turns="
    "2b2.1a1,1d3.1c1,2f1.1b1,1a8.1d9,2a4.1e2,1b9.1d5,2d7.2f2,2b3.1g9,2d1"
)
DESKTOP: dict[str, Any] = {"viewport": {"width": 1360, "height": 800}}
TELEPHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
}


@contextmanager
def serving() -> Iterator[str]:
    """A daemon; the address of its board."""
    where = "tcp:0:interface=127.0.0.1"
    process = subprocess.Popen(
        [*YODDD, "serve", "--listen", where, "--http", where],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    match = re.search(r"http://\S+", process.stdout.readline())
    assert match is not None
    try:
        yield match[0]
    finally:
        process.terminate()
        process.wait()


def open_page(browser: Browser, url: str, settings: dict[str, object], **context: Any) -> Page:
    """A page of its own with these settings, at rest."""
    page = browser.new_context(**context).new_page()
    page.add_init_script(f"localStorage.setItem('yoddd.settings', '{json.dumps(settings)}')")
    page.goto(url)
    page.wait_for_function("!document.body.classList.contains('offline')")
    page.wait_for_timeout(300)
    return page


def cell(page: Page, label: str) -> Any:
    """A cell of the board."""
    return page.locator(f".cell[aria-label^='{label},']")


def take(browser: Browser, url: str, folder: Path) -> None:
    """All pictures."""
    light: dict[str, object] = {"theme": "light"}
    dark: dict[str, object] = {"theme": "dark"}
    page = open_page(browser, f"{url}#{YODD}", light, **DESKTOP)
    cell(page, "h4").click()
    cell(page, "d5").hover()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-completions.png")
    page = open_page(browser, f"{url}#{YODD}", {**light, "number": True}, **DESKTOP)
    cell(page, "c5").hover()
    page.screenshot(path=folder / "board-groups.png")
    page = open_page(browser, f"{url}#{XODD}", dark, **DESKTOP)
    cell(page, "f5").click()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-dark.png")
    page = open_page(browser, f"{url}#{YODD}", {"theme": "contrast", "number": True}, **DESKTOP)
    cell(page, "h4").click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-contrast.png")
    page = open_page(browser, url, light, **DESKTOP)
    page.click("#new")
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "new-game.png")
    page = open_page(browser, f"{url}#{YODD}", light, **TELEPHONE)
    cell(page, "h4").tap()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-telephone.png")


def terminal_drawing() -> str:
    """The board in the terminal as SVG, drawn by the application itself."""
    position = Position(make_rules("yodd", "hex6"))
    for token in TURNS.split("."):
        position.play(parse_turn(token, position.rules, position.player))
    adviser = Opponent("random", ENGINES["random"], Budget(1), 0)
    app = PlayApp(position, (None, None), adviser, Path("game.sgf"))

    async def session() -> str:
        async with app.run_test(size=(100, 30)) as pilot:
            view = app.query_one(BoardView)
            view.point_at(position.rules.geometry.cell("h4"))
            await pilot.press("b")
            view.point_at(position.rules.geometry.cell("d5"))
            await pilot.pause()
            return app.export_screenshot()

    return asyncio.run(session())


def take_terminal(browser: Browser, drawing: str, folder: Path) -> None:
    """The picture of `terminal_drawing`."""
    page = browser.new_page(viewport={"width": 1120, "height": 700})
    page.set_content(f"<style>body{{margin:0}}svg{{display:block;width:1120px}}</style>{drawing}")
    page.locator("svg").first.screenshot(path=folder / "terminal.png")


def shrink(folder: Path) -> None:
    """Give every picture a palette: a fourth of the bytes, and nothing that the eye could tell."""
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(256)
        small.save(path, optimize=True)


def measure(browser: Browser, url: str) -> Iterator[tuple[str, float, str]]:
    """First paint in the median of five, weight, and frames a second under analysis."""
    paints = []
    for _ in range(5):
        page = open_page(browser, url, {}, **DESKTOP)
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        paints.append(page.evaluate(paint))
    yield "web.first_paint", sorted(paints)[2] / 1000, "s"
    yield "web.gzipped", gzipped_size(), "bytes"
    page = open_page(browser, f"{url}#game=yodd&board=hex10&turns=1j10", {}, **DESKTOP)
    yield "web.frames", page.evaluate(FRAMES), "1/s"


def main(folder: Path) -> None:
    """Pictures into ``folder``, figures to standard output."""
    folder.mkdir(parents=True, exist_ok=True)
    drawing = terminal_drawing()  # before Playwright takes the event loop
    with serving() as url, sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        take(browser, url, folder)
        take_terminal(browser, drawing, folder)
        shrink(folder)
        for name, value, unit in measure(browser, url):
            print(f"{name:<40} {value:>14,.4g} {unit}")  # noqa: T201 — a program's output
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
