"""What a search says while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import attrs

from yoddd.engine.searcher import Budget, Searcher, SearchResult, StopFlag
from yoddd.kernel.position import turn_of
from yoddd.rules import PositionLike, Rules, Turn


@attrs.frozen
class FirstStone:
    """What a first stone is worth with whatever may follow it in the same turn.

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
    """One turn that a search looks at.

    Attributes:
        turn: the turn.
        visits: how often it was tried.
        winrate: 0 to 1 for the side to move at the root.
        prior: what it seemed worth before it was searched, 0 to 1.
        line: the turn and what is expected to follow it.
        margin: the expected difference in groups for the side to move; None where it is unknown.
        first: its first stone alone, in the games whose turns have two.
    """

    turn: Turn
    visits: int
    winrate: float
    prior: float
    line: tuple[Turn, ...]
    margin: float | None = None
    first: FirstStone | None = None


@attrs.frozen
class Insight:
    """What a search has to say.

    Attributes:
        candidates: the turns that it looks at, best first.
        visits: of the position.
        winrate: 0 to 1 for the side to move.
        margin: the expected difference in groups for the side to move; None where it is unknown.
        ownership: for each cell, in canonical order, what is expected to lie there in the end: 1 a
            stone of the colour on turn, -1 one of the other colour; empty where it is unknown.
    """

    candidates: tuple[Candidate, ...] = ()
    visits: int = 0
    winrate: float = 0.5
    margin: float | None = None
    ownership: tuple[float, ...] = ()


Report = Callable[[Insight], None]
"""Is called now and then, in the search's own thread."""


@runtime_checkable
class Analyst(Searcher, Protocol):
    """A searcher that reports while it searches."""

    def analyze(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag, report: Report
    ) -> SearchResult:
        """Search as `Searcher.search` does, and report on the way and at the end."""
        ...


def analyze(
    searcher: Searcher,
    position: PositionLike,
    budget: Budget,
    seed: int,
    stop: StopFlag,
    report: Report,
) -> SearchResult:
    """Let any searcher search and report; one that cannot report says its result at the end."""
    if isinstance(searcher, Analyst):
        return searcher.analyze(position, budget, seed, stop, report)
    found = searcher.search(position, budget, seed, stop)
    winrate = 0.5 if found.winrate is None else found.winrate
    only = Candidate(found.turn, found.playouts, winrate, 1.0, (found.turn,))
    report(Insight((only,), found.playouts, winrate))
    return found


def whole_turns(rules: Rules, moves: Sequence[int]) -> tuple[Turn, ...]:
    """The turns that a row of half turns makes, from between two turns on.

    Half turns are numbered as `HalfTurns` does. A half one at the end is left out.
    """
    last_stone = 2 * rules.geometry.cells
    stones = 2 if rules.two_stones else 1
    turns, pending = list[Turn](), list[int]()
    for move in moves:
        pending.append(move)
        if move >= last_stone or len(pending) == stones:
            turns.append(turn_of(rules, pending))
            pending = []
    return tuple(turns)
