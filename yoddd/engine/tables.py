"""Perfect play by complete tables of small boards, for any searcher."""

from __future__ import annotations

from typing import Final, Protocol

import attrs

from yoddd.engine.analysis import Candidate, Insight, InsightCallback, analyze
from yoddd.engine.prior import Prior, prior_of
from yoddd.engine.searcher import (
    Budget,
    NoLegalTurn,
    Searcher,
    SearchResult,
    StopFlag,
    wins_by_passing,
)
from yoddd.kernel import best_position
from yoddd.kernel.solver import Solution, by_participants
from yoddd.kernel.table import Value
from yoddd.kernel.table_file import TableError
from yoddd.rules import PASS, PositionLike, Rules, Turn, make_rules

PATIENT: Final = 1.0
"""The least time of a search that solves a board by itself, which takes some tenths of a second."""

TurnValues = tuple[tuple[Turn, Value], ...]
"""Legal turns with their values for the player to move, the best first."""


class Table(Protocol):
    """The values of the positions of one game on one board, in a file or in memory.

    Attributes:
        has_distances: whether the turns to the end are known too.
    """

    has_distances: bool

    def reaches(self, position: PositionLike) -> bool:
        """Whether a position and all that its turns lead to are held."""

    def value(self, position: PositionLike) -> Value:
        """The value of a position for the player on turn.

        Raises:
            TableError: the position is one of another game, or a section is damaged.
        """

    def turns(self, position: PositionLike) -> list[tuple[Turn, Value]]:
        """Every legal turn with its value for the player on turn, the best first.

        Raises:
            TableError: the position is one of another game, or a section is damaged.
        """


class Tables(Protocol):
    """Tables, by the game, the board and the options."""

    def prepare(self, rules: Rules) -> None:
        """Get the table of ``rules`` ready if there is one, as a game begins; returns soon."""

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        """The table of ``rules``; None if there is none. Safe to call from any thread.

        Args:
            rules: the game, the board and the options.
            stop: if given, a small board without a file is solved, until this says true; else only
                if that takes no time that matters.
        """

    def discard(self, rules: Rules, error: TableError) -> None:
        """Report a table in which damage was found, and do not return it again."""


class NoTables:
    """A set of tables that is empty."""

    def prepare(self, rules: Rules) -> None:
        """Do nothing; see `Tables.prepare`."""

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        """None; see `Tables.find`."""

    def discard(self, rules: Rules, error: TableError) -> None:
        """Do nothing; see `Tables.discard`."""


NO_TABLES: Final[Tables] = NoTables()


def value_of(tables: Tables, position: PositionLike, stop: StopFlag | None = None) -> Value | None:
    """The value of a position for the player to move; None without a sound table.

    Args:
        tables: the tables.
        position: a position in which no player has resigned.
        stop: see `Tables.find`.
    """
    table = tables.find(position.rules, stop)
    if table is None or not table.reaches(position):
        return None
    try:
        return table.value(position)
    except TableError as error:
        tables.discard(position.rules, error)
        return None


def values_of(tables: Tables, position: PositionLike, stop: StopFlag | None = None) -> TurnValues:
    """Every legal turn with its value; none without a sound table, or if the game is over.

    Args:
        tables: the tables.
        position: any position.
        stop: see `Tables.find`.
    """
    table = tables.find(position.rules, stop)
    if table is None or position.is_over or not table.reaches(position):
        return ()
    try:
        return tuple(table.turns(position))
    except TableError as error:
        tables.discard(position.rules, error)
        return ()


def best_line(tables: Tables, position: PositionLike, values: TurnValues) -> tuple[Turn, ...]:
    """Best play of both sides to the end of the game.

    Args:
        tables: those that ``values`` come from.
        position: where it begins.
        values: its turns.
    """
    line: list[Turn] = []
    after = position.copy()
    while values:
        line.append(values[0][0])
        after.play(line[-1])
        values = values_of(tables, after)
    return tuple(line)


def solve_by_tables(tables: Tables, position: PositionLike) -> Solution | None:
    """The colour that wins by best play, and the line; None without a sound table.

    As by the exact solver, the winner is that of best play by colours, and the line has a swap
    where a participant takes the winning colour over.
    """
    rules = position.rules
    if position.is_over or position.resigned is not None:
        return None
    if rules.pie:
        options = {**rules.options(), "pie": "off"}
        rules = make_rules(rules.game.name, rules.geometry.name, options)
    of_colours = best_position().set_up(
        rules, position.cells, position.player, position.passes, position.number
    )
    values = values_of(tables, of_colours)
    if not values:
        return None
    value = values[0][1]
    winner = position.player if value.won else position.player.opponent
    line = by_participants(position, winner, list(best_line(tables, of_colours, values)))
    return Solution(winner, line, 0, 0.0, value.turns)


@attrs.define
class Tabled:
    """A searcher that plays perfectly and at once wherever there is a table.

    The winner plays for a short game and the loser for a long one.

    Attributes:
        searcher: searches where there is none.
        tables: the tables.
        name: that of the searcher.
    """

    searcher: Searcher
    tables: Tables
    name: str = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.name = self.searcher.name

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Look the best turn up, or search for one; see `Searcher.search`."""
        if position.is_over:
            raise NoLegalTurn("the game is over")
        values = self._values(position, budget, stop)
        if not values:
            return self.searcher.search(position, budget, seed, stop)
        return _result(values)

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback,
    ) -> SearchResult:
        """Report the value of every turn, or what a search finds; see `Analyst.analyze`."""
        if position.is_over:
            raise NoLegalTurn("the game is over")
        values = self._values(position, budget, stop)
        if not values:
            return analyze(self.searcher, position, budget, seed, stop, report)
        prior = prior_of(self.searcher, position)
        candidates = [_candidate(turn, value, prior) for turn, value in values]
        candidates[0] = attrs.evolve(candidates[0], line=best_line(self.tables, position, values))
        winrate = candidates[0].winrate
        report(Insight(tuple(candidates), 0, winrate, policy=prior.policy()))
        return _result(values)

    def _values(self, position: PositionLike, budget: Budget, stop: StopFlag) -> TurnValues:
        restriction = budget.restriction
        if restriction is not None and not restriction.is_shallow:
            return ()  # the values are of games in which everything may be played
        waits = budget.seconds is None or budget.seconds >= PATIENT
        values = values_of(self.tables, position, stop if waits else None)
        if restriction is not None:
            mine = position.rules, position.player
            values = tuple(one for one in values if restriction.permits(*mine, one[0]))
        if wins_by_passing(position):  # the first of the wins without distances too
            values = tuple(sorted(values, key=lambda one: one[0] != PASS))
        # Which turn loses last is left to the search where no distances are known.
        is_lost = values and not values[0][1].won and values[0][1].turns is None
        return () if is_lost else values


def _result(values: TurnValues) -> SearchResult:
    turn, value = values[0]
    return SearchResult(turn, winrate=float(value.won))


def _candidate(turn: Turn, value: Value, prior: Prior) -> Candidate:
    return Candidate(turn, 0, float(value.won), prior.of(turn), (turn,), distance=value.turns)
