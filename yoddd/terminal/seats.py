"""The participants, humans and engines, by the colour that they began with."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.engine import Budget, Searcher
from yoddd.rules import Colour, PositionLike


@attrs.frozen
class Opponent:
    """An engine as an opponent.

    Attributes:
        name: shown next to the board.
        make: a fresh searcher.
        budget: of a search.
        seed: of its searches; the number of the turn is added.
    """

    name: str
    make: Callable[[], Searcher]
    budget: Budget
    seed: int


Seats = tuple[Opponent | None, Opponent | None]
"""The engines that began as Black and as White; None is a human."""


def seat_on_turn(position: PositionLike) -> Colour:
    """The seat whose turn it is, which a swap of colours does not change."""
    return position.seat_of(position.player)


def names(seats: Seats) -> tuple[str, str]:
    """The names of both participants, by seat."""
    black, white = (seat.name if seat else None for seat in seats)
    if black is None and white is None:
        return "Black", "White"
    return black or "You", white or "You"
