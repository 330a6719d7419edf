"""The JavaScript package in browsers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.js_package import ISOLATION, ROOT, THREADED, WASM, pack, serving

pytestmark = [pytest.mark.browser, pytest.mark.firefox]

SEARCH: Final = """\
import { KNOTS, LEVELS } from './facts.js';
import { Position, formatPosition, makeRules } from './index.js';
import { loadKernel } from './js/kernel/helpers.js';
import { Player } from './js/kernel/player.js';
import { giveWay } from './js/kernel/port.js';

const at = (name) => new URL(`js/kernel/${name}`, self.location.href).href;
const files = {
  module: at('yoddd.wasm'),
  threaded: at('yoddd-threads.wasm'),
  helper: at('helper.js'),
};
const kernel = await loadKernel(files, 2);
while (self.crossOriginIsolated && kernel.threads < 2) await giveWay();
const player = new Player(kernel, { knots: KNOTS, levels: LEVELS });
const position = new Position(makeRules('yodd', 'hex5'));
const setUp = { start: formatPosition(position), turns: [] };
const { turn } = await player.genmove(setUp, { seconds: 0.3 }, async () => false);
self.postMessage({
  threads: kernel.threads,
  hasHelped: (kernel.call.yoddd_helped?.() ?? 0) > 0,
  illegality: position.illegality(turn),
});
"""
"""A worker that searches for a moment on two threads, where it may."""

RUN: Final = """() => new Promise((resolve, reject) => {
  const worker = new Worker('/search.js', { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => reject(new Error(event.message));
})"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder."""
    if not (WASM.is_file() and THREADED.is_file()):
        pytest.skip("the kernel is not compiled to WebAssembly: make wasm")
    folder = tmp_path_factory.mktemp("package")
    pack(folder)
    (folder / "search.js").write_text(SEARCH, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site(package: Path) -> Iterator[str]:
    """The address of a host that has it."""
    with serving(package) as address:
        yield address


@pytest.fixture(scope="module")
def isolated(package: Path) -> Iterator[str]:
    """That of a host that isolates its pages from other origins."""
    with serving(package, ISOLATION) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a browser without a history."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


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
          let [last, longest, reports] = [performance.now(), 0, 0];
          const beat = setInterval(() => {
            longest = Math.max(longest, performance.now() - last);
            last = performance.now();
          }, 10);
          const position = new Position(makeRules('yodd', 'hex5'));
          for await (const { visits } of engine.analyze(position, { seconds: 1 }))
            reports += visits > 0;
          clearInterval(beat);
          engine.close();
          return reports > 1 ? longest : Infinity;
        }"""
    )
    assert longest < 500


def test_engine_without_its_module_says_why(page: Page, site: str) -> None:
    page.goto(f"{site}/examples/board.html")
    reason = page.evaluate(
        """async () => {
          const { startEngine } = await import('../index.js');
          const module = new URL('/no.wasm', location.href);
          return startEngine({ module }).then(() => '', (error) => error.message);
        }"""
    )
    assert "404" in reason


def test_worker_that_cannot_be_loaded_is_an_error(page: Page, site: str) -> None:
    page.goto(f"{site}/examples/board.html")
    reason = page.evaluate(
        """async () => {
          const { startEngine } = await import('../index.js');
          const worker = new URL('/no.js', location.href);
          return startEngine({ worker }).then(() => '', (error) => error.message);
        }"""
    )
    assert reason == "the engine could not be loaded"


def searched(page: Page, site: str) -> Any:
    page.goto(f"{site}/package.json")
    return page.evaluate(RUN)


def test_search_has_several_threads_where_the_page_is_isolated(page: Page, isolated: str) -> None:
    expected = {"threads": 2, "hasHelped": True, "illegality": None}
    assert searched(page, isolated) == expected


def test_search_has_one_thread_where_the_page_is_not_isolated(page: Page, site: str) -> None:
    expected = {"threads": 1, "hasHelped": False, "illegality": None}
    assert searched(page, site) == expected


def test_engine_with_threads_is_stopped_by_a_signal(page: Page, isolated: str) -> None:
    page.goto(f"{isolated}/examples/board.html")
    illegality = page.evaluate(
        """async () => {
          const { Position, makeRules, startEngine } = await import('../index.js');
          const engine = await startEngine({ threads: 2 });
          const position = new Position(makeRules('yodd', 'hex6'));
          const signal = AbortSignal.timeout(500);
          const { turn } = await engine.genmove(position, { seconds: 600, signal });
          engine.close();
          return position.illegality(turn);
        }"""
    )
    assert illegality is None


def test_readme_shows_the_example() -> None:
    example = (ROOT / "clients/js/examples/board.html").read_text(encoding="utf-8")
    assert f"```html\n{example}```\n" in (ROOT / "clients/js/README.md").read_text(encoding="utf-8")
