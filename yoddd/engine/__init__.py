"""Layer 3: the built-in engines and their time management."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn

from yoddd.engine.analysis import Analyst, Candidate, FirstStone, Insight, InsightCallback, analyze
from yoddd.engine.completion import Completion
from yoddd.engine.levels import HIGHEST, LEVELS, Level, Levelled
from yoddd.engine.mcts import MctsSearcher, UctSearcher
from yoddd.engine.prior import Prior, prior_of
from yoddd.engine.random_starts import MOST, balanced_start, draw_start
from yoddd.engine.searcher import (
    Bar,
    Budget,
    NoLegalTurn,
    Preemption,
    Restriction,
    Searcher,
    SearchResult,
    Shelf,
    StopFlag,
    for_good,
)
from yoddd.engine.tables import (
    NO_TABLES,
    SmallBoards,
    Tabled,
    Tables,
    best_line,
    solve_by_tables,
    values_of,
)
from yoddd.engine.timing import UNTIMED, Timekeeper, TimeLeft, Timer, TimeSettings, allot
from yoddd.engine.tree_memory import TreeMemory
from yoddd.engine.tuning import CONSTANTS, UNTUNED, Constant, Tunable, Tuning
from yoddd.engine.uniform import UniformSearcher
from yoddd.engine.weights import Weights, parse_weights
from yoddd.suggestions import missing

ENGINES: Final[Mapping[str, Callable[[], Searcher]]] = {
    UniformSearcher.name: UniformSearcher,
    UctSearcher.name: UctSearcher,
    MctsSearcher.name: MctsSearcher,
}
"""The builtin engines by name, the strongest last."""


def engines_within(memory: TreeMemory) -> Mapping[str, Callable[[], Searcher]]:
    """Return `ENGINES` with trees that share a budget of memory."""
    searchers = UctSearcher, MctsSearcher
    return {**ENGINES, **{one.name: partial(one, shared=memory) for one in searchers}}


STRONGEST: Final = list(ENGINES)[-1]
"""The engine that plays if none is chosen."""

__all__ = [
    "CONSTANTS",
    "ENGINES",
    "HIGHEST",
    "LEVELS",
    "MOST",
    "NO_TABLES",
    "STRONGEST",
    "UNTIMED",
    "UNTUNED",
    "Analyst",
    "Bar",
    "Budget",
    "Candidate",
    "Completion",
    "Constant",
    "FirstStone",
    "Insight",
    "InsightCallback",
    "Level",
    "Levelled",
    "MctsSearcher",
    "NoLegalTurn",
    "Preemption",
    "Prior",
    "Restriction",
    "SearchResult",
    "Searcher",
    "Shelf",
    "SmallBoards",
    "StopFlag",
    "Tabled",
    "Tables",
    "TimeLeft",
    "TimeSettings",
    "Timekeeper",
    "Timer",
    "TreeMemory",
    "Tunable",
    "Tuning",
    "Weights",
    "allot",
    "analyze",
    "balanced_start",
    "best_line",
    "draw_start",
    "engines_within",
    "for_good",
    "parse_weights",
    "prior_of",
    "solve_by_tables",
    "values_of",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise missing(f"module {__name__!r}", name)
