"""Which larger endgames several builds of the program solve within so much processor time.

    python -m tests.bench.proofs .venv/bin/yoddd OTHER/bin/yoddd --empty 22 24 26 --seconds 60

Each line is a seeded position of Yodd on hex4, or another game and board: its empty cells, and for
each build the winner and the processor seconds that ``yoddd solve`` took on one thread, or ``-``
where the limit ended it. Processor time, the limit too, is that of the whole program, so that other
programs on the machine do not matter. The last lines count the solved ones.
"""

from __future__ import annotations

import argparse
import os
import resource
from collections import Counter

from tests.kernel.endgames import random_endgame
from tests.support.programs import Program
from yoddd.notation import format_position
from yoddd.rules import make_rules


def solve(program: str, position: str, seconds: int, memory: int) -> tuple[str, float]:
    """The winner's letter, or ``-``, and the processor seconds."""
    words = ["solve", position, "--threads", "1", "--memory", str(memory), "--tables", "off"]

    with Program([program, *words]) as process:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return output[0] if process.returncode == 0 else "-", usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--games", nargs="+", default=["yodd@hex4"], metavar="GAME@BOARD")
    parser.add_argument("--empty", type=int, nargs="+", default=[22, 24, 26])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--memory", type=int, default=4000, help="MiB of each program")
    parser.add_argument("--positions", type=int, default=3)
    chosen = parser.parse_args()
    solved: Counter[tuple[str, int, str]] = Counter()
    for empty in chosen.empty:
        for name in chosen.games:
            game, _, board = name.partition("@")
            for seed in range(chosen.positions):
                position = random_endgame(make_rules(game, board), seed, empty)
                line = format_position(position)
                found = [solve(one, line, chosen.seconds, chosen.memory) for one in chosen.programs]
                cells = position.cells.count(None)
                taken = "  ".join(f"{winner} {seconds:6.1f} s" for winner, seconds in found)
                print(f"{name} {cells} cells  {taken}  {line}", flush=True)
                winners = {winner for winner, _ in found} - {"-"}
                assert len(winners) <= 1, (line, winners)
                for program, (winner, _) in zip(chosen.programs, found, strict=True):
                    solved[name, empty, program] += winner != "-"
    for (name, empty, program), count in solved.items():
        print(f"{name} {empty} cells: {count} of {chosen.positions} by {program}")


if __name__ == "__main__":
    main()
