"""`yoddd check` names what is wrong with broken programs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Final

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from tests.programs import broken
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.runs.check import Examiner
from yoddd.referee.conformance import Finding, Knowledge, Terms, Verdict, examine
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.timeout(600)]

REACTOR: Final[Reactor] = reactor  # type: ignore[assignment]  # a module stands for the reactor


TERMS: Final = Terms(launch=4.0, move=4.0, games=(make_rules("yodd", "hex3"),))
"""The limits that the author of a quick engine would give."""

PATIENT: Final = attrs.evolve(TERMS, launch=60.0)
"""The limits for engines that keep their replies back, which is found out before."""

EXPECTED: Final = {
    "hang@protocol_version": "no reply within",
    "hang@genmove": "`genmove .*`: no reply within",
    "close-output@genmove": "`genmove .*`: closed its output",
    "crash@genmove": "`genmove .*`: exit status 1.*broken on cue",
    "exit@quit": "`quit` is not answered",
    "hang@quit": "has not ended",
    "no-empty-line@genmove": r"received `[=?]\d* ?.*` but no empty line after it: flush",
    "buffered": "no reply until its input was closed: .* flush standard output",
    "reads-all": "no reply until its input was closed: read line by line",
    "sleeps": "no reply within",
    "at-once": "exit status 2",
    "one-a-read": "requests? in|in three pieces|no reply within",
    "strict-utf8": "exit status 1.*UnicodeDecodeError",
    "deaf-to-quit": "has not ended",
    "loops-at-end": "has not ended",
    "status-1": "exit status 1",
}
"""The text that names each fault; those of which words show are in tests/referee."""

FILE: Final = Path(broken.__file__)


@pytest.mark.parametrize("name", EXPECTED)
@ensureDeferred
async def test_check_names_the_fault_of_a_broken_program(name: str) -> None:
    assert re.search(EXPECTED[name], await named(name))


async def named(name: str) -> str:
    """The first failure that is found."""
    words = [sys.executable, "-S", "-E", str(FILE), name]
    examiner = Examiner(REACTOR, Launch(command=shlex.join(words)))
    terms = PATIENT if name in {"buffered", "reads-all"} else TERMS
    try:
        await examiner.examine(examine(terms, _stop_at_failure))
    except _Found as failure:
        return str(failure)
    return "no failure"


class _Found(Exception):
    """A failure; the text is its detail."""


def _stop_at_failure(finding: Finding, _knowledge: Knowledge) -> None:
    if finding.verdict is Verdict.FAIL:
        raise _Found(finding.detail)
