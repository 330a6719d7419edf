"""Measure how fast the page of the board is in a real Chromium, from a real daemon.

    python -m tests.bench.page
    python -m tests.bench.page --only slow --visits 9
    python -m tests.bench.page --only slow --url http://127.0.0.1:8000/
    python -m tests.bench.page --only frames --profile profile.cpuprofile

``paint`` is a visit on this machine: the first contentful paint (FCP) and the time until the board
is drawn. ``slow`` is a first visit and a second one on a network as slow as Lighthouse's "slow 4G",
150 ms and 1.6 Mbit/s down: the largest contentful paint (LCP) and the same time. ``frames`` is
hex13 at 1920 by 1080 with two device pixels for each, after 80 turns and while analysis streams:
how many frames a second there are, the longest time between two of them (``worst``), and the most
processor time that the page takes at once (``task``), which other programs make no longer. They are
taken while the page is only looked at, while the pointer moves over the board, and while a first
stone is dropped and taken back, in several rounds of each. ``worst`` and ``task`` are the greatest
of all rounds; ``usual`` is the median of the rounds' longest times, to which a single frame that
other programs have held up adds nothing. Times are medians over the visits.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import attrs
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.support.browsers import QUIET
from tests.support.games import random_turn
from tests.web.pictures import DESKTOP, open_page, serving
from yoddd.cli.bench.measure import Figure, machine
from yoddd.kernel import best_position
from yoddd.notation import format_turn
from yoddd.rules import make_rules

SLOW_4G: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6 * 1024 * 1024 / 8,
    "uploadThroughput": 750 * 1024 / 8,
}
"""Milliseconds and bytes a second: mobileSlow4G of Lighthouse's lantern/simulation/Constants.

Chromium delays each request by the latency. Lighthouse itself simulates the network, and where it
has Chromium delay requests it takes 3.75 times the latency for what a connection costs besides.
"""

LARGE: Final[dict[str, Any]] = {
    "viewport": {"width": 1920, "height": 1080},
    "device_scale_factor": 2,
}
TURNS: Final = 80

SETTLED: Final = 500
"""Milliseconds until Chromium has painted the whole page again, as it does when tracing starts."""

_WATCH: Final = """
  const watch = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.largestPaint = entry.startTime;
  });
  watch.observe({ type: 'largest-contentful-paint', buffered: true });
  const look = () => {
    if (document.querySelector('#board .cell')) window.boardDrawn = performance.now();
    else requestAnimationFrame(look);
  };
  look();
"""
_PAINTS: Final = """() => ({
  fcp: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  lcp: window.largestPaint,
  board: window.boardDrawn,
})"""

_FRAMES: Final = """(milliseconds) => {
  window.measured = (async () => {
    let updates = 0;
    const watch = new MutationObserver(() => { updates += 1; });
    const all = { childList: true, characterData: true, subtree: true };
    watch.observe(document.querySelector('#lines'), all);
    const gaps = [];
    const start = await new Promise(requestAnimationFrame);
    for (let last = start; last - start < milliseconds; ) {
      const now = await new Promise(requestAnimationFrame);
      gaps.push(now - last);
      last = now;
    }
    watch.disconnect();
    return { frames: (gaps.length * 1000) / milliseconds, worst: Math.max(...gaps), updates };
  })();
}"""


@attrs.frozen
class Options:
    """The choices of the command line.

    Attributes:
        visits: of each page.
        seconds: of each round in which frames are counted.
        rounds: of looking, of pointing and of dropping.
        profile: where to write a profile of these rounds; None for none.
    """

    visits: int = 5
    seconds: float = 3.0
    rounds: int = 5
    profile: Path | None = None


# -- visits ---------------------------------------------------------------------------------------


def visit(context: BrowserContext, url: str, network: Mapping[str, Any] | None) -> dict[str, float]:
    """Milliseconds until the paints of one visit."""
    page = context.new_page()
    page.add_init_script(_WATCH)
    if network is not None:
        session: Any = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", dict(network))
    page.goto(url)
    page.wait_for_function("() => window.boardDrawn && window.largestPaint")
    page.wait_for_function("() => !document.body.classList.contains('offline')")
    page.wait_for_timeout(500)
    paints: dict[str, float] = page.evaluate(_PAINTS)
    page.close()
    return paints


def paint(browser: Browser, url: str, options: Options) -> Iterator[Figure]:
    """First visits on this machine."""
    found = []
    for _ in range(options.visits):
        context = browser.new_context(**DESKTOP)
        found.append(visit(context, url, None))
        context.close()
    for name in ("fcp", "board"):
        yield _median(f"page.{name}", found, name)


def slow(browser: Browser, url: str, options: Options) -> Iterator[Figure]:
    """First and second visits on a slow network."""
    first, again = [], []
    for _ in range(options.visits):
        context = browser.new_context(**DESKTOP)
        first.append(visit(context, url, SLOW_4G))
        again.append(visit(context, url, SLOW_4G))
        context.close()
    for name in ("fcp", "lcp", "board"):
        yield _median(f"page.slow4g.{name}", first, name)
    yield _median("page.slow4g.again.lcp", again, "lcp")


def _median(name: str, visits: list[dict[str, float]], paint: str) -> Figure:
    return Figure(name, statistics.median(one[paint] for one in visits), "ms")


# -- frames ---------------------------------------------------------------------------------------


def long_game() -> str:
    """The fragment of a game on hex13."""
    position = best_position()(make_rules("yodd", "hex13"))
    rng = random.Random(1)
    tokens = []
    for _ in range(TURNS):
        turn = random_turn(position, rng)
        tokens.append(format_turn(turn, position.rules))
        position.play(turn)
    return f"game=yodd&board=hex13&black=person&white=person&turns={'.'.join(tokens)}"


def look_on(page: Page, milliseconds: float, _: int) -> None:
    """Do nothing."""
    page.wait_for_timeout(milliseconds)


def point(page: Page, milliseconds: float, _: int) -> None:
    """Move the pointer from cell to cell."""
    cells = page.locator("#board .cell").all()
    for number in range(int(milliseconds / 100)):
        cells[number * 37 % len(cells)].hover(force=True)
        page.wait_for_timeout(50)


def drop(page: Page, milliseconds: float, number: int) -> None:
    """Drop a first stone, wait for the second ones, and take it back; elsewhere in each round."""
    cells = page.locator("#board .cell[aria-label$='empty']")
    cells.nth(number * 67 % cells.count()).click()
    page.wait_for_timeout(milliseconds * 0.6)
    page.keyboard.press("Backspace")


SESSIONS: Final[Mapping[str, Callable[[Page, float, int], None]]] = {
    "look": look_on,
    "point": point,
    "drop": drop,
}


@contextmanager
def traced(browser: Browser) -> Iterator[list[dict[str, Any]]]:
    """Collect the events of Chromium's tracing; they are complete afterwards."""
    session: Any = browser.new_browser_cdp_session()
    events: list[dict[str, Any]] = []
    ended: list[object] = []
    session.on("Tracing.dataCollected", lambda found: events.extend(found["value"]))
    session.on("Tracing.tracingComplete", lambda found: ended.append(found))  # noqa: PLW0108 — Playwright marks it
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["toplevel"]}})
    yield events
    session.send("Tracing.end")
    page = browser.contexts[0].pages[0]
    while not ended:
        page.wait_for_timeout(50)  # Playwright hands events over while it waits
    session.detach()


