"""The ``mcts`` and ``uct`` engines: tree searches by the kernel.

``mcts`` is the kernel's player. ``uct`` is plain UCT over half turns with random playouts, as in
L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006. Nothing is added to it
but that it ends a game that it has won: later engines are measured against it.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.engine.analysis import Candidate, FirstStone, Insight, InsightCallback
from yoddd.engine.prior import Prior, prior_of
from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag
from yoddd.engine.tree_memory import UNLIMITED, TreeMemory
from yoddd.engine.tuning import UNTUNED, Tuning
from yoddd.kernel import PLAIN_UCT
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, moves_of, turn_of
from yoddd.rules import PositionLike

if TYPE_CHECKING:
    from yoddd.kernel import _native


REPORT_EVERY: Final = 40
"""Steps of the player, of 5 ms each, from one report to the next."""

PLAYOUTS: Final = 50_000
"""The playouts of a search by ``mcts`` whose budget names no limit."""

MEMORY: Final = 256 << 20
"""Bytes for the tree if the budget names none."""


class MctsSearcher:
    """Plays what the kernel's player finds, by search and at the end of the game by proof.

    It keeps its tree and the values of the endgame, and uses them again if the next position
    follows from the last one by turns of the same game.

    Attributes:
        name: of the engine.
        proves: whether it looks for proofs.
    """

    name = "mcts"
    proves = True

    def __init__(self, shared: TreeMemory = UNLIMITED, tuning: Tuning = UNTUNED) -> None:
        """Start without a tree.

        Args:
            shared: grants its memory.
            tuning: its constants, which may be changed between two searches.
        """
        self.tuning = tuning
        self._shared = shared

    @cached_property
    def _player(self) -> _native.Player:
        player: _native.Player = native().Player()
        return player

    def release(self) -> None:
        """Drop the tree and the values of the endgame."""
        self._player.drop()

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback | None = None,
    ) -> SearchResult:
        """Search until the budget is spent or the result proven; see `Analyst.analyze`.

        It reports every `REPORT_EVERY` steps.
        """
        if position.is_over:
            raise NoLegalTurn("the game is over")
        player, board = self._player, board_of(position)
        wanted = budget.memory or MEMORY
        swept = player.bytes_for(board, 2 * wanted) if self.proves else 0
        granted = self._shared.begin(self, wanted + swept)
        if granted < wanted + swept:
            player.drop_sweeps()
            swept = 0
        settings = self.tuning.settings(
            position.rules, threads=budget.threads, memory=min(wanted, granted - swept)
        )
        if budget.restriction is not None:
            settings = attrs.evolve(settings, barred=budget.restriction.depths)
        turns = [moves_of(position.rules, turn) for turn in position.history]
        try:
            limits = self._limits(budget, swept)
            player.begin(board, turns, settings.to_native(), seed, limits, stop)
            prior = prior_of(self, position)
            try:
                for step in itertools.count(1):
                    if not player.step(stop) or stop():
                        break
                    if report is not None and step % REPORT_EVERY == 0:
                        report(_insight(player.report(), position, prior))
            finally:
                player.finish()
            if report is not None:
                report(_insight(player.report(), position, prior))
        finally:
            self._shared.end(self, player.bytes_kept)
        moves, visits, winrate, margin, playouts = player.result()
        return SearchResult(turn_of(position.rules, moves), playouts, winrate, visits, margin)

    search = analyze

    def _limits(self, budget: Budget, swept: int) -> _native.PlayLimits:
        limits: _native.PlayLimits = native().PlayLimits()
        limits.playouts = budget.playouts_or(PLAYOUTS)
        if budget.visits is not None:
            limits.visits = budget.visits
        limits.seconds = math.inf if budget.seconds is None else budget.seconds
        limits.counts = budget.playouts is not None or budget.visits is not None
        limits.swept = swept or 1
        limits.resume = budget.resume
        limits.proves = self.proves
        return limits


def _insight(report: _native.Report, position: PositionLike, prior: Prior) -> Insight:
    considered, visits, winrate, margin, spread, owned, half_turn_winrates, _ = report
    return Insight(
        tuple(_candidate(one, position, prior) for one in considered),
        visits,
        winrate,
        margin,
        tuple(owned),
        prior.policy(),
        dict(half_turn_winrates),
        spread,
    )


def _candidate(considered: _native.Considered, position: PositionLike, prior: Prior) -> Candidate:
    moves, visits, winrate, margin, spread, is_proven, distance, seen, value, lead = considered
    line = tuple(turn_of(position.rules, turn) for turn in moves)
    return Candidate(
        line[0],
        visits,
        winrate,
        prior.of(line[0]),
        line,
        None if is_proven else margin,
        FirstStone(seen, value, lead) if seen else None,
        distance or None,
        None if is_proven else spread,
    )


_UCT_PLAYOUTS: Final = 400
"""The playouts of a search by ``uct`` whose budget names no number."""

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
        budget = attrs.evolve(budget, playouts=budget.playouts_afresh(_UCT_PLAYOUTS), visits=None)
        return super().analyze(position, budget, seed, stop, report)

    search = analyze
