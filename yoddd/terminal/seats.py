"""Who plays: persons and engines, by the colour they began with."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.engine import Budget, Searcher
from yoddd.rules import Colour, PositionLike


@attrs.frozen
class Opponent:
    """An engine at the board.

    Attributes:
        name: what it is called.
        make: a fresh searcher.
        budget: what a search may spend.
        seed: of its searches; the number of the turn is added.
    """

    name: str
    make: Callable[[], Searcher]
    budget: Budget
    seed: int


Seats = tuple[Opponent | None, Opponent | None]
"""Who began as Black and who as White; None is a person."""


def seat_on_turn(position: PositionLike) -> Colour:
    """The seat whose turn it is: people keep their seat when they swap colours."""
    return position.seat_of(position.player)


def names(seats: Seats) -> tuple[str, str]:
    """What the two are called, by seat."""
    black, white = (seat.name if seat else None for seat in seats)
    if black is None and white is None:
        return "Black", "White"
    return black or "You", white or "You"
