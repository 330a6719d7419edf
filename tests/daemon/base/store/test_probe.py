"""The probe of a store that answers, fails or hangs."""

from __future__ import annotations

from typing import Any, cast

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from yoddd.daemon.pages.monitoring import PATIENCE, StoreProbe


@attrs.define
class SlowJournal:
    """A journal whose reads end when the test says so."""

    reads: list[Deferred[Any]] = attrs.Factory(list)

    def read(self, look: object) -> Deferred[Any]:
        del look
        self.reads.append(Deferred())
        return self.reads[-1]


def probe() -> tuple[StoreProbe, SlowJournal, Clock]:
    journal, clock = SlowJournal(), Clock()
    return StoreProbe(cast("Any", clock), cast("Any", journal)), journal, clock


def test_probe_of_a_store_that_answers_or_fails_says_so() -> None:
    asked, journal, _ = probe()
    answers: list[bool] = []
    asked.probe().addCallback(answers.append)
    journal.reads[0].callback("a001")
    asked.probe().addCallback(answers.append)
    journal.reads[1].errback(RuntimeError("away"))
    assert answers == [True, False]


def test_probe_that_hangs_is_away_and_reads_only_once() -> None:
    asked, journal, clock = probe()
    answers: list[bool] = []
    for _ in range(3):
        asked.probe().addCallback(answers.append)
    clock.advance(PATIENCE)
    assert (answers, len(journal.reads)) == ([False] * 3, 1)
    asked.probe().addCallback(answers.append)
    journal.reads[0].callback("a001")
    assert (answers, len(journal.reads)) == ([False] * 3 + [True], 1)
    assert clock.getDelayedCalls() == []
