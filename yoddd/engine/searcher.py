"""What every engine of ours looks like from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import attrs

from yoddd.rules import PositionLike, Turn

StopFlag = Callable[[], bool]
"""Asked again and again during a search: shall it end now with the best turn so far?"""

WITHOUT_END: Final = 1 << 62
"""Playouts of a search that something else limits."""


class NoLegalTurn(ValueError):
    """A search was asked for in a finished game."""


@attrs.frozen
class Budget:
    """How much a search may spend; whichever limit is reached first ends it.

    Attributes:
        playouts: how many playouts to run; None for as many as the engine thinks right, or for no
            limit where there is another one.
        visits: how often the position may have been visited in the end, those visits included that
            are kept from earlier searches. Engines without a memory take it for playouts.
        seconds: from the call on; None for no limit. Engines that cannot tell the time leave it to
            the stop flag.
        threads: how many threads may work on it.
        memory: bytes for the tree; None for the engine's own number.
        resume: whether a search of the same position as the last one goes on where that ended,
            if the engine can; else it begins anew.
    """

    playouts: int | None = None
    visits: int | None = None
    seconds: float | None = None
    threads: int = 1
    memory: int | None = None
    resume: bool = False

    def playouts_or(self, default: int) -> int:
        """The limit of playouts where ``default`` is what the engine thinks right."""
        if self.playouts is not None:
            return self.playouts
        return default if self.seconds is None and self.visits is None else WITHOUT_END

    def playouts_afresh(self, default: int) -> int:
        """The same for an engine that remembers nothing, and for which a visit is a playout."""
        most = self.playouts_or(default)
        return most if self.visits is None else min(most, self.visits)


@attrs.frozen
class SearchResult:
    """What a search found.

    Attributes:
        turn: the turn to play.
        playouts: how many playouts were really run.
        winrate: 0 to 1 for the side to move at the root; None where nothing was estimated.
        visits: of the position, those included that earlier searches have left.
        margin: the expected difference in groups for the side to move; None likewise.
    """

    turn: Turn
    playouts: int = 0
    winrate: float | None = None
    visits: int = 0
    margin: float | None = None


class Searcher(Protocol):
    """An engine: chooses a turn for the side to move.

    An engine may remember what it has found and use it when it is asked about a position that
    follows in the same game; asked about any other it begins anew.
    """

    name: str

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Choose a turn; the same calls give the same turns unless time or ``stop`` cuts in.

        The position is not changed. Safe to call from any thread, but not from two at a time.

        Raises:
            NoLegalTurn: the game is over.
        """
        ...
