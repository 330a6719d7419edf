"""Black's or White's place in a game, kept across a swap."""

from __future__ import annotations

import enum
from typing import Final


class Seat(enum.IntEnum):
    """The place of the participant who begins as Black, or of the one who begins as White.

    A swap in Yoin exchanges the colours; seat, clock, record and result stay with the participant.
    """

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> Seat:
        """The opponent's seat."""
        return Seat.BLACK if self else Seat.WHITE

    @property
    def key(self) -> str:
        """``b`` or ``w``, as records spell it."""
        return "bw"[self]


SEATS: Final = tuple(Seat)
"""Both, by their numbers; the look-up of an enumeration is slow."""
