"""The ``random`` engine: every legal turn is equally likely."""

from __future__ import annotations

import random

from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag
from yoddd.rules import PositionLike, Turn


def random_turn(position: PositionLike, rng: random.Random) -> Turn:
    """A legal turn, all of them equally likely.

    Raises:
        NoLegalTurn: there is none, as after the end of the game.
    """
    count = position.count_turns()
    if count == 0:
        raise NoLegalTurn("the game is over")
    # Two lazy passes: a list of 57,000 turns would cost more than finding them twice.
    return next(position.legal_turns(rng.randrange(count)))


class UniformSearcher:
    """Plays uniformly at random over the legal turns; the weakest baseline."""

    name = "random"

    def search(
        self,
        position: PositionLike,
        budget: Budget,  # noqa: ARG002 — nothing is searched
        seed: int,
        stop: StopFlag,  # noqa: ARG002 — answers at once
    ) -> SearchResult:
        """Draw a turn; see `Searcher.search`."""
        rng = random.Random(seed)
        return SearchResult(random_turn(position, rng))
