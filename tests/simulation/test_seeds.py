"""Seeds of the tree, and a plan for each bug that was found."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.simulation.before import verdict
from tests.simulation.marks import MANY, scarce, table, unknown
from tests.simulation.plan import Plan, kept
from tests.simulation.runner import check, run

pytestmark = [pytest.mark.gate, pytest.mark.invariant]

SEEDS: Final = 300

MORE: Final = 2000
"""Seeds of the whole."""

PART: Final = 20


def _first() -> int:
    """A number that changes with the program and the simulation: the gates try many seeds."""
    root = Path(__file__).parents[2]
    files = sorted([*root.glob("yoddd/**/*.py"), *root.glob("tests/simulation/**/*.py")])
    found = hashlib.sha256(b"".join(file.read_bytes() for file in files))
    return int(found.hexdigest()[:6], 16)


FIRST: Final = _first()


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, PART))
def test_simulation_seeds_of_the_tree_keep_every_invariant(first: int) -> None:
    _check(*map(Plan.of, range(first, first + PART)))


@pytest.mark.whole
@pytest.mark.parametrize("first", range(FIRST + SEEDS, FIRST + MORE, PART))
def test_simulation_of_more_seeds_keeps_every_invariant(first: int) -> None:
    _check(*map(Plan.of, range(first, first + PART)))


@pytest.mark.whole
@pytest.mark.timeout(1200)
def test_simulation_of_many_seeds_reaches_each_mark_often_enough() -> None:
    reached = Counter[str]()
    for seed in range(1, MANY + 1):
        reached.update(run(Plan.of(seed)).marks)
    assert not scarce(reached, MANY), table(reached)
    assert not unknown(reached)


@pytest.mark.parametrize("plan", kept(), ids=str)
def test_simulation_plan_that_has_failed_keeps_every_invariant(plan: Plan) -> None:
    _check(plan)


def _check(*plans: Plan) -> None:
    """Let the test fail with what is found, and whether it was there before the change."""
    found = [failure for plan in plans if (failure := check(plan)) is not None]
    assert not found, "\n\n".join(f"{one.text}\n{verdict(one.plan)}" for one in found)
