"""Looks for the planted faults: each has to be found within `MOST` seeds."""

from __future__ import annotations

import time
from typing import Final

from tests.simulation.plan import Plan
from tests.simulation.planted.in_games import IN_GAMES
from tests.simulation.planted.in_surroundings import IN_SURROUNDINGS
from tests.simulation.planted.planting import FOUND, Planted, found
from tests.simulation.runner import run

PLANTED: Final = (*IN_GAMES, *IN_SURROUNDINGS)

MOST: Final = 300


def plan_for(fault: Planted, first: str | None, seeds: int = MOST) -> tuple[Plan, str] | None:
    """The plan that finds a fault and what it says; None if none of the first seeds does."""
    known = () if first is None else (Plan.read(first),)
    with fault.plant():
        for plan in (*known, *map(Plan.of, range(1, seeds + 1))):
            violation = run(plan).violation
            if violation:
                return plan, violation
    return None


def main(name: str, seeds: int) -> int:
    """Look for the faults whose names contain ``name``, and remember their plans."""
    remembered, missed = found(), []
    for fault in PLANTED:
        if name not in fault.name:
            continue
        begun = time.process_time()
        seen = plan_for(fault, remembered.get(fault.name), seeds)
        if seen is None:
            missed.append(fault.name)
            remembered.pop(fault.name, None)
        else:
            remembered[fault.name] = str(seen[0])
        last = seen[1].strip().splitlines()[-1][:110] if seen else "NOT FOUND"
        plan = str(seen[0]) if seen else "-"
        print(f"{fault.name} | {plan} | {time.process_time() - begun:.1f} s | {last}", flush=True)
    names = {one.name for one in PLANTED}
    lines = [f"{one} | {plan}" for one, plan in sorted(remembered.items()) if one in names]
    FOUND.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"not found: {missed}")
    return bool(missed)
