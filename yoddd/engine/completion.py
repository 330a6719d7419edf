"""The rest of a turn whose first stone has been placed."""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.engine.searcher import Budget, Searcher, SearchResult, StopFlag
from yoddd.rules import PositionLike, Stone, Turn

_PLAYOUTS: Final = 1500
"""The playouts for all completions together, where the budget allows more."""

_UNKNOWN: Final = 0.5
"""The value of a turn to which the searcher gives none."""


@attrs.define
class Completion:
    """A searcher for turns with a given stone; of turns of equal value it takes the first.

    It plays each of them and searches for the opponent's reply with an equal part of the budget.
    So it looks less far than the same searcher does for a whole turn.

    Attributes:
        searcher: finds the replies.
        first: the stone that every turn has.
        name: that of the searcher.
    """

    searcher: Searcher
    first: Stone
    name: str = attrs.field(init=False)

    @name.default
    def _name_of_searcher(self) -> str:
        return self.searcher.name

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Choose a turn that begins with the stone; see `Searcher.search`."""
        alone = [Turn.drop(self.first)] if position.is_legal(Turn.drop(self.first)) else []
        turns = [
            *alone,
            *(Turn.drop(self.first, two) for two in position.legal_seconds(self.first)),
        ]
        share = _share(budget, len(turns))
        best, playouts = SearchResult(turns[0], winrate=-1.0), 0
        for turn in turns:
            found = self._try(position, turn, share, seed, stop)
            playouts += found.playouts
            best = max(best, found, key=_value)
            if stop():
                break
        return attrs.evolve(best, playouts=playouts)

    def _try(
        self, position: PositionLike, turn: Turn, share: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Return the value of a turn for its player."""
        child = position.copy()
        child.play(turn)
        outcome = child.outcome()
        if outcome is not None:
            return SearchResult(turn, winrate=float(outcome.winner is position.player))
        reply = self.searcher.search(child, share, seed, stop)
        worth = None if reply.winrate is None else 1 - reply.winrate
        return SearchResult(turn, reply.playouts, worth)


def _share(budget: Budget, parts: int) -> Budget:
    playouts = min(_PLAYOUTS, budget.playouts_afresh(_PLAYOUTS))
    seconds = None if budget.seconds is None else budget.seconds / parts
    return attrs.evolve(
        budget, playouts=max(1, playouts // parts), visits=None, seconds=seconds, resume=False
    )


def _value(result: SearchResult) -> float:
    return _UNKNOWN if result.winrate is None else result.winrate
