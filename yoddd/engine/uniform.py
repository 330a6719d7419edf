"""The ``random`` engine: every legal turn is equally likely."""

from __future__ import annotations

import random
from itertools import islice

from yoddd.engine.searcher import Budget, NoLegalTurn, SearchResult, StopFlag
from yoddd.rules import PositionLike


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
        count = position.count_turns()
        if count == 0:
            raise NoLegalTurn("the game is over")
        # Two lazy passes: a list of 57,000 turns would cost more than finding them twice.
        chosen = random.Random(seed).randrange(count)  # noqa: S311 — play, not secrets
        return SearchResult(next(islice(position.legal_turns(), chosen, None)))
