"""The ``uct`` engine: plain UCT over half turns with uniform playouts.

Source: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006. Nothing is
added to it but that it ends a game that it has won: later engines are measured against this one.
"""

from __future__ import annotations

import math
import random
from typing import Final

from yoddd.engine.analysis import Candidate, Insight, InsightCallback, whole_turns
from yoddd.engine.halfturns import HalfTurns
from yoddd.engine.prior import Prior
from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag, wins_by_passing
from yoddd.rules import PASS, Colour, PositionLike

EXPLORATION: Final = 0.7
"""The constant before UCB1's square root, for results in 0..1."""

PLAYOUTS: Final = 400
"""The playouts of a search whose budget names no number."""

REPORT_EVERY: Final = 50
"""Playouts from one report to the next."""


class _Node:
    """A half turn in the tree; ``wins`` are those of the colour that chose ``move``."""

    __slots__ = ("children", "move", "mover", "untried", "visits", "wins")

    def __init__(self, move: int, mover: Colour) -> None:
        self.move = move
        self.mover = mover
        self.visits = 0
        self.wins = 0
        self.untried: list[int] | None = None
        self.children: list[_Node] = []

    def select(self) -> _Node:
        """The child with the highest upper confidence bound."""
        log_visits = math.log(self.visits)
        return max(
            self.children,
            key=lambda child: (
                child.wins / child.visits + EXPLORATION * math.sqrt(log_visits / child.visits)
            ),
        )

    def most_visited(self) -> _Node:
        """The child to play."""
        return max(self.children, key=lambda child: (child.visits, child.wins))


class UctSearcher:
    """Plain UCT; the baseline that stronger engines are measured against.

    Attributes:
        name: of the engine; ``mcts`` where it plays in place of that one.
    """

    def __init__(self, name: str = "uct") -> None:
        """Create one under a name."""
        self.name = name

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Search without reports; see `Searcher.search`."""
        return _search(position, budget, seed, stop, None)

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback,
    ) -> SearchResult:
        """Search and report every `REPORT_EVERY` playouts; see `Analyst.analyze`."""
        return _search(position, budget, seed, stop, report)


def _search(
    position: PositionLike,
    budget: Budget,
    seed: int,
    stop: StopFlag,
    report: InsightCallback | None,
) -> SearchResult:
    """Run the playouts that the budget allows, at least one; see `Searcher.search`."""
    if position.is_over:
        raise NoLegalTurn("the game is over")
    prior = Prior(position)
    if wins_by_passing(position):
        if report is not None:
            won = Candidate(PASS, 0, 1.0, prior.of(PASS), (PASS,), distance=1)
            report(Insight((won,), winrate=1.0, policy=prior.policy()))
        return SearchResult(PASS, winrate=1.0)
    rng = random.Random(seed)
    start = HalfTurns(position)
    root = _Node(start.end, position.player.opponent)
    wanted, playouts = budget.playouts_afresh(PLAYOUTS), 0
    while playouts == 0 or (playouts < wanted and not stop()):
        _simulate(root, start.copy(), rng)
        playouts += 1
        if report is not None and playouts % REPORT_EVERY == 0:
            report(_insight(root, start, prior))
    if report is not None:
        report(_insight(root, start, prior))
    return _result(root, start, playouts)


def _simulate(root: _Node, state: HalfTurns, rng: random.Random) -> None:
    path = [root]
    node = root
    while not state.is_over:
        if node.untried is None:
            node.untried = state.moves()
            rng.shuffle(node.untried)
        if node.untried:
            child = _Node(node.untried.pop(), state.player)
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


def _insight(root: _Node, start: HalfTurns, prior: Prior) -> Insight:
    """A candidate for each first half turn that was tried, completed by its best second one."""
    tried = sorted(root.children, key=lambda child: (-child.visits, -child.wins))
    candidates = tuple(_candidate(child, start, prior) for child in tried)
    return Insight(candidates, root.visits, _winrate(root), policy=prior.policy())


def _winrate(root: _Node) -> float:
    """The winrate of all playouts: among thousands of turns even the best has a single one."""
    return sum(child.wins for child in root.children) / root.visits


def _candidate(child: _Node, start: HalfTurns, prior: Prior) -> Candidate:
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


def _result(root: _Node, start: HalfTurns, playouts: int) -> SearchResult:
    """The result of a search: the turn of the most visits."""
    best = root.most_visited()
    moves = [best.move]
    state = start.copy()
    state.apply(best.move)
    if state.first is not None:
        moves.append(best.most_visited().move if best.children else state.moves()[0])
    return SearchResult(start.turn(moves), playouts, _winrate(root), root.visits)