def longest_task(events: list[dict[str, Any]]) -> float:
    """Milliseconds of processor time of the longest task of a page."""
    pages = {
        (one["pid"], one["tid"])
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
    }
    times: list[float] = [
        one.get("tdur", 0) / 1000
        for one in events
        if one["name"].endswith("RunTask") and (one["pid"], one["tid"]) in pages
    ]
    return max(times)


@attrs.frozen
class Round:
    """The frames of a round.

    Attributes:
        task: milliseconds of processor time of the longest task.
        worst: milliseconds of the longest time between two frames.
        frames: a second.
        updates: of the analysis, a second.
    """

    task: float
    worst: float
    frames: float
    updates: float


def measure(browser: Browser, page: Page, name: str, number: int, seconds: float) -> Round:
    """Count the frames of one round."""
    with traced(browser) as events:
        page.wait_for_timeout(SETTLED)
        page.evaluate(_FRAMES, seconds * 1000)
        SESSIONS[name](page, seconds * 1000, number)
        found = page.evaluate("() => window.measured")
    return Round(longest_task(events), found["worst"], found["frames"], found["updates"] / seconds)


def frames(browser: Browser, url: str, options: Options) -> Iterator[Figure]:
    """Frames while analysis streams."""
    page = open_page(browser, f"{url}#{long_game()}", {}, **LARGE)
    page.check("#analyse")
    page.click("#analysis-tab")
    page.wait_for_selector("#lines li")
    page.wait_for_timeout(1000)
    session: Any = page.context.new_cdp_session(page)
    if options.profile is not None:
        session.send("Profiler.enable")
        session.send("Profiler.start")
    for name in SESSIONS:
        rounds = [
            measure(browser, page, name, number, options.seconds)
            for number in range(options.rounds)
        ]
        worsts = [one.worst for one in rounds]
        yield Figure(f"page.frames.{name}.task", max(one.task for one in rounds), "ms")
        yield Figure(f"page.frames.{name}", statistics.mean(one.frames for one in rounds), "1/s")
        yield Figure(f"page.frames.{name}.usual", statistics.median(worsts), "ms")
        yield Figure(f"page.frames.{name}.worst", max(worsts), "ms")
        yield Figure(f"page.updates.{name}", statistics.mean(one.updates for one in rounds), "1/s")
    if options.profile is not None:
        options.profile.write_text(json.dumps(session.send("Profiler.stop")["profile"]))
    page.context.close()


MEASURES: Final[Mapping[str, Callable[[Browser, str, Options], Iterator[Figure]]]] = {
    "paint": paint,
    "slow": slow,
    "frames": frames,
}


def main() -> None:
    """Figures to standard output."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=MEASURES, action="append")
    parser.add_argument("--visits", type=int, default=Options().visits)
    parser.add_argument("--seconds", type=float, default=Options().seconds)
    parser.add_argument("--rounds", type=int, default=Options().rounds)
    parser.add_argument("--url", help="measure this page, such as a static site, and no daemon's")
    parser.add_argument("--profile", type=Path, help="for the performance panel of Chromium")
    chosen = parser.parse_args()
    options = Options(chosen.visits, chosen.seconds, chosen.rounds, chosen.profile)
    print(f"# {machine()}")
    with ExitStack() as stack:
        url = chosen.url or stack.enter_context(
            serving(Path(stack.enter_context(TemporaryDirectory())))
        )
        tools = stack.enter_context(sync_playwright())
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        for name in chosen.only or MEASURES:
            for one in MEASURES[name](browser, url, options):
                print(f"{one.name:<28} {one.value:>9.1f} {one.unit}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
