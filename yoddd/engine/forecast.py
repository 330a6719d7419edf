"""Forecast of the visits of a search, before it begins."""

from __future__ import annotations

from typing import Final

from yoddd.engine.searcher import Budget
from yoddd.rules import Rules

MOST: Final = 60_000
"""The greatest forecast; the share of the learned value was not measured with more."""

GOES_ON: Final = 20_000
"""The forecast of a search that others will go on with, however many visits it is to have now.

So it finds the same in one part as in several.
"""

FIRST_SPEED: Final = 8e6
"""Visits a second of one thread times the cells of the board, before anything was measured."""


class Forecast:
    """Forecasts the visits of a search, by the speed of the last one with a time limit."""

    def __init__(self) -> None:
        """Assume a usual machine."""
        self._speed = FIRST_SPEED

    def visits(self, rules: Rules, budget: Budget, playouts: int) -> int:
        """The visits of a search with ``budget``, whose limit of playouts is ``playouts``."""
        if budget.resume:
            return GOES_ON
        most = min(MOST, playouts)
        if budget.visits is not None:
            most = min(most, budget.visits)
        if budget.seconds is not None:
            speed = self._speed * budget.threads / rules.geometry.cells
            most = min(most, int(speed * max(0.0, budget.seconds)))
        return most

    def learn(self, rules: Rules, budget: Budget, playouts: int, seconds: float) -> None:
        """Take in that a search has run ``playouts`` in ``seconds``."""
        if budget.seconds is not None and seconds > 0 and playouts > 1:
            self._speed = playouts / seconds * rules.geometry.cells / budget.threads
