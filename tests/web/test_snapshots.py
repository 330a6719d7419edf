"""Fourteen pictures of the page, compared with those in the tree."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import matplotlib as mpl
import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.support.games import play_random
from tests.web import snapshots
from tests.web.conftest import DESK, PHONE, Server, User, new_context
from tests.web.pictures import YODD
from tests.web.snapshots import check
from yoddd.kernel import best_position
from yoddd.notation import format_turn
from yoddd.rules import make_rules

pytestmark = pytest.mark.gate

XODD: Final = (
    "game=xodd&board=square9&black=person&white=person&turns="
    "2b2.1a1,1d3.1c1,2f1.1b1,1a8.1d9,2a4.1e2,1b9.1d5,2d7.2f2,2b3.1g9,2d1"
)
LARGE: Final = play_random(best_position(), make_rules("yodd", "hex13"), seed=1, turns=80)
LONG: Final = "game=yodd&board=hex13&black=person&white=person&turns=" + ".".join(
    format_turn(turn, LARGE.rules) for turn in LARGE.history
)
WHEN: Final = 1_700_000_000
"""When the tournament was played, and what the clock of the page says."""

FONTS: Final = Path(mpl.get_data_path()) / "fonts" / "ttf"
"""Fonts that every machine with the tests has."""

STYLE: Final = """
  @font-face { font-family: Fixed; src: url(/fixed/DejaVuSans.ttf); }
  @font-face { font-family: Fixed; font-weight: 600 900; src: url(/fixed/DejaVuSans-Bold.ttf); }
  * { font-family: Fixed !important; caret-color: transparent !important; }
"""


@attrs.frozen
class Scene:
    """A state of the page that a picture shows.

    Attributes:
        reach: opens the page and leads to the state.
        theme: of the settings.
        size: of the window.
    """

    reach: Callable[[User], object]
    theme: str = "light"
    size: dict[str, int] = DESK


def board(fragment: str, *labels: str) -> Callable[[User], None]:
    """A game with the first stones of a turn."""

    def reach(user: User) -> None:
        user.open(fragment)
        for label in labels:
            user.cell(label).click()
        user.page.mouse.move(0, 0)

    return reach


def dialog(button: str) -> Callable[[User], None]:
    def reach(user: User) -> None:
        user.open(YODD)
        user.page.click(button)
        expect(user.page.locator("dialog[open]")).to_be_visible()

    return reach


def solve(user: User) -> None:
    user.open("game=xodd&board=square3&black=person&white=person&turns=1b2")
    user.page.check("#analyse")
    user.page.click("#analysis-tab")
    expect(user.page.locator("#table li").first).to_be_visible()


def weigh_policy(user: User) -> None:
    """The policy, without the search that goes on behind it and is never the same twice."""

    def without_search(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda text: None if "info move" in str(text) else socket.send(text))

    user.page.route_web_socket("**/ws/channels", without_search)
    user.ask_server().open(YODD)
    user.page.check("#analyse")
    user.page.click(".views label:has-text('Policy')")
    expect(user.page.locator("#lines li").first).to_be_visible()
    expect(user.page.locator("#board .spot").first).to_be_visible()
    user.page.mouse.move(0, 0)


def sheet(name: str, ready: str) -> Callable[[User], None]:
    """A page beside the board, once it has something."""

    def reach(user: User) -> None:
        user.page.goto(f"{user.server.url}{name}")
        expect(user.page.locator(ready).first).to_be_visible()

    return reach


SCENES: Final[Mapping[str, Scene]] = {
    "yodd": Scene(board(YODD, "h4")),
    "yodd-dark": Scene(board(YODD, "h4"), "dark"),
    "yodd-contrast": Scene(board(YODD, "h4"), "contrast"),
    "yodd-phone": Scene(board(YODD, "h4"), size=PHONE),
    "yodd-phone-across": Scene(board(YODD), "dark", {"width": 844, "height": 390}),
    "xodd-square": Scene(board(XODD)),
    "yodd-large": Scene(board(LONG, "h4")),
    "policy": Scene(weigh_policy),
    "solved": Scene(solve),
    "new-game": Scene(dialog("#new")),
    "lesson": Scene(sheet("learn.html#yodd.3", ".cell")),
    "rules": Scene(sheet("rules.html#yodd", ".cell")),
    "crosstable": Scene(sheet("runs.html#cup", "td.pair button")),
    "crosstable-dark-phone": Scene(sheet("runs.html#cup", "td.pair button"), "dark", PHONE),
}


def take(browser: Browser, server: Server, scene: Scene) -> bytes:
    """A screenshot of a scene, without what changes from one visit to the next."""
    os.utime(server.runs / "cup" / "games.jsonl", (WHEN, WHEN))
    options: dict[str, Any] = {
        "viewport": scene.size,
        "reduced_motion": "reduce",
        "timezone_id": "UTC",
        "locale": "en-GB",
    }
    context = new_context(browser, bypass_csp=True, **options)
    context.add_init_script(COUNT_FRAMES)
    settings = json.dumps({"theme": scene.theme, "sound": False})
    context.add_init_script(f"localStorage.setItem('yoddd.settings', '{settings}')")
    user = User(context, server)
    user.page.clock.set_fixed_time(WHEN)
    user.page.route(
        "**/fixed/*", lambda route: route.fulfill(path=FONTS / route.request.url.rpartition("/")[2])
    )
    scene.reach(user)
    user.page.add_style_tag(content=STYLE)
    for font in ("16px Fixed", "bold 16px Fixed"):
        user.page.evaluate("async (font) => { await document.fonts.load(font); }", font)
    taken = settled(user)
    context.close()
    return taken


COUNT_FRAMES = """{
  const ask = window.requestAnimationFrame.bind(window);
  const cancel = window.cancelAnimationFrame.bind(window);
  const due = new Set();
  window.requestAnimationFrame = (draw) => {
    const id = ask((time) => { due.delete(id); draw(time); });
    due.add(id);
    return id;
  };
  window.cancelAnimationFrame = (id) => { due.delete(id); cancel(id); };
  window.isDrawn = () => !due.size;
}"""
"""Tells whether no frame is to draw more: large boards are marked in slices."""


def settled(user: User) -> bytes:
    """A screenshot of the page once nothing more is to be drawn, and two in a row are equal.

    A change of the layout ends the marking of a large board and begins it again a frame later.
    """
    user.page.wait_for_load_state("networkidle")
    taken: list[bytes] = []
    while len(taken) < 2 or taken[-1] != taken[-2]:
        user.settle().page.wait_for_function("() => window.isDrawn()")
        taken.append(user.page.screenshot(animations="disabled"))
    return taken[-1]


@pytest.mark.browser
@pytest.mark.whole
@pytest.mark.parametrize("name", SCENES)
def test_page_looks_as_in_its_picture(browser: Browser, server: Server, name: str) -> None:
    check(name, take(browser, server, SCENES[name]))


def test_pictures_in_the_tree_are_those_of_the_scenes_and_small() -> None:
    sizes = {path.stem: path.stat().st_size for path in snapshots.FOLDER.iterdir()}
    assert set(sizes) == set(SCENES)
    assert max(sizes.values()) <= 80_000
