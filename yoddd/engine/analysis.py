"""Reports of a running search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import attrs

from yoddd.engine.prior import prior_of
from yoddd.engine.searcher import Budget, Searcher, SearchResult, StopFlag
from yoddd.rules import PositionLike, Turn


@attrs.frozen
class FirstStone:
    """The value of a first stone over all second stones that may follow it in the same turn.

    Attributes:
        visits: of all turns that begin with it.
        winrate: 0 to 1 for the side to move at the root.
        margin: the expected difference in groups for the same side.
    """

    visits: int
    winrate: float
    margin: float


@attrs.frozen
class Candidate:
    """One turn that a search considers.

    Attributes:
        turn: the turn.
        visits: the number of visits.
        winrate: 0 to 1 for the side to move at the root.
        prior: its probability by the policy, before any search; see `yoddd.engine.prior.Prior`.
        line: the turn and the expected turns after it.
        margin: the expected difference in groups for the side to move; None if unknown.
        first: its first stone alone, in the games whose turns have two.
        distance: if the result is proven, so that the winrate is 1 or 0: turns to the end of the
            game with best play of both sides, this one included; None if it is not.
        spread: the standard deviation of the difference in groups; None if unknown.
    """

    turn: Turn
    visits: int
    winrate: float
    prior: float
    line: tuple[Turn, ...]
    margin: float | None = None
    first: FirstStone | None = None
    distance: int | None = None
    spread: float | None = None


@attrs.frozen
class Insight:
    """The findings of a search.

    Attributes:
        candidates: the turns that it considers, best first.
        visits: of the position.
        winrate: 0 to 1 for the side to move.
        margin: the expected difference in groups for the side to move; None if unknown.
        ownership: for each cell, in canonical order, what is expected to lie there in the end: 1 a
            stone of the colour to move, -1 one of the other colour; empty if unknown.
        policy: for each half turn that may come next its probability by the policy, and -1 for one
            that may not: black stones by cell, in canonical order, white stones by cell, the pass
            and the swap; empty if unknown.
        half_turn_winrates: for half turns that may come next, as the kernel numbers them, the share
            of the playouts with them that the side to move won; empty if unknown.
        spread: the standard deviation of the difference in groups; None if unknown.
    """

    candidates: tuple[Candidate, ...] = ()
    visits: int = 0
    winrate: float = 0.5
    margin: float | None = None
    ownership: tuple[float, ...] = ()
    policy: tuple[float, ...] = ()
    half_turn_winrates: Mapping[int, float] = attrs.field(factory=dict)
    spread: float | None = None


InsightCallback = Callable[[Insight], None]
"""Receives the findings so far; called in the search's own thread."""


@runtime_checkable
class Analyst(Searcher, Protocol):
    """A searcher that reports while it searches."""

    def analyze(
        self,
        position: PositionLike,
        budget: Budget,
        seed: int,
        stop: StopFlag,
        report: InsightCallback,
    ) -> SearchResult:
        """Search as `Searcher.search` does, and report on the way and at the end."""
        ...


def analyze(
    searcher: Searcher,
    position: PositionLike,
    budget: Budget,
    seed: int,
    stop: StopFlag,
    report: InsightCallback,
) -> SearchResult:
    """Let any searcher search and report; one that is no `Analyst` reports once, at the end."""
    if isinstance(searcher, Analyst):
        return searcher.analyze(position, budget, seed, stop, report)
    prior = prior_of(searcher, position.copy())  # a searcher may play on its position
    found = searcher.search(position, budget, seed, stop)
    winrate = 0.5 if found.winrate is None else found.winrate
    only = Candidate(found.turn, found.playouts, winrate, prior.of(found.turn), (found.turn,))
    report(Insight((only,), found.playouts, winrate, policy=prior.policy()))
    return found
