"""`yoddd check` names what only a process shows: how it ends, and what it keeps back."""

from __future__ import annotations

import re
from typing import Final

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from tests.daemon.conftest import engine
from tests.daemon.runs.test_introduction import UNFLUSHED
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.runs.check import Examiner
from yoddd.referee.conformance import Finding, Knowledge, Terms, Verdict, examine
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.timeout(600)]

REACTOR: Final[Reactor] = reactor  # type: ignore[assignment]  # a module stands for the reactor
TERMS: Final = Terms(launch=4.0, move=4.0, games=(make_rules("yodd", "hex3"),))
"""The limits that the author of a quick engine would give."""

EXPECTED: Final = {
    engine("--plain", "--fault", "crash"): "genmove .*: exit status 3.*crashes on cue",
    engine("--plain", "--fault", "ignore-sigterm"): "has not ended",
    UNFLUSHED: "no reply until its input was closed: .* flush standard output",
    "sleep 60": "no reply within",
    "sh -c 'exit 2'": "exit status 2",
    "sh -c 'exec >&-; sleep 60'": "closed its output",
}
"""The text that names each fault; those of which words show are in tests/referee."""


class _Found(Exception):
    """A failure; the text is its detail."""


def _stop_at_failure(finding: Finding, _knowledge: Knowledge) -> None:
    if finding.verdict is Verdict.FAIL:
        raise _Found(finding.detail)


@pytest.mark.parametrize("command", EXPECTED)
@ensureDeferred
async def test_check_names_the_fault_of_a_program(command: str) -> None:
    # An engine that keeps its replies back is found out before its limit.
    terms = attrs.evolve(TERMS, launch=60.0) if command == UNFLUSHED else TERMS
    with pytest.raises(_Found) as found:
        await Examiner(REACTOR, Launch(command=command)).examine(examine(terms, _stop_at_failure))
    assert re.search(EXPECTED[command], str(found.value))
