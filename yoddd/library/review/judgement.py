"""The judgement of one turn, and the accuracy of a player: formulas without a game.

Sources: the curve of a turn's accuracy, the mean over a game and the three thresholds are those of
Lichess (lila, `AccuracyPercent.scala` and `Advice.scala`); the mean loss is KaTrain's mean point
loss with chances for points.
"""

from __future__ import annotations

import enum
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Final

import attrs

DOUBT: Final = 2.0
"""A loss counts from so many standard errors on."""

SPREAD: Final = 0.015
"""The deviation of long searches of one position from different seeds."""

_PERCENT: Final = 100
_ROUNDING: Final = 1e-9
_CURVE: Final = (103.1668100711649, 0.04354415386753951, 3.166924740191411)
"""Height, decay and offset of the accuracy by the loss in percent."""
_BONUS: Final = 1.0
"""For the uncertainty of the estimates."""
_WINDOWS: Final = (2, 8)
"""The fewest and the most positions whose chances weigh a turn."""
_WEIGHTS: Final = (0.5, 12.0)
_LEAST: Final = 1.0
"""The least accuracy of a turn in the harmonic mean."""


class Grade(enum.StrEnum):
    """The error of a turn; `SOUND` is none."""

    SOUND = "sound"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


THRESHOLDS: Final[Mapping[Grade, float]] = {
    Grade.BLUNDER: 0.15,
    Grade.MISTAKE: 0.10,
    Grade.INACCURACY: 0.05,
}
"""The least loss of an error, the greatest first."""


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

    @classmethod
    def proven(cls, *, wins: bool, distance: int | None = None) -> Chance:
        """The chance of a participant who wins or loses by best play."""
        return cls(float(wins), exact=True, distance=distance)

    @property
    def opponents(self) -> Chance:
        """The chance of the other participant."""
        return attrs.evolve(self, value=1.0 - self.value)

    @property
    def standard_error(self) -> float:
        """The standard error: of so many independent games, and of a search as such."""
        if self.exact or not self.visits:
            return 0.0
        return math.hypot(math.sqrt(self.value * (1.0 - self.value) / self.visits), SPREAD)


def loss_of(best: Chance, played: Chance) -> float:
    """The chance that a turn gives away, 0 to 1."""
    return max(0.0, best.value - played.value)


def grade_of(best: Chance, played: Chance) -> Grade:
    """The grade of a loss; None if the estimates may be off by that much."""
    loss = loss_of(best, played)
    if loss <= DOUBT * math.hypot(best.standard_error, played.standard_error):
        return Grade.SOUND
    passed = (grade for grade, least in THRESHOLDS.items() if loss >= least - _ROUNDING)
    return next(passed, Grade.SOUND)


def accuracy_of(loss: float) -> float:
    """The accuracy of a turn, 0 to 100, by the chance that it gives away."""
    if loss <= 0:
        return float(_PERCENT)
    height, decay, offset = _CURVE
    found = height * math.exp(-decay * _PERCENT * loss) - offset + _BONUS
    return min(float(_PERCENT), max(0.0, found))


def game_accuracy(
    accuracies: Sequence[float], chances: Sequence[float], places: Sequence[int]
) -> float | None:
    """The accuracy of one player in a game, 0 to 100; None without a turn.

    It is the mean of two means: one weighed by how much the chances change around the turn, and the
    harmonic one, in which a bad turn counts more.

    Args:
        accuracies: of all turns of the game.
        chances: of one of the players, before the first turn and after every turn.
        places: the indices of the player's turns.
    """
    if not places:
        return None
    weights = _weights(chances)
    own = [accuracies[place] for place in places]
    weighted = statistics.fmean(own, [weights[place] for place in places])
    harmonic = statistics.harmonic_mean([max(_LEAST, accuracy) for accuracy in own])
    return (weighted + harmonic) / 2


def _weights(chances: Sequence[float]) -> list[float]:
    """For each turn the deviation of the chances around it, in percent and within bounds."""
    percents = [_PERCENT * chance for chance in chances]
    low, high = _WINDOWS
    size = min(max((len(chances) - 1) // 10, low), high)
    first = [percents[:size]] * (min(size, len(percents)) - low)
    windows = first + [percents[at : at + size] for at in range(len(percents) - size + 1)]
    least, most = _WEIGHTS
    return [min(max(statistics.pstdev(window), least), most) for window in windows]
