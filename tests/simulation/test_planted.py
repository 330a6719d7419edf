"""The simulation finds each planted fault, by the plan that has found it before."""

from __future__ import annotations

import pytest

from tests.simulation.planted.planting import Planted, found
from tests.simulation.planted.search import PLANTED, plan_for

pytestmark = [pytest.mark.gate, pytest.mark.invariant]

FOUND = found()


def test_planted_faults_are_enough_and_can_be_planted() -> None:
    assert len({one.name for one in PLANTED}) == len(PLANTED) >= 40
    for fault in PLANTED:  # its words are still in its function
        with fault.plant():
            pass


@pytest.mark.whole
@pytest.mark.parametrize("fault", PLANTED, ids=lambda one: one.name)
def test_planted_fault_is_found(fault: Planted) -> None:
    assert plan_for(fault, FOUND.get(fault.name)) is not None
