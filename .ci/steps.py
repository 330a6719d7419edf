"""Runs all steps of a ring and prints the verdict last: ``python3 .ci/steps.py gate|whole|watch``.

Each step is a target of the Makefile and runs to its end, whatever the others did. None has a limit
in time; only a step of whose tests none ends for `SILENCE` seconds is ended, with its stacks. What
a clone has to build, and the ledger of flaky tests, are in a folder outside of it (`cache`).
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Final, NamedTuple

import cache

ROOT: Final = Path(__file__).parents[1]

SILENCE: Final = {"gate": 400.0, "whole": 3700.0, "watch": 3600.0}
"""Seconds in which some test of a step ends: one has 300, a few 600 or 3600, and is ended."""


class Step(NamedTuple):
    """A target of the Makefile, with variables.

    Attributes:
        name: as it is in the table.
        words: what make is called with.
        has_tests: whether silence means that a test hangs.
        is_real: whether its tests start programs, and wait for a calm machine.
    """

    name: str
    words: str
    has_tests: bool = False
    is_real: bool = False


RINGS: Final = {
    "gate": (
        Step("build", ".venv/dev wasm"),
        Step("lint", "lint"),
        Step("test", "test", has_tests=True),
        Step("contract", "test-contract", has_tests=True, is_real=True),
        Step("page", "test-page", has_tests=True, is_real=True),
        Step("js", "test-js lint-js"),
        Step("docs", "docs"),
        Step("wheel", "package"),
    ),
    "whole": (
        Step("build", ".venv/slow .venv/wasm"),
        Step("wasm", "wasm-again"),
        Step("lint", "lint"),
        Step("test", "test COVERAGE=1 YODDD_EXAMPLES=100", has_tests=True),
        Step("processes", "test-processes COVERAGE=1", has_tests=True, is_real=True),
        Step("coverage", "coverage"),
        Step("fuzz", "fuzz FUZZ_SECONDS=8"),
        Step("browser", "test-browser", has_tests=True, is_real=True),
        Step("firefox", "test-firefox", has_tests=True, is_real=True),
        Step("sanitize", "sanitize", has_tests=True),
        Step("threads", "sanitize-threads", has_tests=True),
        Step("js", "test-js lint-js"),
        Step("docs", "docs"),
        Step("wheel", "package PACKAGE_ALL=1"),
    ),
    "watch": (
        Step("build", ".venv/slow wasm"),
        Step("fuzz", "fuzz FUZZ_SECONDS=600"),
        Step("kills", "test-watch", has_tests=True, is_real=True),
    ),
}
"""The steps of each ring, in the order in which they run."""

MOST_FLAKES: Final = {"gate": 3, "whole": 12, "watch": 12}
"""Roots of failures that are excused in a run, if their tests pass alone."""


class Result(NamedTuple):
    """How a step ended; ``looks`` has a line for each test that was looked at twice."""

    step: str
    verdict: str
    seconds: float
    processor: float
    looks: list[str]


def environment(ring: str) -> dict[str, str]:
    """What the steps run in."""
    folder = cache.folder()
    return {
        **os.environ,
        # Random examples are the same on every run, and a test that is skipped fails.
        "CI": "true",
        "YODDD_CI_CACHE": str(folder),
        "YODDD_RUN": f"{ring}-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}",
        "YODDD_SECOND_LOOK": str(folder / "flaky"),
        "YODDD_MOST_FLAKES": str(MOST_FLAKES[ring]),
        "CCACHE_DIR": str(folder / "ccache"),
        "MYPY_CACHE_DIR": str(folder / "mypy"),
        "RUFF_CACHE_DIR": str(folder / "ruff"),
    }


def looks(run: str) -> list[str]:
    """The tests that were looked at twice in a run so far, each after its kind."""
    file = cache.folder() / "flaky" / "looks.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [f"{one['kind']}: {one['test']}" for one in map(json.loads, lines) if one["run"] == run]


def wait_for_calm(patience: float = 30.0, pressure: float = 40.0) -> None:
    """Wait until other programs leave the processors some time, at most ``patience`` seconds."""
    file, deadline = Path("/proc/pressure/cpu"), time.monotonic() + patience
    while file.exists() and time.monotonic() < deadline:
        found = re.search(r"some avg10=([\d.]+)", file.read_text(encoding="ascii"))
        if found is None or float(found[1]) < pressure:
            return
        time.sleep(1)


def pass_on(output: IO[bytes], silence: float | None) -> bool:
    """Print what a step prints, as it comes; False if nothing came for ``silence`` seconds."""
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            if not selector.select(silence):
                return False
            data = os.read(output.fileno(), 1 << 16)
            if not data:
                return True
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def perform(step: Step, variables: dict[str, str], silence: float) -> Result:
    """Run a step to its end, or end it after a ``silence``, in seconds."""
    print(f"== {step.name}: make {step.words}", flush=True)
    if step.is_real:
        wait_for_calm()
    before, begun, used = looks(variables["YODDD_RUN"]), time.monotonic(), os.times()
    with subprocess.Popen(
        ["make", *step.words.split()],  # noqa: S607 — make of the PATH
        cwd=ROOT,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None  # noqa: S101
        if not pass_on(process.stdout, silence if step.has_tests else None):
            print(f"== {step.name}: nothing for {silence:.0f} s; the stacks follow", flush=True)
            os.killpg(process.pid, signal.SIGABRT)  # pytest has Python print them
            pass_on(process.stdout, 10.0)
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    end = os.times()
    new = looks(variables["YODDD_RUN"])[len(before) :]
    verdict = "failed" if status else "flaky" if new else "passed"
    processor = sum(end[2:4]) - sum(used[2:4])
    return Result(step.name, verdict, time.monotonic() - begun, processor, new)


def main() -> int:
    """Run the steps of a ring; of these only the ones named, if any are."""
    ring, *names = sys.argv[1:]
    variables = environment(ring)
    steps = [step for step in RINGS[ring] if not names or step.name in names]
    results = [perform(step, variables, SILENCE[ring]) for step in steps]
    print(f"\n{'step':12} {'verdict':8} {'seconds':>8} {'processor':>10}")
    for one in results:
        print(f"{one.step:12} {one.verdict:8} {one.seconds:8.0f} {one.processor:10.0f}")
        for look in one.looks:
            print(f"    {look}")
    total = sum(one.seconds for one in results)
    is_green = all(one.verdict != "failed" for one in results)
    print(f"{'all':12} {'green' if is_green else 'red':8} {total:8.0f}")
    if ring == "whole" and not names:
        write(results)
    return 0 if is_green else 1


def write(results: list[Result]) -> None:
    """Keep the results as build/check/COMMIT.json."""
    words = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    commit = done.stdout.strip()
    file = ROOT / "build" / "check" / f"{commit}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    steps = [one._asdict() for one in results]
    is_green = all(one.verdict != "failed" for one in results)
    file.write_text(json.dumps({"commit": commit, "green": is_green, "steps": steps}, indent=1))
    print(f"written to {file.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
