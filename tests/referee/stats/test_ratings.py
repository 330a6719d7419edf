"""Joint ratings against a published example and against themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from yoddd.referee.stats.ratings import SCALE, Bout, rate_entrants

HOME = [5] * 6 + [4] * 6 + [7] * 6 + [6] * 6 + [2] * 6 + [3] * 6 + [1] * 6
AWAY = [4, 7, 6, 2, 3, 1, 5, 7, 6, 2, 3, 1, 5, 4, 6, 2, 3, 1, 5, 4, 7, 2, 3, 1]
AWAY += [5, 4, 7, 6, 3, 1, 5, 4, 7, 6, 2, 1, 5, 4, 7, 6, 2, 3]
HOME_WINS = [4, 4, 4, 6, 4, 6, 3, 4, 4, 6, 6, 4, 2, 4, 2, 4, 4, 6, 3, 5, 2, 4, 4, 6]
HOME_WINS += [5, 2, 3, 4, 5, 6, 2, 3, 3, 4, 4, 2, 2, 1, 1, 2, 1, 3]
AWAY_WINS = [3, 2, 3, 1, 2, 0, 3, 2, 3, 0, 1, 3, 5, 3, 4, 3, 2, 0, 3, 1, 5, 3, 2, 1]
AWAY_WINS += [1, 5, 3, 2, 2, 0, 5, 3, 4, 3, 2, 4, 5, 5, 6, 4, 6, 4]
BASEBALL = [
    Bout(home - 1, away - 1, won, lost)
    for home, away, won, lost in zip(HOME, AWAY, HOME_WINS, AWAY_WINS, strict=True)
]
"""American League East, 1987: A. Agresti, Categorical Data Analysis, 2nd ed., p. 438."""


def test_rate_entrants_agrees_with_the_published_example() -> None:
    """Agresti's table 10.11, column 5, as BradleyTerry2's test-baseball.R reproduces it."""
    ratings = rate_entrants(7, BASEBALL, prior=math.inf)
    worth = np.exp(np.array(ratings.elo) / SCALE)
    expected = [0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220]
    assert sorted(worth / worth.sum()) == pytest.approx(expected, abs=0.0005)
    assert ratings.first / SCALE == pytest.approx(0.302, abs=0.0005)
    table = np.array(ratings.covariance) / SCALE**2
    errors = [math.sqrt(table[i, i] + table[0, 0] - 2 * table[i, 0]) for i in range(1, 7)]
    assert errors == pytest.approx([0.3] * 6, abs=0.05)  # the book: "about 0.3"


def test_rate_entrants_sum_is_zero_and_prior_shrinks() -> None:
    free, held = rate_entrants(7, BASEBALL, prior=math.inf), rate_entrants(7, BASEBALL, prior=50)
    assert sum(free.elo) == pytest.approx(0, abs=1e-6)
    assert max(held.elo) < max(free.elo)
    assert held.interval(0).error < free.interval(0).error


def test_rate_entrants_equal_results_give_equal_ratings() -> None:
    ratings = rate_entrants(2, [Bout(0, 1, 30, 10), Bout(1, 0, 30, 10)])
    assert ratings.elo == pytest.approx((0, 0), abs=1e-6)
    assert ratings.first == pytest.approx(SCALE * math.log(3), rel=0.01)
    assert ratings.first_interval.low > 0


def test_rate_entrants_lopsided_results_converge() -> None:
    ratings = rate_entrants(3, [Bout(0, 1, 5000, 0), Bout(2, 0, 1, 3000), Bout(1, 2, 9, 1)])
    assert ratings.elo[0] > ratings.elo[1] > ratings.elo[2]
    assert all(math.isfinite(ratings.interval(entrant).error) for entrant in range(3))


def test_rate_entrants_without_games_is_the_prior() -> None:
    ratings = rate_entrants(2, [])
    assert list(ratings.elo) == [0, 0]
    assert ratings.interval(0).error > 1000
