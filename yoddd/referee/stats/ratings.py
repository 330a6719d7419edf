"""Joint ratings by the Bradley-Terry model with a first-move advantage.

The one who begins, with rating ``r_i``, beats the other with probability

    1 / (1 + 10 ** (-(r_i - r_j + first) / 400))

The ratings and ``first`` are those under which the games are likeliest, the ratings with a weak
normal prior so that one who won every game has a rating at all; they add up to 0. The covariance is
the inverse of the information at that point. Sources: R. A. Bradley and M. E. Terry, Biometrika 39
(1952); R. R. Davidson and R. J. Beaver, Biometrics 33 (1977) for the order effect; A. Agresti,
"Categorical Data Analysis" for the example that ours is tested against.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from yoddd.referee.stats.elo import Z95, Interval

SCALE: Final = 400 / math.log(10)
"""Elo of one unit of log odds."""

PRIOR: Final = 1000.0
"""Standard deviation, in Elo, of the prior of a rating."""

_STEPS: Final = 100
_CONVERGED: Final = 1e-9

_Array = NDArray[np.float64]


@attrs.frozen
class Bout:
    """Games that ``first``, who began, won and lost against ``second``; both are indices."""

    first: int
    second: int
    won: int
    lost: int


@attrs.frozen
class Ratings:
    """The ratings of all entrants, in Elo.

    Attributes:
        elo: by entrant; they add up to 0.
        first: the first-move advantage.
        covariance: of the ratings and, last, of ``first``; rows of Elo squared.
    """

    elo: tuple[float, ...]
    first: float
    covariance: tuple[tuple[float, ...], ...]

    def interval(self, entrant: int) -> Interval:
        """A rating with its 95 % interval."""
        return _interval(self.elo[entrant], self.covariance[entrant][entrant])

    def information(self, one: int, other: int) -> float:
        """The reduction of the sum of the variances of all ratings by one game of two entrants.

        It counts by the part of a bit that the result tells, roughly: against one who has lost
        every game the next loss tells nothing, however wide the interval of the rating still is.
        """
        covariance = np.array(self.covariance)
        gap = (self.elo[one] - self.elo[other]) / SCALE
        chance = float(_chance(np.array(gap)))
        quality = chance * (1 - chance) / SCALE**2
        shift = covariance[:, one] - covariance[:, other] + covariance[:, -1]
        variance = float(shift[one] - shift[other] + shift[-1])
        open_part = 4 * chance * (1 - chance)
        return open_part * quality * float(shift[:-1] @ shift[:-1]) / (1 + quality * variance)

    @property
    def first_interval(self) -> Interval:
        """The advantage of the first move, with its interval."""
        return _interval(self.first, self.covariance[-1][-1])


def _interval(value: float, variance: float) -> Interval:
    error = Z95 * math.sqrt(max(0.0, variance))
    return Interval(value, value - error, value + error)


def rate_entrants(entrants: int, bouts: Iterable[Bout], prior: float = PRIOR) -> Ratings:
    """Rate ``entrants`` by their bouts.

    Args:
        entrants: how many there are.
        bouts: what they did; several of the same two add up.
        prior: standard deviation of the prior in Elo; infinite for none, where every rating has to
            follow from the games.
    """
    played = list(bouts)
    design = _design(entrants, played)
    won = np.array([float(bout.won) for bout in played])
    games = won + np.array([float(bout.lost) for bout in played])
    precision = _precision(entrants, prior)
    theta = np.zeros(entrants + 1)
    for _ in range(_STEPS):
        step = _newton_step(theta, design, won, games, precision)
        theta += step
        if np.abs(step).max() < _CONVERGED:
            break
    covariance = _inverse(_information(theta, design, games, precision)) * SCALE**2
    return Ratings(
        tuple(float(value) for value in theta[:-1] * SCALE),
        float(theta[-1]) * SCALE,
        tuple(tuple(float(value) for value in row) for row in covariance),
    )


def rate_anchored(
    entrants: int, bouts: Iterable[Bout], anchors: Mapping[int, float], prior: float = PRIOR
) -> Ratings:
    """Rate entrants as `rate_entrants` does, with some ratings given and fixed.

    Args:
        entrants: how many there are.
        bouts: what they did.
        anchors: the given ratings in Elo, by entrant; at least one. The prior's mean is their mean.
        prior: standard deviation of the prior in Elo, finite.

    Returns:
        The ratings; the covariance of a given one is 0.
    """
    from scipy.optimize import minimize

    played = list(bouts)
    won = np.array([float(bout.won) for bout in played])
    games = won + np.array([float(bout.lost) for bout in played])
    design = _design(entrants, played)
    fixed = np.array([index in anchors for index in range(entrants)] + [False])
    given = np.array([anchors.get(index, 0.0) for index in range(entrants)] + [0.0]) / SCALE
    offset, free = design @ given, design[:, ~fixed]
    mean = np.full(int((~fixed).sum()), given[fixed].mean())
    mean[-1] = 0.0
    precision = _precision(entrants, prior)[np.ix_(~fixed, ~fixed)]

    def loss(theta: _Array) -> float:
        odds, rest = offset + free @ theta, theta - mean
        return float(
            (games * np.logaddexp(0, odds) - won * odds).sum() + rest @ precision @ rest / 2
        )

    def slope(theta: _Array) -> _Array:
        gap = games * _chance(offset + free @ theta) - won
        gradient: _Array = free.T @ gap + precision @ (theta - mean)
        return gradient

    def bend(theta: _Array) -> _Array:
        chance = _chance(offset + free @ theta)
        hessian: _Array = free.T @ ((games * chance * (1 - chance))[:, None] * free) + precision
        return hessian

    # A trust region: anchors far apart make Newton's bare step overshoot.
    found = minimize(loss, mean, jac=slope, hess=bend, method="trust-exact", tol=_CONVERGED)
    given[~fixed] = found.x
    covariance = np.zeros((entrants + 1, entrants + 1))
    covariance[np.ix_(~fixed, ~fixed)] = np.linalg.inv(bend(found.x)) * SCALE**2
    return Ratings(
        tuple(float(value) for value in given[:-1] * SCALE),
        float(given[-1]) * SCALE,
        tuple(tuple(float(value) for value in row) for row in covariance),
    )


def _design(entrants: int, bouts: list[Bout]) -> _Array:
    rows = np.zeros((len(bouts), entrants + 1))
    for row, bout in zip(rows, bouts, strict=True):
        row[bout.first] = 1.0
        row[bout.second] = -1.0
        row[-1] = 1.0
    return rows


def _precision(entrants: int, prior: float) -> _Array:
    weights = np.full(entrants + 1, (SCALE / prior) ** 2 if math.isfinite(prior) else 0.0)
    return np.diag(weights)


def _chance(odds: _Array) -> _Array:
    """The logistic function, without the overflow of its plain form or the second scipy takes."""
    chance: _Array = 0.5 * (1 + np.tanh(0.5 * odds))
    return chance


def _information(theta: _Array, design: _Array, games: _Array, precision: _Array) -> _Array:
    chance = _chance(design @ theta)
    weights = games * chance * (1 - chance)
    information: _Array = design.T @ (weights[:, None] * design) + precision
    return information


def _newton_step(
    theta: _Array, design: _Array, won: _Array, games: _Array, precision: _Array
) -> _Array:
    gradient = design.T @ (won - games * _chance(design @ theta)) - precision @ theta
    step: _Array = _inverse(_information(theta, design, games, precision)) @ gradient
    return step


def _inverse(information: _Array) -> _Array:
    """The inverse among ratings that add up to 0: a constant added to all of them has no effect."""
    size = len(information) - 1
    centre = np.eye(size + 1)
    centre[:size, :size] -= 1 / size
    inverse: _Array = np.asarray(
        np.linalg.pinv(centre @ information @ centre, rcond=1e-12), dtype=np.float64
    )
    return inverse
