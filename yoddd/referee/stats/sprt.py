"""The sequential probability ratio test on pairs or games, by generalized likelihood ratios.

H0 says that the strength is ``elo0``, H1 that it is ``elo1``. Of all distributions on the outcomes
that have the strength of a hypothesis, the one under which the sample is likeliest stands for it;
LLR is the log of the ratio of both likelihoods. H1 is accepted at ``ln((1 - beta) / alpha)``, H0
at ``ln(beta / (1 - alpha))`` (Wald).

Sources: M. Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio
of a multinomial distribution" (Proposition 1.1) for the logistic model and "Comments on normalized
Elo" (section 4.1) for the normalized one; the same choices as fastchess' ``sprt.cpp``, whose test
values ours are tested against.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from yoddd.referee.stats.elo import NELO, PAIR_SCORES, Sample, pair_sample, score_of

_LEAST: Final = 1e-3
"""The count of an outcome that never occurred, so that no hypothesis is refuted by one event."""

_ITERATIONS: Final = 10
_CONVERGED: Final = 1e-4
_EDGE: Final = 1e-13

_NEWTON: Final = 100
_EXACT: Final = 1e-12
"""The most steps to a root, and the length of the last one."""

_STRONGEST: Final = 4000.0
"""Elo; beyond it a logistic score differs from 0 or 1 by less than arithmetic can tell."""

_RAREST: Final = 1e-12
"""The smallest error rate; bounds stay finite."""


class SprtError(ValueError):
    """Parameters of a test that contradict each other."""


class SprtModel(enum.StrEnum):
    """The unit of a test's bounds."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Decision(enum.StrEnum):
    """The result of a test so far."""

    H0 = "H0"
    H1 = "H1"
    CONTINUE = "continue"


@attrs.frozen(kw_only=True)
class Sprt:
    """A test before any data.

    Attributes:
        elo0: the strength under H0.
        elo1: the strength under H1, higher.
        alpha: how often H1 may be accepted under H0.
        beta: how often H0 may be accepted under H1.
        model: what the strengths are given in.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: SprtModel = SprtModel.NORMALIZED

    def __attrs_post_init__(self) -> None:
        """Check the parameters.

        Raises:
            SprtError: the hypotheses or the error rates make none.
        """
        if not self.elo0 < self.elo1:
            raise SprtError(f"sprt: elo0 {self.elo0:g} is not below elo1 {self.elo1:g}")
        if max(-self.elo0, self.elo1) > _STRONGEST:
            raise SprtError(f"sprt: elo0 and elo1: expected from -{_STRONGEST:g} to {_STRONGEST:g}")
        if not (min(self.alpha, self.beta) >= _RAREST and self.alpha + self.beta < 1):
            raise SprtError(f"sprt: alpha {self.alpha:g} and beta {self.beta:g}: not error rates")

    def __str__(self) -> str:
        """The test as text, such as ``normalized [0, 5] alpha 0.05 beta 0.05``."""
        bounds = f"[{self.elo0:g}, {self.elo1:g}]"
        return f"{self.model} {bounds} alpha {self.alpha:g} beta {self.beta:g}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at which H0 is accepted, and that for H1."""
        lower = math.log(self.beta / (1 - self.alpha))
        return lower, math.log((1 - self.beta) / self.alpha)

    def llr(self, sample: Sample) -> float:
        """The log likelihood ratio of a sample; 0 before any data."""
        if not sample.size:
            return 0.0
        counts = [count or _LEAST for count in sample.counts]
        total = sum(counts)
        frequencies = [count / total for count in counts]
        if self.model is SprtModel.NORMALIZED:
            unit = math.sqrt(sample.games) / NELO
            ratios = (unit * self.elo0, unit * self.elo1)
            laws = [_with_normalized(sample.scores, frequencies, ratio) for ratio in ratios]
        else:
            ratios = (0.0, 0.0)
            means = (score_of(self.elo0), score_of(self.elo1))
            laws = [_with_mean(sample.scores, frequencies, mean) for mean in means]
        low, high = laws
        if low is None or high is None:
            return total * _approximate(sample.scores, frequencies, *ratios)
        terms = zip(frequencies, low, high, strict=True)
        return total * sum(p * math.log(p1 / p0) for p, p0, p1 in terms)

    def decide(self, llr: float) -> Decision:
        """The decision at ``llr``."""
        lower, upper = self.bounds
        if llr >= upper:
            return Decision.H1
        return Decision.H0 if llr <= lower else Decision.CONTINUE


