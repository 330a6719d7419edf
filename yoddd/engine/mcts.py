"""The ``mcts`` engine: the kernel's tree search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

import attrs

from yoddd.engine.analysis import Candidate, FirstStone, Insight, InsightCallback, whole_turns
from yoddd.engine.endgame import Endgame, Proven, Reach, reach
from yoddd.engine.forecast import Forecast
from yoddd.engine.prior import Prior, prior_of
from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag, wins_by_passing
from yoddd.engine.tree_memory import UNLIMITED, TreeMemory
from yoddd.engine.tuning import UNTUNED, Tuning
from yoddd.kernel import HalfTurn, TreeResult, TreeSearch, TreeSettings, solve
from yoddd.rules import PASS, Colour, IllegalTurn, PositionLike, Rules, Turn

SLICE: Final = 0.005
"""Seconds between two polls of the stop flag."""

REPORT_EVERY: Final = 40
"""Slices from one report to the next."""

FIRST_STONES: Final = 20
"""The most first half turns in a report."""

SECOND_STONES: Final = 5
"""The most second half turns for each of them."""

DEPTH: Final = 16
"""The most half turns in the line of a candidate."""

PLAYOUTS: Final = 50_000
"""The playouts of a search whose budget names no limit."""

FEWEST: Final = 32
"""The visits of a search even without time: with none, its turn would mostly be a pass."""

MEMORY: Final = 256 << 20
"""Bytes for the tree if the budget names none."""

PROVEN: Final = 100
"""The most turns in a report that a sweep has proven."""

TREE_SHARE: Final = 0.3
"""The part of the time for the tree if its best turns are then proven to win or to lose."""

SOLVER_CELLS: Final = (12, 10)
"""Empty cells up to which the proof search runs first, with one and with two stones a turn.

With so many it visits some 100,000 nodes, in a tenth of a second.
"""

SOLVER_SHARE: Final = 0.5
"""The part of the time for the solver."""

SOLVER_NODES: Final = 2_000_000
"""The most nodes that the solver may visit."""

NODES_PER_PLAYOUT: Final = 20
"""The same for each playout of the budget, so that a weak engine stays weak."""

SOLVER_MEMORY: Final = 16 << 20
"""Bytes for the solver's table."""


@attrs.frozen
class _Memory:
    """A tree and the position at its root."""

    tree: TreeSearch
    position: PositionLike
    settings: TreeSettings

    def follow(self, position: PositionLike, settings: TreeSettings, *, resume: bool) -> bool:
        """Move the tree along to ``position`` if it follows in the same game.

        If it is there already, ``resume`` decides whether the tree is used again.
        """
        before, now = self.position.history, position.history
        turns = now[len(before) :]
        if (
            not (turns or resume)
            or (turns and settings.barred)
            or before != now[: len(before)]
            or settings != self.settings
            or position.rules != self.position.rules
        ):
            return False
        try:
            for turn in turns:
                self.position.play(turn)
        except IllegalTurn:
            return False
        if not _alike(self.position, position):
            return False
        for turn in turns:
            self.tree.advance(turn)
        return True


def _alike(one: PositionLike, other: PositionLike) -> bool:
    """Whether two positions of one game are the same, by any order of turns."""
    return (one.cells, one.player, one.passes, one.number) == (
        other.cells,
        other.player,
        other.passes,
        other.number,
    )


@attrs.frozen
class _TimedBudget:
    """The limits of a search, with a clock."""

    budget: Budget
    clock: Callable[[], float]
    begun: float

    @property
    def playouts(self) -> int:
        """The most playouts."""
        return self.budget.playouts_or(PLAYOUTS)

    @property
    def fewest(self) -> int:
        """The fewest visits of the position in the end."""
        return min(FEWEST, self.budget.playouts_afresh(PLAYOUTS))

    @property
    def left(self) -> float:
        """Seconds that are left."""
        seconds = self.budget.seconds
        return math.inf if seconds is None else self.begun + seconds - self.clock()


