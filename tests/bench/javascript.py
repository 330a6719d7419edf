"""Measure the engine of the JavaScript package beside the native one, in one run.

    python -m tests.bench.javascript
    python -m tests.bench.javascript --rounds 5

Prints the machine and its load, and the sizes of what a page loads. Then it prints, for the native
kernel, Node.js, Chromium and Firefox, the visits a second of one thread on some boards and the
seconds of some sweeps, the best of several rounds, and the memory that these sweeps take in
WebAssembly. Seconds are processor time, which other programs change less: that of a runtime's
processes together. Needs Linux and `make wasm`; a browser that is not on the PATH is left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.browsers import PROGRAMS, launch_options
from tests.support.js_package import WASM, pack, serving
from tests.support.programs import Program
from tests.support.reviews import PUZZLES
from yoddd.cli.bench.measure import machine
from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.engine import Budget, MctsSearcher
from yoddd.kernel import NativePosition, make_sweep
from yoddd.notation import parse_position
from yoddd.rules import make_rules

Work = tuple[str, str, int]
Do = Callable[[Work], object]

SEARCHES: Final = (
    ("yodd hex8", 40_000),
    ("xodd square12", 20_000),
    ("odd hex5", 10_000),
    ("yoin hex8", 5_000),
)
"""Games with their boards, and how many playouts are run."""

SWEEPS: Final = (
    ("18 cells, winner", "yodd-hex4-10017", 0),
    ("19 cells, winner", "yodd-hex4-10481", 0),
    ("18 cells, distances", "yodd-hex4-10017", 1),
)
"""Puzzles whose positions are swept, and whether the turns to the end are counted."""

WORKS: Final[tuple[Work, ...]] = (
    *(("search", what, playouts) for what, playouts in SEARCHES),
    *(("sweep", PUZZLES[name].position, timed) for _, name, timed in SWEEPS),
)
WARM: Final[Work] = ("search", "yodd hex5", 2000)

SCRIPT: Final = """async (folder) => {
  const module = (name) => import(folder + name);
  const { Position, makeRules, parsePosition, startEngine } = await module('index.js');
  const { compile, instantiate } = await module('js/kernel/module.js');
  const { Sweep } = await module('js/kernel/sweep.js');
  const engine = await startEngine();
  const compiled = await compile(new URL(folder + 'js/kernel/yoddd.wasm', globalThis.location));
  globalThis.work = async ([kind, what, number]) => {
    if (kind === 'search') {
      const position = new Position(makeRules(...what.split(' ')));
      await engine.genmove(position, { playouts: number });
      return 0;
    }
    const kernel = await instantiate(compiled);
    const how = { hasDistances: number === 1, seconds: 0 };
    Sweep.make(kernel, parsePosition(what), how);
    return kernel.call.memory.buffer.byteLength;
  };
}"""
"""Gives a page or a program a function that does one piece of work, and returns a sweep's bytes."""

READER: Final = """
  const { createInterface } = await import('node:readline');
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(await work(JSON.parse(line)));
  }
  process.exit();
"""


@contextmanager
def native() -> Iterator[Do]:
    """The native kernel."""

    def do(work: Work) -> None:
        kind, what, number = work
        if kind == "search":
            game, board = what.split()
            searched = NativePosition(make_rules(game, board))
            MctsSearcher().search(searched, Budget(playouts=number), 0, lambda: False)
        else:
            make_sweep(parse_position(what, on=NativePosition), distances=number == 1)

    yield do


@contextmanager
def node(folder: Path) -> Iterator[Do]:
    """The package in Node.js."""
    program = shutil.which("node")
    assert program is not None
    script = folder / "measure.mjs"
    address = json.dumps(f"{folder.as_uri()}/")
    script.write_text(f"await ({SCRIPT})({address});{READER}", encoding="utf-8")
    with Program([program, script], stdin=True) as process:

        def do(work: Work) -> int:
            print(json.dumps(work), file=process.stdin, flush=True)
            return int(process.stdout.readline())

        yield do
        process.stdin.close()


@contextmanager
def browser(name: str, folder: Path) -> Iterator[Do]:
    """The package in a page of Chromium or Firefox."""
    from playwright.sync_api import sync_playwright

    with (
        TemporaryDirectory() as temporary,
        serving(folder) as address,
        sync_playwright() as playwright,
    ):
        options = launch_options(name, Path(temporary)) or {}
        launched = getattr(playwright, name).launch(**options)
        page = launched.new_page()
        page.goto(f"{address}/package.json")
        page.evaluate(SCRIPT, "/")
        yield lambda work: page.evaluate("(work) => globalThis.work(work)", work)
        launched.close()


def spent() -> float:
    """Seconds of processor time of this process and of all that run below it."""
    times: dict[int, int] = {}
    below: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended
        times[int(path.parent.name)] = int(fields[11]) + int(fields[12])
        below.setdefault(int(fields[1]), []).append(int(path.parent.name))
    ticks, left = 0, [os.getpid()]
    while left:
        process = left.pop()
        ticks += times[process]
        left += below.get(process, [])
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(do: Do) -> list[float]:
    """The seconds of each piece of work."""
    do(WARM)
    found = []
    for work in WORKS:
        begun = spent()
        do(work)
        found.append(spent() - begun)
    return found


def sizes(folder: Path) -> None:
    """Print how many bytes a page loads."""
    scripts = [path for path in folder.rglob("*.js") if "examples" not in path.parts]
    engine = shipped_engine()
    parts = {
        "kernel": WASM.read_bytes(),
        f"package, {len(scripts)} scripts": b"".join(path.read_bytes() for path in scripts),
        "the page's worker": engine.files[engine.worker],
    }
    print("bytes", "raw", "gzip", sep="\t")
    for name, content in parts.items():
        print(name, f"{len(content):,}", f"{len(gzip.compress(content, 9)):,}", sep="\t")


def memory(folder: Path) -> list[str]:
    """MiB of the kernel as WebAssembly after each sweep."""
    with node(folder) as do:
        return [f"{int(str(do(work))) / 2**20:.0f}" for work in WORKS if work[0] == "sweep"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(machine())
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "package"
        pack(folder)
        sizes(folder)
        runtimes: dict[str, Callable[[], AbstractContextManager[Do]]] = {
            "native": native,
            "node": partial(node, folder),
        }
        for name, program in PROGRAMS.items():
            if shutil.which(program):
                runtimes[name] = partial(browser, name, folder)
        taken = memory(folder)
        best: dict[str, list[float]] = {}
        for _ in range(arguments.rounds):
            for name, runtime in runtimes.items():
                with runtime() as do:
                    found = measured(do)
                before = best.get(name, found)
                best[name] = [min(pair) for pair in zip(before, found, strict=True)]
    print("visits/s", *(what for what, _ in SEARCHES), sep="\t")
    for name, seconds in best.items():
        rates = (playouts / one for (_, playouts), one in zip(SEARCHES, seconds, strict=False))
        print(name, *(f"{rate:,.0f}" for rate in rates), sep="\t")
    print("seconds", *(name for name, *_ in SWEEPS), sep="\t")
    for name, seconds in best.items():
        print(name, *(f"{one:.2f}" for one in seconds[len(SEARCHES) :]), sep="\t")
    print("MiB in WebAssembly", *taken, sep="\t")
    print(f"load {os.getloadavg()[0]:.1f} afterwards")


if __name__ == "__main__":
    main()
