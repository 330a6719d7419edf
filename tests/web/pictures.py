"""Takes the pictures of the documentation: ``python -m tests.web.pictures docs/images``.

Needs Chromium.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.browsers import QUIET
from tests.support.runs import write_archive
from tests.web.conftest import serving
from tests.web.test_page_review import GAME as REVIEWED
from yoddd.daemon.pages.static_site import SIZES
from yoddd.kernel import best_position
from yoddd.notation import parse_position
from yoddd.pictures import THEMES, Coordinates, Style, draw
from yoddd.pictures.board import png
from yoddd.rules import GAMES, Position, PositionLike, make_rules

WEB: Final = Path(__file__).parents[2] / "yoddd" / "web"

ICON: Final = "product hex2 bw/bwb/wb b 0 8"
"""The position of the icons."""

SAFE: Final = 0.7
"""The part of an icon's side that no shape cuts off."""

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

LIGHT: Final[Mapping[str, object]] = {"theme": "light"}

COLOURS = 80
"""Colours of a picture."""


def open_page(browser: Browser, url: str, settings: Mapping[str, object], **context: Any) -> Page:
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


@contextmanager
def picture(
    browser: Browser, url: str, path: Path, settings: Mapping[str, object] = LIGHT, **context: Any
) -> Iterator[Page]:
    """A page, of which a picture is taken when all is done that has to be seen."""
    page = open_page(browser, url, settings, **(context or DESKTOP))
    yield page
    page.wait_for_timeout(300)
    page.screenshot(path=path)
    page.context.close()


def take(browser: Browser, url: str, folder: Path) -> None:
    """All pictures."""
    game, numbers = f"{url}#{YODD}", {"number": True}
    with picture(browser, game, folder / "board-completions.png") as page:
        cell(page, "h4").click()
        cell(page, "d5").hover()
    with picture(browser, game, folder / "board-groups.png", {**LIGHT, **numbers}) as page:
        cell(page, "c5").hover()
    contrast = {"theme": "contrast", **numbers}
    with picture(browser, game, folder / "board-contrast.png", contrast) as page:
        cell(page, "h4").click()
        page.mouse.move(0, 0)
    with picture(browser, url, folder / "new-game.png") as page:
        page.click("#new")
    with picture(browser, f"{url}learn.html#yodd.5", folder / "lesson.png") as page:
        cell(page, "d4").click()
    with picture(browser, game, folder / "board-phone.png", **PHONE) as page:
        cell(page, "h4").tap()
    with picture(browser, game, folder / "analysis.png") as page:
        page.check("#analyse")
        page.wait_for_timeout(5000)
        page.locator("#lines li").first.hover()
        page.wait_for_timeout(1500)
    with picture(browser, game, folder / "analysis-second.png") as page:
        page.check("#analyse")
        cell(page, "h4").click()
        page.mouse.move(0, 0)
        page.wait_for_timeout(6000)
    with picture(browser, f"{url}#{REVIEWED}", folder / "review-page.png") as page:
        page.locator("#after [data-after=review]").click()
        page.wait_for_selector("#review .judged")
        page.click("[data-review=before]")
        page.mouse.move(0, 0)
    with picture(browser, f"{url}puzzles.html#puzzle=yodd-hex4-154", folder / "puzzle.png") as page:
        page.get_by_role("button", name="Pass").click()
        page.locator(".answer").get_by_text("answers").wait_for()
    cup, size = f"{url}runs.html#spring-cup", {"width": 1180, "height": 760}
    with picture(browser, cup, folder / "crosstable.png", viewport=size) as page:
        page.wait_for_selector("td.pair button")


EXTENT: Final = re.compile(r'width="[^"]*" height="[^"]*"')


def framed(position: PositionLike, width: int, height: int, *, side: int) -> str:
    """Return an SVG of ``width`` by ``height`` pixels, with a board in its middle."""
    theme = THEMES["light"]
    board = draw(position, style=Style(theme=theme, coordinates=Coordinates.NONE))
    x, y = (width - side) // 2, (height - side) // 2
    place = f'x="{x}" y="{y}" width="{side}" height="{side}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<rect width="{width}" height="{height}" fill="{theme.background}"/>'
        f"{EXTENT.sub(place, board, count=1)}</svg>"
    )


def draw_icons(folder: Path) -> None:
    """The icons of a system's menus: a small board, as ``yoddd render`` draws it."""
    position = parse_position(ICON, best_position())
    for size in SIZES:
        drawn = BytesIO(png(framed(position, size, size, side=round(size * SAFE))))
        Image.open(drawn).convert("RGB").quantize(64).save(
            folder / f"icon-{size}.png", optimize=True
        )


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
    with (
        TemporaryDirectory() as runs,
        serving(Path(runs), "--runs", runs) as server,
        chromium() as browser,
    ):
        write_archive(Path(runs) / "spring-cup", ("ada", "bix", "cob", "dot", "eli"), rounds=6)
        take(browser, server.url, folder)
        shrink(folder)
    draw_previews(WEB / "previews")
    draw_icons(WEB)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield browser
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
