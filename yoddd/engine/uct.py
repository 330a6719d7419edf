"""The ``uct`` engine: plain UCT over half turns with uniform playouts.

Source: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006. Nothing is
added to it: later engines are measured against this one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Final

from yoddd.engine.analysis import Candidate, Insight, Report, whole_turns
from yoddd.engine.halfturns import HalfTurns
from yoddd.engine.prior import Prior
from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag
from yoddd.rules import Colour, PositionLike

EXPLORATION: Final = 0.7
"""The constant before UCB1's square root, for results in 0..1."""

PLAYOUTS: Final = 400
"""The playouts of a search whose budget names no number."""

REPORT_EVERY: Final = 50
"""Playouts from one report to the next."""


class Node:
    """A half turn in the tree; ``wins`` are those of the colour that chose ``move``."""

    __slots__ = ("children", "move", "mover", "untried", "visits", "wins")

    def __init__(self, move: int, mover: Colour) -> None:
        self.move = move
        self.mover = mover
        self.visits = 0
        self.wins = 0
        self.untried: list[int] | None = None
        self.children: list[Node] = []

    def select(self) -> Node:
        """The child with the highest upper confidence bound."""
        log_visits = math.log(self.visits)
        return max(
            self.children,
            key=lambda child: (
                child.wins / child.visits + EXPLORATION * math.sqrt(log_visits / child.visits)
            ),
        )

    def most_visited(self) -> Node:
        """The child to play."""
        return max(self.children, key=lambda child: (child.visits, child.wins))


class UctSearcher:
    """Plain UCT; the baseline that stronger engines are measured against."""

    name = "uct"

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Search without reports; see `Searcher.search`."""
        return _search(position, budget, seed, stop, None)

    def analyze(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag, report: Report
    ) -> SearchResult:
        """Search and report every `REPORT_EVERY` playouts; see `Analyst.analyze`."""
        return _search(position, budget, seed, stop, report)


def _search(
    position: PositionLike, budget: Budget, seed: int, stop: StopFlag, report: Report | None
) -> SearchResult:
    """Run the playouts that the budget allows, at least one; see `Searcher.search`."""
    if position.is_over:
        raise NoLegalTurn("the game is over")
    rng = random.Random(seed)  # noqa: S311 — play, not secrets
    root = Node(HalfTurns(position).end, position.player.opponent)
    wanted = budget.playouts_afresh(PLAYOUTS)
    return run_playouts(
        root, position, wanted, lambda state: _simulate(root, state, rng), stop, report
    )


def run_playouts(
    root: Node,
    position: PositionLike,
    wanted: int,
    simulate: Callable[[HalfTurns], None],
    stop: StopFlag,
    report: Report | None,
) -> SearchResult:
    """Run so many playouts or until ``stop``, at least one, and report every `REPORT_EVERY`.

    Args:
        root: of the tree that ``simulate`` grows.
        position: that of the root.
        wanted: the most playouts.
        simulate: runs one playout from a copy of the position, which it may change.
        stop: asked before each playout but the first.
        report: is told what the tree says; None where reports are not wanted.
    """
    start, prior = HalfTurns(position), Prior(position)
    playouts = 0
    while playouts == 0 or (playouts < wanted and not stop()):
        simulate(start.copy())
        playouts += 1
        if report is not None and playouts % REPORT_EVERY == 0:
            report(insight(root, start, prior))
    if report is not None:
        report(insight(root, start, prior))
    return result(root, start, playouts)


def _simulate(root: Node, state: HalfTurns, rng: random.Random) -> None:
    path = [root]
    node = root
    while not state.is_over:
        if node.untried is None:
            node.untried = state.moves()
            rng.shuffle(node.untried)
        if node.untried:
            child = Node(node.untried.pop(), state.player)
            node.children.append(child)
            state.apply(child.move)
            path.append(child)
            break
        node = node.select()
        state.apply(node.move)
        path.append(node)
    winner = state.playout(rng)
    for node in reversed(path):
        node.visits += 1
        if node.move == state.swap:
            winner = winner.opponent  # above a swap the players have the other colours
        node.wins += node.mover is winner


def insight(root: Node, start: HalfTurns, prior: Prior) -> Insight:
    """A candidate for each first half turn that was tried, completed by its best second one."""
    tried = sorted(root.children, key=lambda child: (-child.visits, -child.wins))
    candidates = tuple(_candidate(child, start, prior) for child in tried)
    return Insight(candidates, root.visits, _winrate(root), policy=prior.policy())


def _winrate(root: Node) -> float:
    """The winrate of all playouts: among thousands of turns even the best has a single one."""
    return sum(child.wins for child in root.children) / root.visits


def _candidate(child: Node, start: HalfTurns, prior: Prior) -> Candidate:
    moves, node = [child.move], child
    while node.children:
        node = node.most_visited()
        moves.append(node.move)
    line = whole_turns(start.rules, moves)
    if not line:
        state = start.copy()
        state.apply(child.move)
        line = (start.turn([child.move, state.moves()[0]]),)
    turn = line[0]
    return Candidate(turn, child.visits, child.wins / child.visits, prior.of(turn), line)


def result(root: Node, start: HalfTurns, playouts: int) -> SearchResult:
    """The result of a search: the turn of the most visits."""
    best = root.most_visited()
    moves = [best.move]
    state = start.copy()
    state.apply(best.move)
    if state.first is not None:
        moves.append(best.most_visited().move if best.children else state.moves()[0])
    return SearchResult(start.turn(moves), playouts, _winrate(root), root.visits)
