"""The look of the page, as far as it can be measured: contrast, sizes, and what is in view."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.programs import until
from tests.web.conftest import Preferring, Server, User, new_user

pytestmark = [pytest.mark.browser, pytest.mark.whole]

TURNS = (
    "1d8.1i7,2f5.1j12,2a1.1f9,2i10.1k1,2l3.2d5,2h3.2f2,2h7.1m1,2j5.2j9.1n5,2i12.1b1,2l6.1j8,1o8."
    "1a5,2f8.1m4,2j2.1i4,1l9.1o7,2f3.2f6.2h12,2m2.1g2,2o1.1k8.1b8,1i2.2e9,2i1.1b5"
)
GAME = f"game=yodd&board=hex8&black=person&white=person&turns={TURNS}"
TOUCH = {"has_touch": True, "is_mobile": True}
SIZES = [
    (360, 640),
    (390, 844),
    (844, 390),
    (820, 1180),
    (680, 400),  # a window of 1360 by 800 at a zoom of 200 %
    (1360, 800),
    (1920, 1080),
    (2560, 1440),
]


def empty(board: str) -> str:
    """An empty board for two humans."""
    game = "yodd" if board.startswith("hex") else "xodd"
    return f"game={game}&board={board}&black=person&white=person"


@contextmanager
def looking(
    browser: Browser, server: Server, fragment: str, size: tuple[int, int], **options: Any
) -> Iterator[User]:
    viewport = {"width": size[0], "height": size[1]}
    with new_user(browser, server, viewport=viewport, **options) as user:
        yield user.open(fragment).settle()


MEASURE = """() => {
  const box = (one) => one.getBoundingClientRect().toJSON();
  const plate = document.querySelector('.slab');
  const [matrix, { x, y, width, height }] = [plate.getScreenCTM(), plate.getBBox()];
  // Half of the stroke that rounds the corners lies outside.
  const [left, top] = [matrix.e + matrix.a * x - 8, matrix.f + matrix.d * y - 8];
  const [wide, high] = [matrix.a * width + 16, matrix.d * height + 16];
  const slab = { left, top, right: left + wide, bottom: top + high, width: wide, height: high };
  const step = (one, two) => one && two && Math.hypot(one.x - two.x, one.y - two.y);
  const [first, second] = [...document.querySelectorAll('.tile')].map(box);
  return {
    board: slab,
    step: step(first, second),
    ink: [...document.querySelectorAll('.edge text')].map((text) => {
      const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
      return { size, box: box(text) };
    }),
    scroll: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
  };
}"""


@pytest.mark.firefox
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_board_in_any_window_is_whole_and_fills_it(
    browser: Browser, server: Server, width: int, height: int
) -> None:
    with looking(browser, server, GAME, (width, height)) as user:
        seen = user.page.evaluate(MEASURE)
    board = seen["board"]
    assert min(board["left"], board["top"]) >= 0
    assert board["right"] <= width
    assert board["bottom"] <= height
    assert seen["scroll"][0] <= width
    # Beside a column of controls the height counts, in an upright window the width.
    used = board["height"] / (height - 60) if width > 1.5 * height else board["width"] / width
    assert used > (0.6 if width == 680 else 0.9)
    if width >= 1360:
        assert seen["scroll"][1] <= height


@pytest.mark.parametrize(
    "size", [(360, 640), (1360, 800), (2560, 1440)], ids=["phone", "laptop", "large"]
)
def test_coordinates_on_any_board_have_11_to_13_pixels(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    with looking(browser, server, empty("hex2"), size) as user:
        for board in ("hex2", "hex5", "hex8", "hex13", "square9", "square25"):
            user.open(empty(board))
            words = re.sub(
                r"square(\d+)",
                "\\1 \N{MULTIPLICATION SIGN} \\1",
                board.replace("hex", "hexagon of "),
            )
            expect(user.page.locator("#board")).to_have_attribute("aria-label", f"board: {words}")
            user.settle()
            seen = user.page.evaluate(MEASURE)
            slab, ink = seen["board"], seen["ink"]
            assert len(ink) > 4
            assert all(10.9 <= one["size"] <= 13.1 for one in ink), board
            assert all(one["box"]["left"] >= slab["left"] for one in ink), board
            assert all(one["box"]["right"] <= slab["right"] + 1 for one in ink), board
            assert all(one["box"]["bottom"] <= slab["bottom"] + 1 for one in ink), board


COLOURS = """() => {
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const stop = (name) => rgb(getComputedStyle(document.querySelector(name)).stopColor);
  const stroke = (name) => rgb(getComputedStyle(document.querySelector(name)).stroke);
  const fill = (name) => rgb(getComputedStyle(document.querySelector(name)).fill);
  return {
    page: rgb(getComputedStyle(document.documentElement).backgroundColor),
    grain: [stop('.grain-a'), stop('.grain-b')],
    line: stroke('.tile'),
    ink: fill('.edge text'),
    black: stop('.black-body'),
    blackLine: stroke('.stone.black'),
    white: stop('.white-body'),
    whiteLine: stroke('.stone.white'),
    side: fill('.slab-side'),
  };
}"""


def luminance(colour: list[int]) -> float:
    """The relative luminance of WCAG 2."""
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (part / 255 for part in colour)
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: list[int], other: list[int]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_board_in_any_theme_stands_out(user: User, theme: str) -> None:
    user.page.add_init_script(
        f"if (location.host) localStorage['yoddd.settings'] = '{{\"theme\": \"{theme}\"}}'"
    )
    user.open(GAME).settle()
    seen = user.page.evaluate(COLOURS)
    for ground in seen["grain"]:
        assert 2.7 <= contrast(seen["line"], ground) <= 4.2
        assert contrast(seen["ink"], ground) >= 4.5
        for colour in ("black", "white"):
            outline = contrast(seen[f"{colour}Line"], ground)
            assert max(contrast(seen[colour], ground), outline) >= 3
    assert contrast(seen["black"], seen["white"]) >= 7
    assert max(contrast(part, seen["page"]) for part in (seen["side"], *seen["grain"])) >= 1.8


@pytest.mark.firefox
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_tell_black_from_white(
    preferring: Preferring, server: Server, scheme: str
) -> None:
    browser, forced = preferring("forced_colors")
    with looking(browser, server, GAME, (1360, 800), color_scheme=scheme, **forced) as user:
        assert user.page.evaluate("() => matchMedia('(forced-colors: active)').matches")
        seen = user.page.evaluate(COLOURS)
        dots = user.page.evaluate(
            """() => ['black', 'white'].map((name) => {
              const { backgroundColor, borderTopColor } = getComputedStyle(
                document.querySelector(`.player .dot.${name}`),
              );
              const numbers = (text) => text.match(/\\d+/g).map(Number);
              return [numbers(backgroundColor), numbers(borderTopColor)];
            })"""
        )
        shaded = user.page.evaluate("() => getComputedStyle(document.querySelector('.stone')).fill")
    assert contrast(seen["black"], seen["white"]) > 15
    assert contrast(dots[0][0], dots[1][0]) > 15
    for fill, line in (*dots, *([seen[name], seen[f"{name}Line"]] for name in ("black", "white"))):
        assert max(contrast(fill, seen["page"]), contrast(line, seen["page"])) >= 3
    assert "stone" in shaded


TARGETS = """() => {
  const wanted = 'button, select, input:not([type=file]), a.button, nav a, label.toggle';
  const wide = (one) => one.closest('label') ?? one;
  return [...document.querySelectorAll(wanted)]
    .map((one) => [one.id || one.textContent.trim(), wide(one).getBoundingClientRect()])
    .filter(([, { width, height }]) => width && height)
    .filter(([, { width, height }]) => Math.min(width, height) < 39.5)
    .map(([name, { width, height }]) => [name, width, height].join(' '));
}"""


@pytest.mark.parametrize("size", [(360, 640), (844, 390)], ids=["upright", "on its side"])
def test_targets_on_a_phone_have_40_pixels(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    with looking(browser, server, GAME, size, **TOUCH) as user:
        assert user.page.evaluate(TARGETS) == []
        for opener in (".menu-open", "#board-menu-open", "#analysis-tab", "#new"):
            user.page.click(opener)
            user.settle()
            assert user.page.evaluate(TARGETS) == [], opener
            user.page.keyboard.press("Escape")


def test_tiny_cells_on_a_phone_are_hit_in_two_taps(browser: Browser, server: Server) -> None:
    with looking(browser, server, empty("hex13"), (360, 640), **TOUCH) as user:
        small = user.page.evaluate(MEASURE)["step"]
        assert small < 18
        user.cell("m13").tap()
        expect(user.page.locator("#board")).to_have_class(re.compile("zoomed"))
        user.page.wait_for_function(
            "() => document.querySelector('.tile').getBoundingClientRect().width > 40"
        )
        expect(user.page.locator(".stone.pending")).to_have_count(0)
        user.cell("m14").tap()
        expect(user.page.locator(".stone.pending")).to_have_count(1)
        user.page.tap("#back")
        user.page.tap("#whole-board")
        expect(user.page.locator("#board")).not_to_have_class(re.compile("zoomed"))


PINCH = """async (spread) => {
  const board = document.getElementById('board');
  const { left, top, width, height } = board.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const send = (type, apart) => {
    const touches = [-1, 1].map((side, identifier) => new Touch({
      identifier, target: board, clientX: x + side * apart, clientY: y,
    }));
    const event = new TouchEvent(type, { touches, bubbles: true, cancelable: true });
    board.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const held = send('touchstart', 40);
  send('touchmove', 40 * spread);
  return held;
}"""


def test_pinch_zooms_the_board_and_not_the_page(browser: Browser, server: Server) -> None:
    with looking(browser, server, empty("hex8"), (360, 640), **TOUCH) as user:

        def measured() -> float:
            return float(user.page.evaluate(MEASURE)["step"])

        before = measured()
        assert user.page.evaluate(PINCH, 2)
        until(lambda: measured() == pytest.approx(2 * before, rel=0.02))
        user.cell("h8").tap()
        expect(user.page.locator(".stone.pending")).to_have_count(1)
        assert user.page.evaluate(PINCH, 0.25)
        until(lambda: measured() == pytest.approx(before, rel=0.02))


def test_screen_reader_is_told_seats_player_and_completions(user: User) -> None:
    user.open(GAME)
    cards = user.page.locator(".player")
    expect(cards.first).to_have_attribute("aria-label", re.compile("^Black: "))
    expect(cards.last).to_have_attribute("aria-label", re.compile("^White: "))
    on_turn = user.page.locator(".player.turn .on-turn")
    expect(on_turn).to_have_count(1)
    expect(on_turn).to_have_text("to move")
    fitting = user.page.locator(".cell[aria-label*='completes the turn']")
    expect(fitting).to_have_count(0)
    user.cell("h9").click()
    expect(user.page.locator(".stone.pending")).to_have_count(1)
    expect(fitting.first).to_have_attribute(
        "aria-label", re.compile(r"^\w+, empty, (black|white|black or white) completes the turn$")
    )
    expect(user.page.locator("#hover-note")).to_have_attribute("aria-live", "polite")


@pytest.mark.firefox
def test_tabs_are_walked_by_arrow_keys(user: User) -> None:
    user.open(GAME)
    user.page.focus("#game-tab")
    user.page.keyboard.press("ArrowRight")
    expect(user.page.locator("#analysis")).to_be_visible()
    expect(user.page.locator("#game")).to_be_hidden()
    expect(user.page.locator("#analysis-tab")).to_be_focused()
    expect(user.page.locator("#slider")).to_have_value("23")
