"""The JavaScript package in browsers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.js_package import pack, serving

pytestmark = [pytest.mark.browser, pytest.mark.firefox, pytest.mark.whole]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a host that has the package."""
    folder = tmp_path_factory.mktemp("package")
    pack(folder)
    with serving(folder) as address:
        yield address


def test_front_end_of_the_readme_plays_a_turn_and_gets_an_answer(page: Page, site: str) -> None:
    page.goto(f"{site}/examples/board.html")
    status, board = page.locator("#status"), page.locator("#board")
    expect(status).to_have_text("0 stones: this turn is one stone")
    board.locator("circle").nth(45).click()
    expect(status).to_have_text("a legal turn")
    page.get_by_role("button", name="Play").click()
    stones = board.locator("circle:not([fill='#edc'])")
    expect(stones).not_to_have_count(1)
    expect(page.get_by_role("button", name="Pass")).to_be_enabled()


def test_engine_in_a_worker_analyses_and_leaves_the_page_responsive(page: Page, site: str) -> None:
    page.goto(f"{site}/examples/board.html")
    longest = page.evaluate(
        """async () => {
          const { Position, makeRules, startEngine } = await import('../index.js');
          const engine = await startEngine();
          const begun = performance.now();
          let [last, longest, reports] = [begun, 0, 0];
          const beat = setInterval(() => {
            longest = Math.max(longest, performance.now() - last);
            last = performance.now();
          }, 10);
          const position = new Position(makeRules('yodd', 'hex5'));
          for await (const { visits } of engine.analyze(position, { seconds: 3 }))
            reports += visits > 0;
          clearInterval(beat);
          engine.close();
          return reports > 1 ? longest / (performance.now() - begun) : 1;
        }"""
    )
    assert longest < 0.5, "a part of the time of the search"


@pytest.mark.parametrize(
    ("part", "said"),
    [("module", ".*404.*"), ("worker", ".*/none could not be loaded .* since it is 404: .*")],
)
def test_engine_that_lacks_a_file_says_why(page: Page, site: str, part: str, said: str) -> None:
    page.goto(f"{site}/examples/board.html")
    reason = page.evaluate(
        """async (part) => {
          const { startEngine } = await import('../index.js');
          const given = { [part]: new URL('/none', location.href) };
          return startEngine(given).then(() => '', (error) => error.message);
        }""",
        part,
    )
    assert re.fullmatch(said, reason)
