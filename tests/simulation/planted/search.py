"""Looks for the planted faults: each has to be found within `MOST` seeds."""

from __future__ import annotations

import time
from typing import Final

from tests.simulation.plan import Plan
from tests.simulation.planted.in_games import IN_GAMES
from tests.simulation.planted.in_surroundings import IN_SURROUNDINGS
from tests.simulation.planted.planting import FOUND, Planted, found
from tests.simulation.runner import Outcome, run

PLANTED: Final = (*IN_GAMES, *IN_SURROUNDINGS)

MOST: Final = 300


def plan_for(fault: Planted, first: str | None, seeds: int = MOST) -> tuple[Plan, Outcome] | None:
    """The plan that finds a fault and how it goes; None if none of the first seeds does."""
    known = () if first is None else (Plan.read(first),)
    with fault.plant():
        for plan in (*known, *map(Plan.of, range(1, seeds + 1))):
            outcome = run(plan)
            if outcome.violation:
                return plan, outcome
    return None


def main(name: str, seeds: int, *, afresh: bool) -> int:
    """Look for the faults whose names contain ``name``, and remember their plans.

    ``afresh`` leaves the remembered plans out, so that a plan's number says how many seeds it took.
    """
    remembered, missed = found(), []
    for fault in PLANTED:
        if name not in fault.name:
            continue
        begun = time.process_time()
        seen = plan_for(fault, None if afresh else remembered.get(fault.name), seeds)
        if seen is None:
            missed.append(fault.name)
            remembered.pop(fault.name, None)
        else:
            remembered[fault.name] = str(seen[0])
        words = ["NOT FOUND"]
        if seen is not None and seen[1].violation is not None:
            last = seen[1].violation.strip().splitlines()[-1][:110]
            words = [seen[1].invariant, str(seen[0]), last]
        used = f"{time.process_time() - begun:.1f} s"
        print(" | ".join([fault.name, used, *words]), flush=True)
    names = {one.name for one in PLANTED}
    lines = [f"{one} | {plan}" for one, plan in sorted(remembered.items()) if one in names]
    FOUND.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"not found: {missed}")
    return bool(missed)
