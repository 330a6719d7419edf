"""Perfect play by the values of all positions of small boards, for any searcher."""

from __future__ import annotations

from typing import Final, Protocol

import attrs

from yoddd.board import Geometry
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
from yoddd.kernel import NativePosition, TurnValue
from yoddd.kernel.solver import Solution, by_participants
from yoddd.kernel.square5 import square5
from yoddd.kernel.sweep import SweptBoard, base_facts, sweep_board, swept_seconds
from yoddd.rules import PASS, Facts, PositionLike, Rules, Turn

PATIENT: Final = 1.0
"""The least time of a search that solves a board by itself, which takes some tenths of a second."""

AT_ONCE: Final = 0.1
"""The most expected seconds of solving a board for a request that does not wait."""

MOST_SOLVED: Final = 8
"""The solved boards that are kept, of up to 7 MB each: clients choose the options."""

TurnValues = tuple[TurnValue, ...]
"""Legal turns with their values for the player to move, the best first."""


class Table(Protocol):
    """The values of the positions of one game on one board."""

    def reaches(self, position: PositionLike) -> bool:
        """Whether a position and all that its turns lead to are held."""

    def turns(self, position: PositionLike) -> list[TurnValue]:
        """Every legal turn with its value, the best first, of a position that it reaches."""


class Tables(Protocol):
    """Tables, by the game, the board and the options."""

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        """The table of ``rules``; None if there is none. Safe to call from any thread.

        Args:
            rules: the game, the board and the options.
            stop: if given, a small board is solved until this says true; else only if that takes
                no time that matters.
        """


class NoTables:
    """A set of tables that is empty."""

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        """None; see `Tables.find`."""


NO_TABLES: Final[Tables] = NoTables()


class SmallBoards:
    """Square5 by the file that comes with yoddd, and boards of at most 19 cells by sweeps.

    A board is solved when it is first needed.
    """

    def __init__(self) -> None:
        """Solve none yet."""
        # The boards that have been solved, the one used last at the end. Several threads may use
        # it: each step is a single operation.
        self._solved: dict[tuple[Geometry, Facts], SweptBoard] = {}

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        """The table of ``rules``; solved in this thread, which waits for no other one."""
        held = square5(rules)
        if held is not None:
            return held
        name = rules.geometry, base_facts(rules)
        solved = self._solved.pop(name, None)
        if solved is None:
            if swept_seconds(rules) > (AT_ONCE if stop is None else PATIENT):
                return None
            try:
                solved = sweep_board(rules, stop)
            except MemoryError:
                return None
        if solved is not None:
            self._solved[name] = solved
            for oldest in list(self._solved)[:-MOST_SOLVED]:
                self._solved.pop(oldest, None)
        return solved


def values_of(tables: Tables, position: PositionLike, stop: StopFlag | None = None) -> TurnValues:
    """Every legal turn with its value; none without a table, or if the game is over.

    Args:
        tables: the tables.
        position: any position.
        stop: see `Tables.find`.
    """
    table = None if position.is_over else tables.find(position.rules, stop)
    if table is None or not table.reaches(position):
        return ()
    return tuple(table.turns(position))


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
        line.append(values[0].turn)
        after.play(line[-1])
        values = values_of(tables, after)
    return tuple(line)


def solve_by_tables(tables: Tables, position: PositionLike) -> Solution | None:
    """The colour that wins by best play, and the line; None without a table.

    As by the exact solver, the winner is that of best play by colours, and the line has a swap
    where a participant takes the winning colour over.
    """
    rules = position.rules
    if position.is_over or position.resigned is not None:
        return None
    if rules.pie:
        rules = attrs.evolve(rules, facts=attrs.evolve(rules.facts, pie=False))
    of_colours = NativePosition.set_up(
        rules, position.cells, position.player, position.passes, position.number
    )
    values = values_of(tables, of_colours)
    if not values:
        return None
    winner = position.player if values[0].wins else position.player.opponent
    line = by_participants(position, winner, list(best_line(tables, of_colours, values)))
    return Solution(winner, line, 0, 0.0, values[0].distance)


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
    name: str = attrs.field(init=False, default=attrs.Factory(lambda it: it.searcher.name, True))

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback | None = None,
    ) -> SearchResult:
        """Look the values of all turns up, or search; see `Analyst.analyze`."""
        if position.is_over:
            raise NoLegalTurn("the game is over")
        values = self._values(position, budget, stop)
        if not values:
            if report is None:
                return self.searcher.search(position, budget, seed, stop)
            return analyze(self.searcher, position, budget, seed, stop, report)
        if report is not None:
            prior = prior_of(self.searcher, position)
            candidates = [_candidate(value, prior) for value in values]
            line = best_line(self.tables, position, values)
            candidates[0] = attrs.evolve(candidates[0], line=line)
            winrate = candidates[0].winrate
            report(Insight(tuple(candidates), 0, winrate, policy=prior.policy()))
        return SearchResult(values[0].turn, winrate=float(values[0].wins))

    search = analyze

    def _values(self, position: PositionLike, budget: Budget, stop: StopFlag) -> TurnValues:
        restriction = budget.restriction
        if restriction is not None and not restriction.is_shallow:
            return ()  # the values are of games in which everything may be played
        waits = budget.seconds is None or budget.seconds >= PATIENT
        values = values_of(self.tables, position, stop if waits else None)
        if restriction is not None:
            mine = position.rules, position.player
            values = tuple(one for one in values if restriction.permits(*mine, one.turn))
        if wins_by_passing(position):  # the first of the wins without distances too
            values = tuple(sorted(values, key=lambda one: one.turn != PASS))
        # Which turn loses last is left to the search where no distances are known.
        is_lost = values and not values[0].wins and values[0].distance is None
        return () if is_lost else values


def _candidate(value: TurnValue, prior: Prior) -> Candidate:
    turn = value.turn
    return Candidate(turn, 0, float(value.wins), prior.of(turn), (turn,), distance=value.distance)
