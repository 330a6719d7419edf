"""The contents of a report, in any format."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from yoddd.notation.records import GameRecord
from yoddd.referee.reports.progress import spell_share
from yoddd.referee.stats.elo import Interval
from yoddd.referee.stats.sprt import SprtState
from yoddd.referee.stats.summary import Summary
from yoddd.referee.tournament.conditions import Rows

if TYPE_CHECKING:
    from yoddd.referee.stats.ratings import Ratings
    from yoddd.referee.tournament.standings import Standings


@attrs.frozen(kw_only=True)
class RunReport:
    """An archive and its plan.

    Attributes:
        title: of the tournament or the file.
        summary: the sums of the archive.
        test: the state of a test, if there is one.
        games: the number of games planned; None if unknown.
        names: the entrants in the order of their seeding; those of the archive if empty.
        recent: the last games, for the list of the page.
        standings: the table, the bracket and the champion; None for a match or a bare archive.
        problems: of the archive: lines that are no records, or equal to earlier ones.
        conditions: under which the games were played, by name; empty if unknown.
    """

    title: str
    summary: Summary
    test: SprtState | None = None
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

    @property
    def groups(self) -> list[list[list[str]]]:
        """The entrants of `Ratings.groups` by name."""
        names, groups = self.summary.names, self.ratings.groups if self.ratings else ()
        return [[[names[one] for one in found] for found in group] for group in groups]

    def rating(self, name: str) -> Interval | None:
        """The rating of an entrant; None if no games compare it with others."""
        alone = [name] in (found for group in self.groups for found in group)
        if self.ratings is None or alone:
            return None
        return self.ratings.interval(self.summary.names.index(name))

    @property
    def first_interval(self) -> Interval | None:
        """The advantage of the first move in Elo; None if all who began won, or none."""
        is_open = 0 < self.summary.black_wins < self.summary.games
        return self.ratings.first_interval if self.ratings and is_open else None

    @property
    def remarks(self) -> list[str]:
        """Reasons why the ratings of some entrants cannot be compared."""
        found = [
            f"no limit to the differences between {_spell(group)}: each won every game against "
            "those behind"
            for group in self.groups
            if len(group) > 1
        ]
        if len(self.groups) > 1:
            everyone = [[name for found in group for name in found] for group in self.groups]
            found.insert(
                0,
                f"groups that never met, even through others, so that no ratings compare them: "
                f"{_spell(everyone)}",
            )
        return found

    @cached_property
    def ranking(self) -> list[str]:
        """The entrants that have played: by the table, else by group and rating."""
        if self.standings is not None:
            return [one.name for one in self.standings.table if one.name in self.summary.entrants]
        return [name for group in self.groups for found in group for name in found]

    @property
    def heading(self) -> str:
        """The number of games, and of those planned."""
        planned = f" of {self.games}" if self.games is not None else ""
        return f"{self.summary.games}{planned} games"

    def score(self, name: str, other: str) -> tuple[int, int]:
        """The games that an entrant has won and lost against another."""
        summary = self.summary
        return summary.won_against(name, other), summary.won_against(other, name)

    @property
    def figures(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The figures of all games by name, and those of each entrant."""
        summary, found, own = self.summary, [], []
        if summary.first_advantage is not None:
            found.append(("black won", spell_share(summary.first_advantage.score)))
        if summary.swap_rate is not None:
            found.append(("pie rule: swapped in", spell_share(summary.swap_rate)))
        turns = sorted(summary.lengths.elements())
        found.append(("turns:", f"{turns[0]} to {turns[-1]}, median {turns[len(turns) // 2]}"))
        found.append(("endings:", _counts(summary.reasons)))
        for name in self.ranking:
            one = summary.entrants[name]
            mean = one.seconds / one.turns if one.turns else 0.0
            pace = f"{mean:.3f} s per turn, slowest {one.slowest:.3f} s"
            own.append((f"{name}:", f"{pace}, forfeits: {_counts(one.forfeits) or 'none'}"))
        return found, own

    @property
    def match(self) -> tuple[str, str] | None:
        """The two names of a match, in the order of their seeding; None where there are more."""
        names = self.names or tuple(self.summary.names)
        if len(names) != 2 or not self.summary.games:
            return None
        return names[0], names[1]


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def _spell(groups: list[list[str]]) -> str:
    return "; ".join(", ".join(names) for names in groups)
