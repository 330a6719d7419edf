"""Measure the search of the JavaScript package beside the native one, in one run.

    python -m tests.bench.javascript
    python -m tests.bench.javascript --rounds 5 --chromium

Prints the sizes of the module and of what a page loads, and for each runtime the visits a second of
one thread on some boards, the best of several rounds. Needs `make wasm`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.js_package import WASM, pack, serving
from yoddd.engine import Budget, MctsSearcher
from yoddd.kernel import NativePosition
from yoddd.rules import make_rules

BOARDS: Final = (
    ("yodd", "hex8", 40_000),
    ("xodd", "square12", 20_000),
    ("odd", "hex5", 10_000),
    ("yoin", "hex8", 5_000),
)
"""Games, boards and how many playouts are run."""

SCRIPT: Final = """async ([module, boards]) => {
  const { Position, makeRules, startEngine } = await import(module);
  const engine = await startEngine();
  const found = [];
  for (const [game, board, playouts] of boards) {
    const position = new Position(makeRules(game, board));
    await engine.genmove(position, { playouts: 1000 });
    const begun = performance.now();
    await engine.genmove(position, { playouts });
    found.push((1000 * playouts) / (performance.now() - begun));
  }
  engine.close();
  return found;
}"""


def native() -> list[float]:
    """Visits a second of the native kernel."""
    found = []
    for game, board, playouts in BOARDS:
        position = NativePosition(make_rules(game, board))
        MctsSearcher().search(position, Budget(playouts=1000), 0, lambda: False)
        begun = time.perf_counter()
        MctsSearcher().search(position, Budget(playouts=playouts), 0, lambda: False)
        found.append(playouts / (time.perf_counter() - begun))
    return found


def node(folder: Path) -> list[float]:
    """The same of the package in Node.js."""
    program = shutil.which("node")
    assert program is not None
    arguments = json.dumps([(folder / "index.js").as_uri(), BOARDS])
    script = f"({SCRIPT})({arguments}).then((found) => console.log(JSON.stringify(found)))"
    done = subprocess.run([program, "-e", script], check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found


def chromium(folder: Path) -> list[float]:
    """The same in a page in Chromium."""
    from playwright.sync_api import sync_playwright

    with serving(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(f"{address}/package.json")
        found: list[float] = page.evaluate(SCRIPT, ["/index.js", BOARDS])
        browser.close()
    return found


def sizes(folder: Path) -> None:
    """Print how many bytes a page loads."""
    module = WASM.read_bytes()
    scripts = [path for path in folder.rglob("*.js") if "examples" not in path.parts]
    script = b"".join(path.read_bytes() for path in scripts)
    for name, content in (("kernel", module), (f"{len(scripts)} scripts", script)):
        print(f"{name}: {len(content):,} bytes, {len(gzip.compress(content, 9)):,} gzipped")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--chromium", action="store_true", help="also in Chromium")
    arguments = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "package"
        pack(folder)
        sizes(folder)
        runtimes: dict[str, Callable[[], list[float]]] = {
            "native": native,
            "node": lambda: node(folder),
        }
        if arguments.chromium:
            runtimes["chromium"] = lambda: chromium(folder)
        best = {name: [0.0] * len(BOARDS) for name in runtimes}
        for _ in range(arguments.rounds):
            for name, measure in runtimes.items():
                best[name] = [max(pair) for pair in zip(best[name], measure(), strict=True)]
    print("visits/s", *(f"{game} {board}" for game, board, _ in BOARDS), sep="\t")
    for name, speeds in best.items():
        print(name, *(f"{speed:,.0f}" for speed in speeds), sep="\t")


if __name__ == "__main__":
    main()
