"""The ``uct`` engine: plain UCT over half turns with random playouts, by the kernel.

Source: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006. Nothing is
added to it but that it ends a game that it has won: later engines are measured against this one.
"""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.engine.analysis import InsightCallback
from yoddd.engine.mcts import MctsSearcher
from yoddd.engine.searcher import Budget, SearchResult, StopFlag
from yoddd.engine.tuning import Tuning
from yoddd.kernel import PLAIN_UCT
from yoddd.rules import PositionLike

PLAYOUTS: Final = 400
"""The playouts of a search whose budget names no number."""

_PLAIN: Final = Tuning(tree=PLAIN_UCT, learned=False)


class UctSearcher(MctsSearcher):
    """The tree search with the settings of plain UCT, without proofs and with no tree kept."""

    name = "uct"
    proves = False

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback | None = None,
    ) -> SearchResult:
        """Search afresh; see `Analyst.analyze`."""
        self.release()
        self.tuning = _PLAIN
        budget = attrs.evolve(budget, playouts=budget.playouts_afresh(PLAYOUTS), visits=None)
        return super().analyze(position, budget, seed, stop, report)

    search = analyze