class MctsSearcher:
    """Plays what the kernel's tree search finds; see `yoddd.kernel.TreeSearch`.

    If few cells are empty, it plays perfectly by a sweep (`yoddd.engine.endgame`), which it keeps
    for the rest of the game, or asks the exact solver first. The tree is kept, and used again if
    the next position follows from the last one by turns of the same game.

    Attributes:
        name: of the engine.
        proves: whether it looks for proofs.
    """

    name = "mcts"
    proves = True

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        shared: TreeMemory = UNLIMITED,
        tuning: Tuning = UNTUNED,
    ) -> None:
        """Start without a tree.

        Args:
            clock: returns seconds.
            shared: grants its memory.
            tuning: its constants, which may be changed between two searches.
        """
        self.tuning = tuning
        self._clock = clock
        self._shared = shared
        self._memory: _Memory | None = None
        self._endgame = Endgame(clock)
        self._forecast = Forecast()

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Search until the budget is spent or the result proven; see `Searcher.search`."""
        return self._search(position, budget, seed, stop, None)

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback,
    ) -> SearchResult:
        """Search and report every `REPORT_EVERY` slices; see `Analyst.analyze`."""
        return self._search(position, budget, seed, stop, report)

    def _search(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback | None,
    ) -> SearchResult:
        if position.is_over:
            raise NoLegalTurn("the game is over")
        wanted = budget.memory or MEMORY
        swept = self._endgame.bytes_for(position, 2 * wanted) if self.proves else 0
        granted = self._shared.begin(self, wanted + swept)
        if granted < wanted + swept:
            self._endgame.drop()
            swept = 0
        budget = attrs.evolve(budget, memory=min(wanted, granted - swept))
        try:
            return self._search_within(position, budget, swept, seed, stop, report)
        finally:
            kept = self._memory.settings.memory if self._memory is not None else 0
            self._shared.end(self, kept + self._endgame.bytes_kept)

    def release(self) -> None:
        """Drop the tree and the sweep."""
        self._memory = None
        self._endgame.drop()

    def _search_within(
        self,
        position: PositionLike,
        budget: Budget,
        swept: int,
        seed: int,
        stop: StopFlag,
        report: InsightCallback | None,
    ) -> SearchResult:
        """Search with the tree's memory of ``budget``, and ``swept`` bytes for a sweep."""
        limits = _TimedBudget(budget, self._clock, self._clock())
        tree = self._plant(position, budget, seed)
        prior = prior_of(self, position)
        solved = self._prove(position, limits, swept, stop)
        settles = (
            self.proves
            and not solved
            and (budget.restriction is None or budget.restriction.is_shallow)
            and self._endgame.settles(position, _reach(limits, swept))
        )
        begun = self._clock()
        tree.begin(
            playouts=1 if solved else limits.playouts,
            visits=budget.visits,
            seconds=TREE_SHARE * limits.left if settles else limits.left,
        )
        slices = nodes = 0
        try:
            while not _wait(tree, limits, stop):
                slices += 1
                if report is None or slices % REPORT_EVERY:
                    continue
                report(_insight(tree, position, prior, solved))
                if budget.resume and budget.visits is None and not solved:
                    nodes = _grow_on(tree, nodes, limits)
        finally:
            tree.stop()
        found = _enough(tree, 0 if solved else limits.fewest)
        self._forecast.learn(position.rules, budget, found.playouts, self._clock() - begun)
        turn = solved[0].turn if solved else tree.best_turn()
        if settles:
            turn, solved = self._settle(position, tree, prior, limits, swept, stop)
        if report is not None:
            report(_insight(tree, position, prior, solved))
        winrate = solved[0].winrate if solved else found.winrate
        return SearchResult(turn, found.playouts, winrate, found.visits, found.margin)

    def _prove(
        self, position: PositionLike, limits: _TimedBudget, swept: int, stop: StopFlag
    ) -> tuple[Candidate, ...]:
        """The proven turns, best first; empty if none are within the limits."""
        restriction = limits.budget.restriction
        if restriction is not None and not restriction.is_shallow:
            return ()  # proofs are of games in which everything may be played
        reached = _reach(limits, swept)
        values = self._endgame.look(position, reached, stop) if self.proves else ()
        if wins_by_passing(position):
            rest = (value for value in values if value.turn != PASS)
            values = (Proven(PASS, wins=True, distance=1), *rest)
        if restriction is not None:
            mine = position.rules, position.player
            values = tuple(value for value in values if restriction.permits(*mine, value.turn))
        values = values[:PROVEN]
        if not values:
            return _solve(position, limits, stop) if self.proves and restriction is None else ()
        best, *others = values
        line = self._endgame.line(position, best)
        return (_proven(best, line), *(_proven(value, (value.turn,)) for value in others))

    def _settle(
        self,
        position: PositionLike,
        tree: TreeSearch,
        prior: Prior,
        limits: _TimedBudget,
        swept: int,
        stop: StopFlag,
    ) -> tuple[Turn, tuple[Candidate, ...]]:
        """The best turn once those that the tree prefers have been proven to win or to lose."""
        best = tree.best_turn()
        ranked = dict.fromkeys([best, *(one.turn for one in _ranked(tree, position.rules, prior))])
        found, lost = self._endgame.settle(position, ranked, lambda: _reach(limits, swept), stop)
        if found is not None:
            return found, (Candidate(found, 0, 1.0, 0.0, (found,)),)
        return next((turn for turn in ranked if turn not in lost), best), ()

    def _plant(self, position: PositionLike, budget: Budget, seed: int) -> TreeSearch:
        """The tree kept from before, if it leads to ``position``, else a new one."""
        settings = self.tuning.settings(
            position.rules, threads=budget.threads, memory=budget.memory or MEMORY
        )
        if budget.restriction is not None:
            settings = attrs.evolve(settings, barred=budget.restriction.depths)
        memory, self._memory = self._memory, None
        kept = memory is not None and memory.follow(position, settings, resume=budget.resume)
        if memory is None or not kept:
            tree = TreeSearch(position, seed=seed, settings=settings)
            memory = _Memory(tree, position.copy(), settings)
        if not (kept and budget.resume):  # a search that goes on values what it sees as before
            most = budget.playouts_or(PLAYOUTS)
            memory.tree.expect(self._forecast.visits(position.rules, budget, most))
        self._memory = memory
        return memory.tree


