"""The search of one position, which runs in a thread, may be preempted and goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from yoddd.engine import Budget, Insight, Restriction, Searcher, StopFlag, Tabled, Tables, analyze
from yoddd.protocol.analysis.answer import dump, full_answer
from yoddd.protocol.analysis.query import Subject
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Say

_NEVER: Final = float("inf")


@attrs.define(eq=False)
class PositionSearch:
    """Searches one position up to the limits of its query.

    Attributes:
        searcher: searches; it keeps its tree between two runs.
        tables: the tables that answer first.
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


_Key = tuple[str, int, Restriction | None]
"""The position of a kept search, its seed, and what it leaves out."""


class SearchShelf:
    """The searches of a connection that have ended, for further queries about their positions."""

    def __init__(self, config: SessionConfig) -> None:
        """Create it empty."""
        self._config = config
        # The latest last; they keep their trees.
        self._kept: dict[_Key, PositionSearch] = {}

    def take(self, subject: Subject) -> PositionSearch:
        """Remove the search of a position, if it has not too many visits already, or make one."""
        kept = self._kept.pop(_key(subject), None)
        if kept is not None and (subject.visits is None or kept.insight.visits <= subject.visits):
            kept.seconds = 0.0
            return kept
        limits, services = self._config.limits, self._config.services
        return PositionSearch(
            services.engines[self._config.defaults.engine](),
            services.tables,
            Budget(memory=limits.memory << 20, threads=limits.threads),
            services.timekeeper.clock,
            _NEVER if limits.analysis is None else limits.analysis,
        )

    def put(self, subject: Subject, search: PositionSearch) -> None:
        """Keep a search that has ended; the oldest one makes room."""
        if not subject.position.is_over:
            self._kept[_key(subject)] = search
            while len(self._kept) > self._config.limits.kept:
                del self._kept[next(iter(self._kept))]

    def clear(self) -> None:
        """Drop all searches."""
        self._kept.clear()


def _key(subject: Subject) -> _Key:
    return subject.line, subject.query.seed, subject.restriction
