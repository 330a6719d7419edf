"""Runs simulations: ``python -m tests.simulation --seeds 300``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Final

from twisted.logger import globalLogBeginner

from tests.simulation.marks import scarce, table, unknown
from tests.simulation.plan import Plan
from tests.simulation.planted import search
from tests.simulation.runner import check, run

MOST_FAILURES: Final = 5
"""Failures after which a run stops: a daemon that does not start fails every plan."""


def main() -> int:
    """Run seeds, show one, or look for planted faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=300, help="how many (%(default)s)")
    parser.add_argument("--first", type=int, default=1, metavar="S", help="the first one")
    parser.add_argument("--with", dest="also", metavar="KIND", help="a client or fault in all")
    parser.add_argument("--show", metavar="SEED", help="print a seed, or a line of kept.txt")
    parser.add_argument("--planted", nargs="?", const="", metavar="NAME", help="plant faults")
    parser.add_argument("--afresh", action="store_true", help="plant without the plans known")
    parser.add_argument("--marks", action="store_true", help="print them; fail if one is scarce")
    options = parser.parse_args()
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)
    if options.show:
        outcome = run(Plan.read(options.show))
        print(*outcome.transcript, outcome.violation or "every invariant holds", sep="\n")
        return bool(outcome.violation)
    if options.planted is not None:
        return search.main(options.planted, options.seeds, afresh=options.afresh)
    seeds = range(options.first, options.first + options.seeds)
    return run_seeds(seeds, options.also, has_marks=options.marks)


def run_seeds(seeds: range, also: str | None, *, has_marks: bool) -> int:
    """Run seeds, with one more kind of client or fault; the smallest plan that fails is kept."""
    begun, faults, failed = time.process_time(), Counter[str](), 0
    games = turns = events = 0
    reached = Counter[str]()
    seconds = 0.0
    for seed in seeds:
        plan = Plan.of(seed) if also is None else Plan.of(seed).with_(also)
        outcome = run(plan)
        found = check(plan) if outcome.violation or seed % 20 == 0 else None
        if found is not None:
            failed += 1
            print(found.text, flush=True)
        if failed == MOST_FAILURES:
            seeds = range(seeds.start, seed + 1)
            break
        games, turns, events = games + outcome.games, turns + outcome.turns, events + outcome.events
        seconds += outcome.seconds
        faults.update(outcome.faults)
        reached.update(outcome.marks)
    used = time.process_time() - begun
    print(
        f"{len(seeds)} seeds, {failed} failed; {games} games ({games / used:.0f} a second of the "
        f"processor), {turns} turns, {events} events, {seconds / 3600:.1f} hours of virtual time "
        f"({seconds / 3600 / used:.2f} a second), {used:.1f} s\n"
        + ", ".join(f"{count} {fault}" for fault, count in faults.items())
    )
    missed = scarce(reached, len(seeds)) + unknown(reached) if has_marks else []
    if has_marks:
        print(table(reached), f"not reached often enough, or unknown: {missed}", sep="\n")
    return bool(failed or missed)


if __name__ == "__main__":
    sys.exit(main())
