"""The page of `yoddd review` in a browser: opened from a file, without any server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviews import HEADING, ONE_OF_EACH, blundered
from tests.web.conftest import new_context
from yoddd.kernel import backend
from yoddd.library.review.page import review_page
from yoddd.notation import format_turn

pytestmark = [
    pytest.mark.browser,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason=backend().detail),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a game of Yodd and one of Xodd, each with a blunder at its first turn."""
    found = [(blundered(name)[1], attrs.evolve(HEADING, id=name)) for name in ONE_OF_EACH[:2]]
    path = tmp_path_factory.mktemp("page") / "review.html"
    path.write_text(review_page(found), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """The page, which may neither load anything nor complain."""
    context = new_context(browser)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("request", lambda request: problems.append(request.url))
    opened.goto(file.as_uri())
    yield opened
    context.close()
    assert [one for one in problems if one.partition("#")[0] != file.as_uri()] == []


def expect_stones(page: Page, number: int) -> None:
    expect(page.locator("#board .stone")).to_have_count(number)


def test_review_page_opens_at_the_first_error_and_shows_the_better_turn(page: Page) -> None:
    final, review = blundered(ONE_OF_EACH[0])
    rules, turn = final.rules, review.turns[0]
    expect(page.locator("#detail")).to_contain_text("blunder, a turning point, from won to lost")
    expect(page.locator("#graph .sign.blunder")).to_have_count(1)
    before = review.start.cells
    played = len(before) - before.count(None) + len(turn.turn.stones)
    expect_stones(page, played)
    missed = set(turn.better[0].stones) - set(turn.turn.stones)
    expect(page.locator("#board .hint")).to_have_count(len(missed))
    page.locator("#board .hint").first.click()
    expect(page.locator("#where")).to_contain_text("Better, 1 of")
    expect_stones(page, played - len(turn.turn.stones) + len(turn.better[0].stones))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#where")).to_contain_text("Better, 2 of")
    page.click("text=Back to the game")
    page.click(f"#detail .line >> nth=1 >> text={format_turn(turn.refutation[0], rules)}")
    expect_stones(page, played + len(turn.refutation[0].stones))


@pytest.mark.firefox
def test_review_page_steps_by_keys_list_graph_and_board(page: Page) -> None:
    final, review = blundered(ONE_OF_EACH[0])
    page.keyboard.press("End")
    expect(page.locator("#where")).to_have_text(f"{len(review.turns)} of {len(review.turns)}")
    expect_stones(page, len(final.cells) - final.cells.count(None))
    page.locator("#board .stone.jump").last.click()
    last = max(at for at, turn in enumerate(final.history, 1) if turn.stones)
    expect(page.locator("#where")).to_have_text(f"{last} of {len(review.turns)}")
    page.locator("#turns button").nth(1).click()
    expect(page.locator("#turns [aria-current]")).to_contain_text(str(review.turns[1].number))
    page.locator("#graph").click(position={"x": 2, "y": 20})
    expect(page.locator("#where")).to_have_text(f"0 of {len(review.turns)}")
    page.click("text=error ►")
    expect(page.locator("#where")).to_have_text(f"1 of {len(review.turns)}")
    page.check("text=Errors only")
    expect(page.locator("#turns button")).to_have_count(1)


def test_review_page_changes_the_game_and_keeps_its_place(page: Page) -> None:
    page.select_option("#game", index=1)
    expect(page.locator("#summary")).to_contain_text("Xodd on ")
    page.click("#next")
    expect(page.locator("#where")).to_contain_text("1 of")
    page.reload()
    expect(page.locator("#summary")).to_contain_text("Xodd on ")
    expect(page.locator("#where")).to_contain_text("1 of")
