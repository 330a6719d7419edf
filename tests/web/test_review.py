"""The file of `yoddd review` in a browser: opened from a file, without any server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.reviews import HEADING, ONE_OF_EACH, blundered
from tests.web.conftest import new_context
from yoddd.daemon.pages.static_site import review_file
from yoddd.kernel import backend
from yoddd.library.review.texts import as_json

pytestmark = [
    pytest.mark.browser,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason=backend().detail),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a game of Yodd and one of Xodd, each with a blunder at its first turn."""
    found = [
        as_json(blundered(name)[1], attrs.evolve(HEADING, id=name)) for name in ONE_OF_EACH[:2]
    ]
    path = tmp_path_factory.mktemp("page") / "review.html"
    path.write_text(review_file(found), encoding="utf-8")
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


@pytest.mark.firefox
def test_review_file_opens_at_the_first_error_and_changes_the_game(page: Page) -> None:
    verdict, slider = page.locator("#review .verdict"), page.locator("#slider")
    expect(page.locator("#review .judged")).to_have_count(2)
    expect(verdict).to_contain_text("blunder")
    expect(slider).to_have_value("1")
    page.click("[data-review=better]")
    expect(slider).to_have_value("0")
    expect(page.locator(".stones .number").first).to_have_text("1")
    page.locator(".actions select").select_option(index=1)
    expect(page.locator("#title")).to_contain_text("Xodd")
    expect(verdict).to_contain_text("blunder")
    expect(verdict).to_be_visible()
    expect(slider).to_have_value("1")
    page.click("#help-open")
    expect(page.locator("a:visible:not(#brand, [href='#board'])")).to_have_count(0)
