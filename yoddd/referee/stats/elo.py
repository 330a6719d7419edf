"""Elo, normalized Elo and the likelihood of superiority, from games or from pairs of games.

The unit is whatever is independent of the others: a pair of games with one opening and swapped
seats, or a single game. With ``a_i`` the score of outcome i and ``p_i`` its frequency,

    score = sum a_i p_i,  variance = sum p_i (a_i - score)^2,  error = sqrt(variance / n)
    Elo = -400 log10(1 / score - 1)
    nElo = (score - 1/2) / sqrt(games * variance) * 800 / ln 10
    LOS = Phi((score - 1/2) / error)

with ``games`` in a unit, 1 or 2. Elo's interval is that of the score, mapped; its error is half its
width. Where that interval would leave 0..1, or has no width since all ended alike, the frequencies
hold half an outcome more for both lost, one each and both won (Jeffreys' prior), and Elo's error,
by which LOS is then judged, is ``error / (score (1 - score)) * 400 / ln 10``: no value is infinite,
and no interval empty. The score is always the mean of what was played, with Wilson's interval.
Sources: fastchess ``elo_pentanomial.cpp``; M. Van den Bergh, "Comments on normalized Elo"; L. D.
Brown, T. T. Cai and A. DasGupta, "Interval Estimation for a Binomial Proportion" (2001).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs

Z95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: errors are 95 % errors."""

FEW: Final = 5
"""Below so many pairs, or single games, texts give no Elo but say that they are too few."""

NELO: Final = 800 / math.log(10)
"""Normalized Elo of one standard deviation."""

PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The five outcomes of a pair. Without draws only the first, third and last occur."""

_PRIOR: Final = 0.5
_ALIKE: Final = PAIR_SCORES[::2]
"""The outcomes that the prior adds to."""


@attrs.frozen
class Sample:
    """The frequencies of the outcomes.

    Attributes:
        scores: of each outcome, ascending from 0 to 1.
        counts: how often it occurred.
        games: how many games make one outcome.
    """

    scores: tuple[float, ...]
    counts: tuple[float, ...]
    games: int = 1

    @property
    def size(self) -> float:
        """The number of outcomes."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """The mean."""
        return sum(a * n for a, n in zip(self.scores, self.counts, strict=True)) / self.size

    @property
    def variance(self) -> float:
        """The variance of one outcome."""
        mean = self.score
        deviations = (n * (a - mean) ** 2 for a, n in zip(self.scores, self.counts, strict=True))
        return sum(deviations) / self.size


def pair_sample(counts: Sequence[int]) -> Sample:
    """A sample of pairs of games: pentanomial counts from both lost to both won.

    Three counts are those of games without draws: both lost, one each, both won.

    Raises:
        ValueError: neither three nor five counts, or a negative one.
    """
    if min(counts, default=-1) < 0:
        raise ValueError("pentanomial counts: a count is negative or there are none")
    if len(counts) == len(PAIR_SCORES):
        return Sample(PAIR_SCORES, tuple(counts), games=2)
    if len(counts) == len(PAIR_SCORES[::2]):
        lost, split, won = counts
        return Sample(PAIR_SCORES, (lost, 0, split, 0, won), games=2)
    raise ValueError(f"pentanomial counts: {len(counts)} of them, expected 3 or 5")


@attrs.frozen
class Interval:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2


@attrs.frozen
class Estimate:
    """The strength of the first against the second entrant, estimated from a sample.

    Attributes:
        score: with its interval.
        elo: logistic Elo.
        nelo: normalized Elo.
        los: the likelihood that the first is the stronger.
        size: the pairs, or the games, that it comes from.
    """

    score: Interval
    elo: Interval
    nelo: Interval
    los: float
    size: int

    @property
    def is_few(self) -> bool:
        """Whether it comes from less than `FEW` pairs or games."""
        return self.size < FEW

    @property
    def is_one_sided(self) -> bool:
        """Whether no game was lost, or none won: then Elo has no limit on one side."""
        return self.score.value in (0, 1)

    @property
    def bound(self) -> float:
        """Of a one-sided result, the end of Elo's interval towards 0, by that of the score."""
        return elo_of(self.score.low if self.score.value == 1 else self.score.high)


def elo_of(score: float) -> float:
    """The Elo difference of an expected ``score``; infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else -400 * math.log10(1 / score - 1)


def score_of(elo: float) -> float:
    """The expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def estimate(sample: Sample) -> Estimate | None:
    """The estimate from ``sample``; None if it is empty."""
    if not sample.size:
        return None
    found = sample
    low, high = _bounds(sample)
    is_plain = 0 < low < high < 1
    if not is_plain:
        counts = (
            n + _PRIOR * (a in _ALIKE) for a, n in zip(sample.scores, sample.counts, strict=True)
        )
        found = attrs.evolve(sample, counts=tuple(counts))
        low, high = _bounds(found)
    mean, variance = found.score, found.variance
    deviation = math.sqrt(variance / found.size)
    unit = math.sqrt(sample.games * variance) / NELO
    elo = Interval(elo_of(mean), elo_of(low), elo_of(high))
    certainty = (mean - 0.5) / deviation
    if not is_plain:
        error = deviation / (mean * (1 - mean)) * 400 / math.log(10)
        elo = Interval(elo.value, elo.value - Z95 * error, elo.value + Z95 * error)
        certainty = elo.value / error
    return Estimate(
        wilson(sample.score, sample.size * mean * (1 - mean) / variance),
        elo,
        Interval(*((bound - 0.5) / unit for bound in (mean, low, high))),
        _normal(certainty),
        round(sample.size),
    )


def _bounds(sample: Sample) -> tuple[float, float]:
    error = Z95 * math.sqrt(sample.variance / sample.size)
    return sample.score - error, sample.score + error


def wilson(share: float, games: float) -> Interval:
    """A share of so many independent games, with Wilson's interval."""
    square = Z95**2 / games
    centre = (share + square / 2) / (1 + square)
    width = Z95 * math.sqrt(share * (1 - share) / games + square / (4 * games)) / (1 + square)
    return Interval(share, max(0.0, centre - width), min(1.0, centre + width))


def _normal(value: float) -> float:
    """The distribution function of the standard normal law."""
    return 0.5 * math.erfc(-value / math.sqrt(2))
