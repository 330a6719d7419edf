"""The phase table: every transition, and no other."""

from __future__ import annotations

import itertools

import pytest

from yoddd.protocol.phases import TRANSITIONS, Phase, PhaseEvent, PhaseMachine

ROUTES: dict[Phase, tuple[PhaseEvent, ...]] = {
    Phase.READY: (),
    Phase.BUSY: (PhaseEvent.TASK,),
    Phase.STREAMING: (PhaseEvent.STREAM,),
    Phase.CLOSED: (PhaseEvent.END,),
}
"""Events that lead from the start to each phase."""


def machine_in(phase: Phase) -> PhaseMachine:
    machine = PhaseMachine()
    for event in ROUTES[phase]:
        machine.handle(event)
    assert machine.phase is phase
    return machine


@pytest.mark.parametrize(("phase", "event"), list(itertools.product(Phase, PhaseEvent)))
def test_phase_machine_follows_the_table(phase: Phase, event: PhaseEvent) -> None:
    machine = machine_in(phase)
    after = TRANSITIONS.get((phase, event))
    if after is None:
        with pytest.raises(KeyError):
            machine.handle(event)
        assert machine.phase is phase
    else:
        machine.handle(event)
        assert machine.phase is after
