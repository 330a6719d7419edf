"""Seeds of the tree, and every plan that has failed once."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import pytest

from tests.simulation.plan import Plan, kept
from tests.simulation.runner import check

pytestmark = [pytest.mark.gate, pytest.mark.invariant]

SEEDS: Final = 300

MORE: Final = 2000
"""Seeds of the whole."""

PART: Final = 20


def _first() -> int:
    """A number that changes with the program, so that the gates together try many seeds."""
    files = sorted(Path(__file__).parents[2].glob("yoddd/**/*.py"))
    found = hashlib.sha256(b"".join(file.read_bytes() for file in files))
    return int(found.hexdigest()[:6], 16)


FIRST: Final = _first()


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, PART))
def test_simulation_seeds_of_the_tree_keep_every_invariant(first: int) -> None:
    _check(first)


@pytest.mark.whole
@pytest.mark.parametrize("first", range(FIRST + SEEDS, FIRST + MORE, PART))
def test_simulation_of_more_seeds_keeps_every_invariant(first: int) -> None:
    _check(first)


def _check(first: int) -> None:
    failed = [text for seed in range(first, first + PART) if (text := check(Plan.of(seed)))]
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize("plan", kept(), ids=str)
def test_simulation_plan_that_has_failed_keeps_every_invariant(plan: Plan) -> None:
    assert not check(plan)