def _reach(limits: _TimedBudget, swept: int) -> Reach:
    """The limits of a sweep of ``swept`` bytes."""
    budget = attrs.evolve(limits.budget, memory=swept or 1)
    return reach(budget, budget.playouts_afresh(PLAYOUTS), limits.left)


def _wait(tree: TreeSearch, limits: _TimedBudget, stop: StopFlag) -> bool:
    """Sleep for a slice; whether the search has ended or has to.

    The searching threads check the time, too, and free their processors as soon as it is up, so
    that the thread sleeping here gets one at once.
    """
    left = limits.left
    return tree.wait(min(SLICE, left)) or left <= SLICE or stop()


def _grow_on(tree: TreeSearch, before: int, limits: _TimedBudget) -> int:
    """Let a tree of ``before`` nodes grow for a while, and return its number of nodes.

    A full tree does not grow below a turn that seemed poor before, however good it seems now. An
    analysis that goes on for as long as it is looked at drops the positions visited least instead;
    what it finds depends on when that is, but it also depends on what was searched before.
    """
    nodes = tree.result().nodes
    if nodes != before:
        return nodes
    tree.stop()
    tree.make_room()
    tree.begin(playouts=limits.playouts, seconds=limits.left)
    return 0


def _enough(tree: TreeSearch, fewest: int) -> TreeResult:
    """The result with at least ``fewest`` visits, even without time."""
    found = tree.result()
    if found.visits < fewest:
        tree.wait(math.inf)  # each thread may be about to add one
        found = tree.result()
    if found.visits >= fewest:
        return found
    more = tree.run(playouts=fewest - found.visits)
    return attrs.evolve(more, playouts=found.playouts + more.playouts)