def _tilt(frequencies: Sequence[float], slopes: Sequence[float]) -> list[float] | None:
    """The likeliest law under which the mean of ``slopes`` is 0; None where no law has that.

    It is ``p_i / (1 + theta * slope_i)`` for the theta at which that mean, which falls, vanishes.
    """
    if not min(slopes) < 0 < max(slopes):
        return None
    low, high = -1 / max(slopes), -1 / min(slopes)
    edge = _EDGE * (high - low)
    low, high, theta, step = low + edge, high - edge, 0.0, 1.0
    for _ in range(_NEWTON):
        terms = [(p, s / (1 + theta * s)) for p, s in zip(frequencies, slopes, strict=True)]
        mean = sum(p * term for p, term in terms)
        low, high = (theta, high) if mean > 0 else (low, theta)
        step = mean / sum(p * term * term for p, term in terms)
        if abs(step) < _EXACT:
            break
        theta = theta + step if low < theta + step < high else (low + high) / 2
    return [p / (1 + theta * slope) for p, slope in zip(frequencies, slopes, strict=True)]


def _with_mean(
    scores: Sequence[float], frequencies: Sequence[float], mean: float
) -> list[float] | None:
    return _tilt(frequencies, [score - mean for score in scores])


def _moments(scores: Sequence[float], law: Sequence[float]) -> tuple[float, float]:
    """The mean and the standard deviation."""
    mean = sum(a * p for a, p in zip(scores, law, strict=True))
    return mean, math.sqrt(sum(p * (a - mean) ** 2 for a, p in zip(scores, law, strict=True)))


def _with_normalized(
    scores: Sequence[float], frequencies: Sequence[float], ratio: float
) -> list[float] | None:
    """The likeliest law whose mean is ``ratio`` standard deviations above one half.

    The iteration has no next step where nearly every outcome is the same; then there is none.
    """
    law = [1 / len(scores)] * len(scores)
    for _ in range(_ITERATIONS):
        mean, sigma = _moments(scores, law)
        slopes = [a - 0.5 - 0.5 * ratio * sigma * (1 + ((a - mean) / sigma) ** 2) for a in scores]
        tilted = _tilt(frequencies, slopes)
        if tilted is None:
            return None
        before, law = law, tilted
        if max(abs(new - old) for new, old in zip(law, before, strict=True)) < _CONVERGED:
            break
    return law


def _approximate(
    scores: Sequence[float], frequencies: Sequence[float], low: float, high: float
) -> float:
    """The normalized LLR of one outcome as if the outcomes were normally distributed.

    That is ``ln((1 + (t - t0)^2) / (1 + (t - t1)^2)) / 2``, with ``t`` the observed ratio.
    """
    mean, sigma = _moments(scores, frequencies)
    found = (mean - 0.5) / sigma
    return 0.5 * math.log((1 + (found - low) ** 2) / (1 + (found - high) ** 2))


@attrs.frozen
class SprtState:
    """A test after some pairs.

    Attributes:
        sprt: the test.
        trace: the LLR after each pair, in schedule order, up to the decision.
        decision: the first one that the trace reached; it stands whatever comes later.
    """

    sprt: Sprt
    trace: tuple[float, ...]
    decision: Decision

    def __str__(self) -> str:
        """The LLR and the bounds, such as ``0.52 (-2.94, 2.94)``."""
        lower, upper = self.sprt.bounds
        return f"{self.llr:.2f} ({lower:.2f}, {upper:.2f})"

    @property
    def llr(self) -> float:
        """The LLR at the end of the trace."""
        return self.trace[-1] if self.trace else 0.0

    @property
    def share(self) -> float:
        """The LLR as a part of the way to a bound: 1 where H1 is accepted, -1 where H0 is."""
        lower, upper = self.sprt.bounds
        return self.llr / (upper if self.llr >= 0 else -lower)


class Follower:
    """Follows a test pair by pair; the first decision stands.

    Attributes:
        trace: the LLR after each pair.
        decision: what has been decided.
    """

    def __init__(self, sprt: Sprt) -> None:
        """A test without data."""
        self.trace: list[float] = []
        self.decision = Decision.CONTINUE
        self._sprt = sprt
        self._counts = [0] * len(PAIR_SCORES)

    def add(self, wins: int) -> None:
        """Add a pair of which the first entrant won ``wins`` games: 0, 1 or 2."""
        if self.decision is Decision.CONTINUE:
            self._counts[2 * wins] += 1
            self.trace.append(self._sprt.llr(pair_sample(self._counts)))
            self.decision = self._sprt.decide(self.trace[-1])

    @property
    def state(self) -> SprtState:
        """The state after the pairs so far."""
        return SprtState(self._sprt, tuple(self.trace), self.decision)


def follow(sprt: Sprt, pairs: Iterable[int]) -> SprtState:
    """Run a test over pairs in schedule order; each is the number of games the first won."""
    follower = Follower(sprt)
    for wins in pairs:
        follower.add(wins)
    return follower.state
