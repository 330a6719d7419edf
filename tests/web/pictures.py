"""Takes the pictures of the documentation: ``python -m tests.web.pictures docs/images``.

Needs Chromium.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.browsers import QUIET
from tests.support.programs import YODDD, Program
from tests.support.runs import write_archive
from tests.web.test_page_review import GAME as REVIEWED
from yoddd.daemon.pages.framed import framed
from yoddd.pictures.png import png
from yoddd.rules import GAMES, Position, make_rules

PREVIEWS: Final = Path(__file__).parents[2] / "yoddd" / "web" / "previews"

TURNS = (
    "2a1.1a2,2g7.1a4,1f1.1a3,2b6.1a6,2j2.2i3.1a5,2f2.2g1.1b1,1j"
    "1.1b2,1e6.1b5.1c4,2d9.1b3,2j5.1c7,1f8"
)
YODD = f"game=yodd&board=hex6&black=person&white=person&turns={TURNS}"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1360, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
}

COLOURS = 80
"""Colours of a picture."""


@contextmanager
def serving(runs: Path) -> Iterator[str]:
    """A daemon that shows ``runs``; the address of its board."""
    where = "tcp:0:interface=127.0.0.1"
    words = ["serve", "--listen", where, "--http", where, "--runs", str(runs)]
    with Program([*YODDD, *words]) as process:
        process.stdout.readline()
        match = re.search(r"http://\S+", process.stdout.readline())
        assert match is not None, process.error_text()
        yield match[0]
        process.terminate()
        process.rest()


def open_page(browser: Browser, url: str, settings: dict[str, object], **context: Any) -> Page:
    """A page of its own with these settings, at rest."""
    page = browser.new_context(**context).new_page()
    kept = {"settings": json.dumps(settings), "visited": "true"}
    for key, text in kept.items():
        page.add_init_script(f"localStorage.setItem('yoddd.{key}', '{text}')")
    page.goto(url)
    page.wait_for_function("() => !document.body.classList.contains('offline')")
    page.wait_for_timeout(300)
    return page


def cell(page: Page, label: str) -> Any:
    """A cell of the board."""
    return page.locator(f".cell[aria-label^='{label},']")


def take(browser: Browser, url: str, folder: Path) -> None:
    """All pictures."""
    light: dict[str, object] = {"theme": "light"}
    page = open_page(browser, f"{url}#{YODD}", light, **DESKTOP)
    cell(page, "h4").click()
    cell(page, "d5").hover()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-completions.png")
    page = open_page(browser, f"{url}#{YODD}", {**light, "number": True}, **DESKTOP)
    cell(page, "c5").hover()
    page.screenshot(path=folder / "board-groups.png")
    page = open_page(browser, f"{url}#{YODD}", {"theme": "contrast", "number": True}, **DESKTOP)
    cell(page, "h4").click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-contrast.png")
    page = open_page(browser, url, light, **DESKTOP)
    page.click("#new")
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "new-game.png")
    page = browser.new_page(**DESKTOP)
    page.goto(f"{url}learn.html#yodd.5")
    cell(page, "d4").click()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "lesson.png")
    page = open_page(browser, f"{url}#{YODD}", light, **PHONE)
    cell(page, "h4").tap()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "board-phone.png")


def take_analysis(browser: Browser, url: str, folder: Path) -> None:
    """The engine's view of a position, and of the second stone of a turn."""
    page = open_page(browser, f"{url}#{YODD}", {"theme": "light"}, **DESKTOP)
    page.check("#analyse")
    page.wait_for_timeout(5000)
    page.wait_for_function("() => document.querySelector('#lines li .visits')?.textContent > ''")
    page.locator("#lines li").first.hover()
    page.wait_for_timeout(1500)
    page.screenshot(path=folder / "analysis.png")
    page.mouse.move(0, 0)
    cell(page, "h4").click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(6000)
    page.screenshot(path=folder / "analysis-second.png")
    page.context.close()


def take_page_review(browser: Browser, url: str, folder: Path) -> None:
    """A review at an error."""
    page = open_page(browser, f"{url}#{REVIEWED}", {"theme": "light"}, **DESKTOP)
    page.locator("#after [data-after=review]").click()
    page.wait_for_selector("#review .judged")
    page.click("[data-review=before]")
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "review-page.png")
    page.context.close()


def take_puzzle(browser: Browser, url: str, folder: Path) -> None:
    """A puzzle with a wrong answer."""
    page = open_page(
        browser, f"{url}puzzles.html#puzzle=yodd-hex4-154", {"theme": "light"}, **DESKTOP
    )
    page.get_by_role("button", name="Pass").click()
    page.wait_for_function("() => /answers/.test(document.querySelector('.answer').textContent)")
    page.screenshot(path=folder / "puzzle.png")
    page.context.close()


def take_table(browser: Browser, url: str, folder: Path) -> None:
    """Perfect play on a small board, whose table the daemon builds."""
    game = "game=xodd&board=square4&black=person&white=person&turns=1b2"
    page = open_page(browser, f"{url}#{game}", {"theme": "light"}, **DESKTOP)
    page.check("#analyse")
    page.wait_for_selector("#table li")
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "table.png")
    page.context.close()


def take_crosstable(browser: Browser, url: str, folder: Path) -> None:
    """The crosstable of a tournament."""
    page = browser.new_page(viewport={"width": 1180, "height": 760})
    page.add_init_script("localStorage.setItem('yoddd.settings', '{\"theme\": \"light\"}')")
    page.goto(f"{url}runs.html#spring-cup")
    page.wait_for_selector("td.pair button")
    page.screenshot(path=folder / "crosstable.png")


def draw_previews(folder: Path) -> None:
    """The pictures of links on other sites, one for each game: 600 by 315 pixels in few colours."""
    for game in GAMES.values():
        shape, sizes = next(iter(game.boards.items()))
        position = Position(make_rules(game.name, f"{shape}{sizes[0]}"))
        rng = random.Random(game.name)
        while position.cells.count(None) > len(position.cells) // 2:
            turns = [turn for turn in position.legal_turns() if turn.stones]
            position.play(rng.choice(turns))
        drawn = BytesIO(png(framed(position, 600, 315, side=315)))
        image = Image.open(drawn).convert("RGB").quantize(32)
        image.save(folder / f"{game.name}.png", optimize=True)


def shrink(folder: Path) -> None:
    """Give every picture a palette: a fifth of the bytes, and nothing that the eye could tell.

    All pictures together stay below a megabyte.
    """
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            # Without dithering, which costs half of the bytes. Colours that few pixels have, such
            # as those of buttons and crosses, survive this method and not the median cut.
            small = picture.convert("RGB").quantize(
                COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE
            )
        small.save(path, optimize=True)


def main(folder: Path) -> None:
    """Pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as runs, serving(Path(runs)) as url, chromium() as browser:
        write_archive(Path(runs) / "spring-cup", ("ada", "bix", "cob", "dot", "eli"), rounds=6)
        take(browser, url, folder)
        take_analysis(browser, url, folder)
        take_page_review(browser, url, folder)
        take_puzzle(browser, url, folder)
        take_table(browser, url, folder)
        take_crosstable(browser, url, folder)
        shrink(folder)
    draw_previews(PREVIEWS)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield browser
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
