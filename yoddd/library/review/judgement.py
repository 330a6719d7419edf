"""The words of a judgement: the chance of a participant, and the grade of an error.

The judgement itself is the kernel's: ``kernel/src/judgement.cpp``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

import attrs

from yoddd.kernel.backend import native


class Grade(enum.StrEnum):
    """The error of a turn; `SOUND` is none."""

    SOUND = "sound"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


GRADES = tuple(Grade)
"""By their numbers in the kernel, the least first."""


def thresholds() -> Mapping[Grade, float]:
    """The least loss of an error, the greatest first."""
    return dict(reversed([*zip(GRADES[1:], native().thresholds, strict=True)]))


@attrs.frozen
class Chance:
    """The chance of winning, for one participant.

    Attributes:
        value: 0 to 1; 0 or 1 if it is exact.
        visits: of the search that estimated it; 0 if it is exact.
        exact: whether it is proven.
        distance: turns to the end of the game by best play of both sides, if that is known.
    """

    value: float
    visits: int = 0
    exact: bool = False
    distance: int | None = None
