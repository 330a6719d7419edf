"""Sweeps of endgames by several builds of the program, in turn, so that load falls on all alike.

    python -m tests.bench.sweeps .venv/bin/yoddd OTHER/bin/yoddd --empty 16 18 20 --threads 1

Each line gives the means over seeded positions of Yodd on hex4, or another game and board, by
``yoddd solve --method``: elapsed and processor seconds, and the most memory. Starting the program
is not counted; the line of best play is, as it takes a small part.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

import attrs

from tests.kernel.endgames import random_endgame
from tests.support.programs import Program
from yoddd.notation import format_position
from yoddd.rules import make_rules

_TRIVIAL = "yodd hex2 2/3/2 b 0 1"


@attrs.frozen
class Run:
    """One solved position.

    Attributes:
        output: what it printed.
        seconds: elapsed, as the program reports.
        processor: seconds of all threads.
        memory: the most MiB.
    """

    output: str
    seconds: float
    processor: float
    memory: float


def solve(program: str, position: str, method: str, threads: int) -> Run:
    """Solve a position in a process of its own."""
    words = ["solve", position, "--method", method, "--threads", str(threads)]
    more = ["--tables", "off"] if method == "auto" else []
    with Program([program, *words, "--memory", "16000", *more]) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{program}: no solution\n{process.error_text()}")
    taken = next(line.split()[1] for line in output.splitlines() if line.startswith("time "))
    processor = usage.ru_utime + usage.ru_stime
    return Run(output, float(taken), processor, usage.ru_maxrss / 1024)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", default="hex4")
    parser.add_argument("--method", default="compact")
    parser.add_argument("--empty", type=int, nargs="+", default=[14, 16, 18])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--positions", type=int, default=3)
    chosen = parser.parse_args()
    rules = make_rules(chosen.game, chosen.board)
    starts = {one: solve(one, _TRIVIAL, "compact", 1) for one in chosen.programs}
    for empty in chosen.empty:
        runs: dict[str, list[Run]] = {one: [] for one in chosen.programs}
        for seed in range(chosen.positions):
            line = format_position(random_endgame(rules, seed, empty))
            for program, done in runs.items():
                done.append(solve(program, line, chosen.method, chosen.threads))
            winners = {done[-1].output.split()[0] for done in runs.values()}
            assert len(winners) == 1, (line, winners)
        for program, done in runs.items():
            processor = statistics.mean(run.processor for run in done) - starts[program].processor
            print(
                f"{empty} cells {statistics.mean(run.seconds for run in done):8.3f} s elapsed "
                f"{processor:8.3f} s processor {max(run.memory for run in done):7.0f} MiB  "
                f"{program}",
                flush=True,
            )


if __name__ == "__main__":
    main()
