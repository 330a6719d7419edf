"""Phones: the board stays in view, the turn is under the thumb, and nothing scrolls sideways."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect

from tests.web.conftest import PHONE, Server, User, new_user
from tests.web.test_look import GAME, MEASURE, TOUCH, empty, looking

pytestmark = [pytest.mark.browser, pytest.mark.whole]

SIZES = [(390, 844), (320, 568), (844, 390), (568, 320)]
OVER = "game=yodd&board=hex4&black=person&white=level-1&turns=1a1.2c1,2e1.pass.pass"
BUTTONS = ["[data-step='-1']", "[data-step='1']", "#pass", "#play"]


def ids(size: tuple[int, int]) -> str:
    return "x".join(map(str, size))


def box_within(button: Locator, size: tuple[int, int]) -> FloatRect:
    """The box of a button, none of which is beside or below the screen."""
    box = button.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    assert box["y"] + box["height"] <= size[1]
    return box


VISIBLE = """() => {
  const { left, top, right, bottom } = document.getElementById('board').getBoundingClientRect();
  const bar = document.querySelector('.turnbar').getBoundingClientRect();
  const across = bar.left < right && bar.right > left;
  const end = across ? Math.min(bar.top, bottom) : Math.min(innerHeight, bottom);
  return (end - Math.max(top, 0)) / (bottom - top);
}"""


@pytest.mark.parametrize("size", SIZES, ids=ids)
def test_board_and_turn_stay_in_view_while_the_user_reads_and_steps(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    with looking(browser, server, GAME, size, **TOUCH) as user:
        user.wait_turns(23)
        user.settle()
        for scrolled in (False, True):
            if scrolled:
                user.page.locator("#undo").scroll_into_view_if_needed()
            for button in BUTTONS:
                assert box_within(user.page.locator(button), size)["y"] > size[1] * 0.6
            user.page.tap("[data-step='-1']")
            user.settle()
            assert user.page.evaluate(VISIBLE) > 0.97
        expect(user.page.locator("#slider")).to_have_value("21")
        user.page.tap("[data-step='1']")
        expect(user.page.locator("#slider")).to_have_value("22")
        assert user.page.evaluate(MEASURE)["scroll"][0] <= size[0]


def swipe(user: User, way: int) -> None:
    """A finger across the board: to the right with 1, to the left with -1."""
    box = user.page.locator("#board").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = user.page.context.new_cdp_session(user.page)
    steps = [("touchStart", 0), *(("touchMove", 20 * part) for part in range(1, 6))]
    for kind, moved in steps:
        points = [{"x": x + way * moved, "y": y + moved / 10}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_swipe_steps_and_drops_nothing(browser: Browser, server: Server) -> None:
    with looking(browser, server, GAME, (390, 844), **TOUCH) as user:
        user.wait_turns(23)
        swipe(user, 1)
        expect(user.page.locator("#slider")).to_have_value("22")
        swipe(user, 1)
        expect(user.page.locator("#slider")).to_have_value("21")
        swipe(user, -1)
        expect(user.page.locator("#slider")).to_have_value("22")
        expect(user.page.locator(".stone.pending")).to_have_count(0)


def test_back_takes_the_place_of_pass_while_a_stone_waits(browser: Browser, server: Server) -> None:
    game = f"{empty('hex4')}&turns=1a1"
    with looking(browser, server, game, (320, 568), **TOUCH) as user:
        user.wait_turns(1)
        expect(user.page.locator("#back")).to_be_hidden()
        user.cell("d4").tap()
        expect(user.page.locator("#pass")).to_be_hidden()
        user.page.tap("#back")
        expect(user.page.locator(".stone.pending")).to_have_count(0)
        expect(user.page.locator("#pass")).to_be_visible()


@pytest.mark.parametrize("size", SIZES, ids=ids)
def test_result_fits_and_leaves_the_board_in_view(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    with looking(browser, server, OVER, size, **TOUCH) as user:
        expect(user.page.locator("#after h2")).to_have_text("You won")
        user.settle()
        for button in user.page.locator("#after button").all():
            box_within(button, size)
        board = user.page.locator("#board").bounding_box()
        after = user.page.locator("#after").bounding_box()
        assert board is not None
        assert after is not None
        is_beside = after["x"] >= board["x"] + board["width"]
        assert is_beside or after["y"] >= board["y"] + board["height"]


@pytest.mark.parametrize("size", [(390, 844), (320, 568)], ids=ids)
def test_start_of_a_new_game_is_in_view(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    with looking(browser, server, GAME, size, **TOUCH) as user:
        user.page.tap("#new")
        start = user.page.locator("#new-dialog button[value=start]")
        expect(start).to_be_in_viewport(ratio=1)


def test_answer_to_a_puzzle_is_above_its_buttons(browser: Browser, server: Server) -> None:
    with new_user(browser, server, viewport=PHONE, **TOUCH) as user:
        user.visit("puzzles.html#puzzle=yodd-hex4-154")
        user.page.get_by_role("button", name="Solution").tap()
        expect(user.page.locator(".answer")).to_contain_text("The turn is")
        user.settle()
        answer = user.page.locator(".answer").bounding_box()
        buttons = user.page.locator(".onward button")
        assert answer is not None
        for button in buttons.all():
            assert box_within(button, (390, 844))["y"] >= answer["y"] + answer["height"]
