"""What every engine of ours looks like from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import attrs

from yoddd.rules import Position, Turn

StopFlag = Callable[[], bool]
"""Asked again and again during a search: shall it end now with the best turn so far?"""


class NoLegalTurn(ValueError):
    """A search was asked for in a finished game."""


@attrs.frozen
class Budget:
    """How much a search may spend.

    Attributes:
        playouts: how many playouts to run; None for as many as the engine thinks right.
    """

    playouts: int | None = None


@attrs.frozen
class SearchResult:
    """What a search found.

    Attributes:
        turn: the turn to play.
        playouts: how many playouts were really run.
        winrate: 0 to 1 for the side to move at the root; None where nothing was estimated.
    """

    turn: Turn
    playouts: int = 0
    winrate: float | None = None


class Searcher(Protocol):
    """An engine: chooses a turn for the side to move."""

    name: str

    def search(self, position: Position, budget: Budget, seed: int, stop: StopFlag) -> SearchResult:
        """Choose a turn; the same arguments give the same turn unless ``stop`` cuts in.

        The position is not changed. Safe to call from any thread.

        Raises:
            NoLegalTurn: the game is over.
        """
        ...
