"""Looks for the planted faults: each has to be found within `MOST` seeds."""

from __future__ import annotations

import time
from typing import Final

from tests.simulation.plan import Plan
from tests.simulation.planted.faults import FOUND, PLANTED, Planted, found
from tests.simulation.runner import run

MOST: Final = 300


def seed_of(fault: Planted, first: int | None, seeds: int = MOST) -> tuple[int, str] | None:
    """The seed that finds a fault and what it says; None if none of the first does."""
    known = () if first is None else (first,)
    with fault.plant():
        for seed in (*known, *range(1, seeds + 1)):
            violation = run(Plan.of(seed)).violation
            if violation:
                return seed, violation
    return None


def main(name: str, seeds: int) -> int:
    """Look for the faults whose names contain ``name``, and remember their seeds."""
    remembered, missed = found(), []
    for fault in PLANTED:
        if name not in fault.name:
            continue
        begun = time.process_time()
        seen = seed_of(fault, remembered.get(fault.name), seeds)
        if seen is None:
            missed.append(fault.name)
            remembered.pop(fault.name, None)
        else:
            remembered[fault.name] = seen[0]
        last = seen[1].strip().splitlines()[-1][:110] if seen else "NOT FOUND"
        seed = seen[0] if seen else "-"
        print(f"{fault.name} | {seed} | {time.process_time() - begun:.1f} s | {last}", flush=True)
    names = {one.name for one in PLANTED}
    lines = [f"{one} {seed}" for one, seed in sorted(remembered.items()) if one in names]
    FOUND.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"not found: {missed}")
    return bool(missed)
