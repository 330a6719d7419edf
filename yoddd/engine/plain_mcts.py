"""The ``mcts`` engine where there is no native kernel: the kernel's selection in plain Python.

Nodes lend the results of stones to what lies below them, as in T. Cazenave, "Generalized Rapid
Action Value Estimation", IJCAI 2015. A stone counts for both players, since both may drop it. The
kernel runs some thousand times as many playouts in the same time.
"""

from __future__ import annotations

import random
from typing import Final

from yoddd.engine.analysis import Report
from yoddd.engine.halfturns import HalfTurns
from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag
from yoddd.engine.uct import Node, run_playouts
from yoddd.rules import Colour, PositionLike

PLAYOUTS: Final = 1000
"""The playouts of a search whose budget names no limit."""

LENDS: Final = 20
"""Visits from which on a node lends its own results of stones, instead of a node above it."""

BIAS: Final = 1e-4
"""How soon a move's own visits outweigh what is lent to it; as in the kernel."""

_LITTLE: Final = 1e-6


class _Node(Node):
    """A node with what it lends: for each stone playouts that it was in, and Black's wins."""

    __slots__ = ("black_wins", "by_move", "moves", "seen")

    def __init__(self, move: int, mover: Colour) -> None:
        super().__init__(move, mover)
        self.moves: list[int] | None = None  # set when it is first left
        self.by_move: dict[int, _Node] = {}
        self.seen: list[int] = []  # empty until it lends
        self.black_wins: list[int] = []

    def choose(self, lender: _Node, player: Colour) -> int:
        """The move that promises most; of equals the first of those with the fewest visits."""
        mean = _LITTLE * (1 - self.wins / self.visits if self.visits else 0.5)
        best, most = -1, (-1.0, 0)
        for move in self.moves or ():
            child = self.by_move.get(move)
            visits, wins = (child.visits, child.wins) if child else (0, 0)
            lent, won = 0, 0
            if move < len(lender.seen):
                lent, won = lender.seen[move], lender.black_wins[move]
                won = won if player is Colour.BLACK else lent - won
            weight = BIAS * lent
            promise = (wins * (1 + weight) + won + mean) / (lent + visits * (1 + weight) + _LITTLE)
            if (promise, -visits) > most:
                best, most = move, (promise, -visits)
        return best

    def lend(self, stones: int) -> None:
        """Begin to count."""
        self.seen, self.black_wins = [0] * stones, [0] * stones

    def learn(self, stones: list[int], *, black_won: bool) -> None:
        """Count the stones of a playout that went through this node."""
        for stone in stones:
            self.seen[stone] += 1
            self.black_wins[stone] += black_won


class PlainMctsSearcher:
    """The tree search of an installation without the native kernel."""

    name = "mcts"

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
    if position.is_over:
        raise NoLegalTurn("the game is over")
    rng = random.Random(seed)  # noqa: S311 — play, not secrets
    end = HalfTurns(position).end
    root = _Node(end, position.player.opponent)
    root.lend(end)
    wanted = budget.playouts_afresh(PLAYOUTS)
    return run_playouts(
        root, position, wanted, lambda state: _simulate(root, state, rng), stop, report
    )


def _simulate(root: _Node, state: HalfTurns, rng: random.Random) -> None:
    path = _descend(root, state, rng)
    winner = state.playout(rng)
    stones, black_won = list(state.stones()), winner is Colour.BLACK
    for node in reversed(path):
        node.visits += 1
        if node.move == state.swap:
            winner = winner.opponent  # above a swap the players have the other colours
        node.wins += node.mover is winner
        if node.visits == LENDS and node is not root:
            node.lend(state.end)
        if node.seen:
            node.learn(stones, black_won=black_won)


def _descend(root: _Node, state: HalfTurns, rng: random.Random) -> list[_Node]:
    """The nodes down to a new one; ``state`` moves along."""
    path, node, lender = [root], root, root
    while not state.is_over:
        if node.moves is None:
            node.moves = state.moves()
            rng.shuffle(node.moves)
        move = node.choose(lender, state.player)
        child = node.by_move.get(move)
        is_new = child is None
        if child is None:
            child = node.by_move[move] = _Node(move, state.player)
            node.children.append(child)
        state.apply(move)
        path.append(child)
        if is_new:
            break
        node = child
        lender = node if node.seen else lender
    return path
