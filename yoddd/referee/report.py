"""The contents of a report, in any format."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from yoddd.notation.records import GameRecord
from yoddd.referee.conditions import Rows
from yoddd.referee.stats.sprt import Sprt, SprtState
from yoddd.referee.stats.summary import Summary

if TYPE_CHECKING:
    from yoddd.referee.standings import Standings
    from yoddd.referee.stats.ratings import Ratings


@attrs.frozen(kw_only=True)
class RunReport:
    """An archive and its plan.

    Attributes:
        title: of the tournament or the file.
        summary: the sums of the archive.
        sprt: a test, if there is one.
        state: the state of the test.
        games: the number of games planned; None if unknown.
        names: the entrants in the order of their seeding; those of the archive if empty.
        recent: the last games, for the list of the page.
        standings: the table, the bracket and the champion; None for a match or a bare archive.
        problems: of the archive: lines that are no records, or equal to earlier ones.
        conditions: under which the games were played, by name; empty if unknown.
    """

    title: str
    summary: Summary
    sprt: Sprt | None = None
    state: SprtState | None = None
    games: int | None = None
    names: tuple[str, ...] = ()
    recent: tuple[GameRecord, ...] = ()
    standings: Standings | None = None
    conditions: Rows = ()
    problems: tuple[str, ...] = ()

    @cached_property
    def ratings(self) -> Ratings | None:
        """Joint ratings in the order of the summary's names; None where there are none."""
        return self.summary.ratings()

    @cached_property
    def ranking(self) -> list[str]:
        """The entrants that have played: by the table, else by rating, else by share."""
        names, ratings = self.summary.names, self.ratings
        if self.standings is not None:
            return [entry.name for entry in self.standings.table if entry.name in names]
        if ratings is not None:
            return sorted(names, key=lambda name: -ratings.elo[names.index(name)])
        return sorted(names, key=lambda name: -self.summary.entrants[name].share)

    @property
    def match(self) -> tuple[str, str] | None:
        """The two names of a match, in the order of their seeding; None where there are more."""
        names = self.names or tuple(self.summary.names)
        if len(names) != 2 or not self.summary.games:
            return None
        return names[0], names[1]