def _proven(value: Proven, line: tuple[Turn, ...]) -> Candidate:
    winrate = float(value.wins)
    return Candidate(value.turn, 0, winrate, 0.0, line, distance=value.distance)


def _solve(position: PositionLike, limits: _TimedBudget, stop: StopFlag) -> tuple[Candidate, ...]:
    """A turn that the proof search finds to win; empty if it finds none within its limits."""
    if position.cells.count(None) > SOLVER_CELLS[position.rules.two_stones]:
        return ()
    if position.rules.pie and position.number == 1:
        return ()  # White may take over the colour that wins
    budget = limits.budget
    seconds = 0 if budget.seconds is None else max(1e-3, SOLVER_SHARE * limits.left)
    nodes = min(SOLVER_NODES, NODES_PER_PLAYOUT * budget.playouts_or(PLAYOUTS))
    found = solve(
        position, nodes=nodes, seconds=seconds, memory=SOLVER_MEMORY, stop=stop, method="search"
    )
    if found.winner is not position.player:
        return ()
    return (Candidate(found.line[0], 0, 1.0, 0.0, found.line),)


def _insight(
    tree: TreeSearch, position: PositionLike, prior: Prior, solved: tuple[Candidate, ...]
) -> Insight:
    result = tree.result()
    candidates = _ranked(tree, position.rules, prior)
    if not candidates:  # the few visits of a search that was stopped at once ended within a turn
        turn = tree.best_turn()
        chance, likely = result.winrate, prior.of(turn)
        only = Candidate(turn, 0, chance, likely, (turn,), result.margin, spread=result.spread)
        candidates = [only]
    if solved:
        known = {one.turn for one in solved}
        proven = [attrs.evolve(one, prior=prior.of(one.turn)) for one in solved]
        best = attrs.evolve(proven[0], visits=result.visits)
        candidates = [best, *proven[1:], *(one for one in candidates if one.turn not in known)]
    sign = 1 if position.player is Colour.BLACK else -1
    return Insight(
        tuple(candidates),
        result.visits,
        solved[0].winrate if solved else result.winrate,
        result.margin,
        tuple(sign * owned for owned in tree.ownership()),
        prior.policy(),
        tree.lent(),
        result.spread,
    )


def _ranked(tree: TreeSearch, rules: Rules, prior: Prior) -> list[Candidate]:
    """The turns that were visited, the most visited first."""
    firsts = [half for half in tree.half_turns(limit=FIRST_STONES) if half.visits]
    candidates = [one for half in firsts for one in _candidates(tree, rules, prior, half)]
    return sorted(candidates, key=lambda one: -one.visits)


def _candidates(tree: TreeSearch, rules: Rules, prior: Prior, first: HalfTurn) -> list[Candidate]:
    """The best turns that begin with a half turn; a turn of one half is one candidate."""
    if whole_turns(rules, first.moves):
        return [_candidate(tree, rules, prior, first, None)]
    seconds = [half for half in tree.half_turns(first.moves, SECOND_STONES) if half.visits]
    marginal = FirstStone(first.visits, first.value, first.margin)
    return [_candidate(tree, rules, prior, half, marginal) for half in seconds]


def _candidate(
    tree: TreeSearch, rules: Rules, prior: Prior, half: HalfTurn, first: FirstStone | None
) -> Candidate:
    line = whole_turns(rules, tree.line(half.moves, DEPTH))
    turn = line[0]
    return Candidate(
        turn,
        half.visits,
        half.value,
        prior.of(turn),
        line,
        half.margin,
        first,
        spread=half.spread,
    )
