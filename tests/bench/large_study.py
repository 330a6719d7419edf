"""Step through a large SGF file on the page and say how long a key takes.

    python -m tests.bench.large_study --megabytes 8 --keys 60
    python -m tests.bench.large_study --profile profile.cpuprofile

The file is a game of Odd on hex8 with random variations of 12 turns, some of them commented, that
leave it and each other anywhere. A real Chromium opens it from a real daemon. A key is timed in the
page, from the event to the frame after it that has been painted: the arrow keys, forward and back,
from one variation to the next, and in a variation. The processor time, which other programs make no
longer, is that of the processes of pages, and of their longest task. ``--profile`` writes where the
time of the keys goes, for the performance panel of Chromium.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.page import longest_task, traced
from tests.web.conftest import QUIET
from tests.web.pictures import DESKTOP, open_page, serving
from yoddd.notation import Node, position_to_sgf, write_sgf
from yoddd.rules import Colour, Position, make_rules

_LINE, _VARIATION, _COMMENTED = 60, 12, 0.4
_COMMENT = "a comment of the usual length, of a sentence or so"
_MEGABYTE = 1_000_000

_PRESS = """async (keys) => {
  const times = [];
  for (const key of keys) {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    await new Promise(requestAnimationFrame);
    await new Promise((done) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = done;
      channel.port2.postMessage(null);
    });
    times.push(performance.now() - start);
  }
  return times;
}"""


class End(NamedTuple):
    """The end of a line: its last node, the cells that are empty after it, and who is to move."""

    node: Node
    empty: tuple[str, ...]
    player: Colour


def large_study(size: int, rng: random.Random) -> str:
    """A game with variations, of about ``size`` characters."""
    rules = make_rules("odd", "hex8")
    root = position_to_sgf(Position(rules))
    ends = _grow(End(root, rules.geometry.labels, Colour.BLACK), _LINE, rng)
    length = 0
    while length < size:
        added = _grow(ends[rng.randrange(len(ends))], _VARIATION, rng)
        length += sum(8 + len(end.node.text("C") or "") for end in added)
        ends += added[::4]
    return write_sgf([root])


def _grow(end: End, length: int, rng: random.Random) -> list[End]:
    """Add random turns after a node; where they lead to."""
    added = []
    for _ in range(min(length, len(end.empty))):
        child = Node()
        # In Odd every stone on an empty cell is a turn.
        cell = rng.choice(end.empty)
        child.put(end.player.letter.upper(), f"{rng.choice('12')}{cell}")
        if rng.random() < _COMMENTED:
            child.put("C", _COMMENT)
        end.node.children.append(child)
        left = tuple(label for label in end.empty if label != cell)
        end = End(child, left, end.player.opponent)
        added.append(end)
    return added


def open_study(page: Page, path: Path) -> float:
    """Open a file as a user does; the seconds until its turns are there."""
    page.click("#files-open")
    began = time.perf_counter()
    page.set_input_files("#file", path)
    page.wait_for_function(
        "() => Number(document.querySelector('#slider').max) > 1", timeout=120_000
    )
    return time.perf_counter() - began


def step(page: Page, keys: int) -> dict[str, list[float]]:
    """Milliseconds of each key, by what the keys do."""
    return {
        "forward": page.evaluate(_PRESS, ["ArrowRight"] * keys),
        "back": page.evaluate(_PRESS, ["ArrowLeft"] * (keys // 2)),
        "variations": page.evaluate(_PRESS, ["ArrowDown"] * (keys // 2)),
        "in a variation": page.evaluate(_PRESS, ["ArrowRight", "ArrowLeft"] * (keys // 4)),
    }


def processor_time(browser: Browser) -> float:
    """Seconds that the processes of pages have used, which other programs do not change."""
    session: Any = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(float(one["cpuTime"]) for one in processes if one["type"] == "renderer")


def profiled(page: Page, keys: int, out: Path) -> None:
    """Write a profile of the keys."""
    session: Any = page.context.new_cdp_session(page)
    session.send("Profiler.enable")
    session.send("Profiler.start")
    step(page, keys)
    out.write_text(json.dumps(session.send("Profiler.stop")["profile"]))


def main() -> None:
    """Figures to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=8)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, help="step through this file instead")
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args()
    text = (
        options.file.read_text()
        if options.file
        else large_study(int(options.megabytes * _MEGABYTE), random.Random(options.seed))
    )
    with TemporaryDirectory() as made, serving(Path(made)) as url, sync_playwright() as tools:
        path = Path(made) / "large.sgf"
        path.write_text(text)
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = open_page(browser, url, {}, **DESKTOP)
        seconds = open_study(page, path)
        size, turns = len(text) / _MEGABYTE, text.count(";") - 1
        print(f"{size:.1f} MB, {turns} turns, opened in {seconds:.1f} s")
        before = processor_time(browser)
        with traced(browser) as events:
            found = step(page, options.keys)
        used = 1000 * (processor_time(browser) - before) / sum(map(len, found.values()))
        for name, times in found.items():
            middle, worst = statistics.median(times), max(times)
            print(f"{name:<16} median {middle:6.1f} ms, worst {worst:6.1f} ms")
        longest = longest_task(events)
        print(f"processor time of the page: {used:.1f} ms a key, at most {longest:.1f} at once")
        if options.profile:
            profiled(page, options.keys, options.profile)
        browser.close()


if __name__ == "__main__":
    main()
