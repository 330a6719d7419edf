"""The search of one position, which runs in a thread, may be preempted and goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from yoddd.engine import Budget, Insight, Searcher, StopFlag, Tabled, Tables, analyze
from yoddd.protocol.analysis.answer import dump, full_answer
from yoddd.protocol.analysis.query import Subject
from yoddd.protocol.effects import Say

_NEVER: Final = float("inf")


@attrs.define(eq=False)
class PositionSearch:
    """Searches one position up to the limits of its query.

    Attributes:
        searcher: searches; it keeps its tree between two runs.
        tables: the complete tables that answer first.
        budget: the memory and the threads of the search.
        clock: returns seconds.
        most: the seconds that any search may take; infinite for no limit.
        insight: the findings of the latest run.
        seconds: the time of the runs for this query.
    """

    searcher: Searcher
    tables: Tables
    budget: Budget
    clock: Callable[[], float]
    most: float = _NEVER
    insight: Insight = attrs.field(factory=Insight, init=False)
    seconds: float = attrs.field(default=0.0, init=False)

    def run(self, subject: Subject, stop: StopFlag, say: Say) -> str:
        """Search on, say what is found on the way, and return the last answer."""
        if not (subject.position.is_over or self._is_complete(subject)):
            begun, before = self.clock(), self.seconds
            is_wanted = subject.query.reportDuringSearchEvery is not None

            def report(insight: Insight) -> None:
                self.insight, self.seconds = insight, before + self.clock() - begun
                if is_wanted:
                    say(self.answer(subject, is_during=True))

            self._search(subject, begun, stop, report)
        return self.answer(subject, is_during=False)

    def _is_complete(self, subject: Subject) -> bool:
        """Whether it has the visits already, from an earlier run or query."""
        return subject.visits is not None and self.insight.visits >= subject.visits

    def _search(
        self, subject: Subject, begun: float, stop: StopFlag, report: Callable[[Insight], None]
    ) -> None:
        time = subject.query.maxTime
        left = max(0.0, min(self.most, _NEVER if time is None else time) - self.seconds)
        budget = attrs.evolve(
            self.budget,
            visits=subject.visits,
            seconds=None if left == _NEVER else left,
            restriction=subject.restriction,
            resume=True,
        )
        analyze(
            Tabled(self.searcher, self.tables),
            subject.position,
            budget,
            subject.query.seed,
            lambda: stop() or self.clock() - begun >= left,
            report,
        )

    def answer(self, subject: Subject, *, is_during: bool) -> str:
        """The answer by the findings so far, as a line."""
        return dump(full_answer(subject, self.insight, is_during=is_during, seconds=self.seconds))
