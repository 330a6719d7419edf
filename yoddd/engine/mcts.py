"""The ``mcts`` engine: the kernel's tree search."""

from __future__ import annotations

from typing import Final

from yoddd.engine.analysis import Candidate, Report, whole_turns
from yoddd.engine.halfturns import HalfTurns
from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag
from yoddd.kernel import HalfTurn, TreeSearch
from yoddd.rules import Position

SLICE: Final = 0.01
"""Seconds between two looks at the stop flag."""

REPORT_EVERY: Final = 20
"""Slices from one report to the next."""

CANDIDATES: Final = 50
"""How many candidates a report has at most."""

DEPTH: Final = 16
"""How many half turns the line of a candidate has at most."""

PLAYOUTS: Final = 50_000
"""How many playouts it runs where the budget names no number."""


class MctsSearcher:
    """Plays what the kernel's tree search finds; see `yoddd.kernel.TreeSearch`."""

    name = "mcts"

    def search(self, position: Position, budget: Budget, seed: int, stop: StopFlag) -> SearchResult:
        """Search until the budget is spent or the result proven; see `Searcher.search`."""
        return _search(position, budget, seed, stop, None)

    def analyze(
        self, position: Position, budget: Budget, seed: int, stop: StopFlag, report: Report
    ) -> SearchResult:
        """Search and report every `REPORT_EVERY` slices; see `Analyst.analyze`."""
        return _search(position, budget, seed, stop, report)


def _search(
    position: Position, budget: Budget, seed: int, stop: StopFlag, report: Report | None
) -> SearchResult:
    if position.is_over:
        raise NoLegalTurn("the game is over")
    tree = TreeSearch(position, seed=seed)
    left = PLAYOUTS if budget.playouts is None else budget.playouts
    played = slices = 0
    while True:
        found = tree.run(playouts=left - played, seconds=SLICE)
        played, slices = played + found.playouts, slices + 1
        ended = played >= left or found.winner is not None or stop()
        if report is not None and (ended or slices % REPORT_EVERY == 0):
            report(_candidates(tree, position))
        if ended:
            return SearchResult(tree.best_turn(), played, found.winrate)


def _candidates(tree: TreeSearch, position: Position) -> list[Candidate]:
    """A candidate for each first half turn that was followed, completed by its best second."""
    start = HalfTurns(position)
    followed = [half for half in tree.half_turns() if half.visits]
    found = (_candidate(tree, start, half) for half in followed[:CANDIDATES])
    return [candidate for candidate in found if candidate is not None]


def _candidate(tree: TreeSearch, start: HalfTurns, half: HalfTurn) -> Candidate | None:
    moves = half.moves
    while len(moves) < DEPTH:
        after = tree.half_turns(moves)
        if not after or not after[0].visits:
            break
        moves = after[0].moves
    line = whole_turns(start, moves)
    return Candidate(line[0], half.visits, half.value, half.prior, line) if line else None
