"""The end of a game: who has won and why, said alike everywhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.web.conftest import Server, User, new_user
from tests.web.test_agreements import offer
from tests.web.test_lobby import drop, join

pytestmark = [pytest.mark.browser, pytest.mark.whole]


def check_said_alike(user: User) -> None:
    """Check that the verdict beside the board is the status below it."""
    expect(user.page.locator("#verdict")).to_have_text(user.status())


@pytest.mark.gate
def test_refereed_resignation_is_said_alike_to_both(user: User, other: User) -> None:
    offer(user, "ivy")
    join(other, "jon", "ivy")
    drop(user, ("c3", "b"))
    other.wait_turns(1)
    other.resign()
    for one in (user, other):
        one.wait_status("ivy wins: jon resigned")
        check_said_alike(one)
        one.page.click("#prev")
        expect(one.page.locator("#verdict")).to_have_text("The board is empty")


ENGINE = "game=yodd&board=hex3&black=person&white=level-1"


def card(user: User) -> Locator:
    return user.page.locator("#after :is(h2, p)")


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_card_of_a_lost_game_says_why_and_leads_on(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    with new_user(browser, server, viewport=viewport) as user:
        user.open(ENGINE)
        user.page.locator("#resign").evaluate("one => one.click()")
        user.confirm()
        user.wait_status("White wins by resignation")
        expect(card(user)).to_have_text(["You lost", "White wins by resignation."])
        for name in ("Rematch", "Analyse", "Share"):
            expect(
                user.page.locator("#after .row").get_by_role("button", name=name)
            ).to_be_visible()
        user.settle()
        boxes = [one.bounding_box() for one in user.page.locator("#after .row button").all()]
        assert all(box is not None for box in boxes)
        assert len({round(box["y"]) for box in boxes if box}) == 1
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= size[0] for box in boxes if box)
        assert all(box["y"] + box["height"] <= size[1] for box in boxes if box)
        width = user.page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0]
        user.page.get_by_role("button", name="Close the result").click()
        expect(user.page.locator("#after")).to_be_hidden()


@pytest.mark.gate
def test_card_counts_the_groups_of_both(user: User) -> None:
    user.open("game=yodd&board=hex4&black=person&white=person&turns=1a1.2c1,2e1.pass")
    user.pass_turn()
    user.wait_status("wins with fewer groups")
    expect(card(user)).to_have_text(["Black won", "Black has 1 group, White 2."])
    user.page.click("#prev")
    expect(user.page.locator("#after")).to_be_hidden()
    user.page.click("#next")
    expect(user.page.locator("#after")).to_be_visible()


def test_rematch_with_the_engine_has_the_seats_exchanged(user: User) -> None:
    user.open(ENGINE)
    user.resign()
    user.page.click("#after >> text=Rematch")
    expect(user.page.locator("#player-0 .who")).to_have_text("Engine 1")
    user.wait_turns(1)
    expect(user.page.locator("#after")).to_be_hidden()
    expect(user.page.locator("input[name=colour][value='1']")).to_be_checked()


@pytest.mark.parametrize("board", ["hex4", "square5"])
def test_card_has_a_picture_of_the_last_position(user: User, board: str) -> None:
    game = "yodd" if board == "hex4" else "xodd"
    user.open(f"game={game}&board={board}&black=person&white=level-1&turns=1a1.2c1,2e1.pass.pass")
    picture = user.page.get_by_role("img", name="The last position")
    expect(picture.locator("circle.black")).to_have_count(1)
    expect(picture.locator("circle.white")).to_have_count(2)
    outside = picture.evaluate(
        """(one) => {
          const { left, top, right, bottom } = one.getBoundingClientRect();
          return [...one.children].filter((part) => {
            const box = part.getBoundingClientRect();
            return box.left < left || box.top < top || box.right > right || box.bottom > bottom;
          }).length;
        }"""
    )
    assert outside == 0
