"""Elo, normalized Elo and LOS against the values that fastchess tests itself with.

Source: Disservin/fastchess, app/tests/elo_test.cpp (MIT), commit 74deac2.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd.referee.stats.elo import Estimate, Sample, elo_of, estimate, pair_sample, score_of

_Pair = tuple[float, float]


def wdl(wins: int, losses: int, draws: int) -> Sample:
    return Sample((0.0, 0.5, 1.0), (losses, draws, wins))


def penta(ll: int, ld: int, wl: int, dd: int, wd: int, ww: int) -> Sample:
    return pair_sample((ll, ld, wl + dd, wd, ww))


def estimated(sample: Sample) -> Estimate:
    found = estimate(sample)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("sample", "nelo", "score", "los", "elo"),
    [
        (wdl(76, 89, 123), (-20.76, 40.13), 0.477, 15.53, None),
        (wdl(136, 96, 111), (49.77, 36.77), 0.558, 99.60, (40.70, 30.43)),
        (wdl(34, 356, 0), (-508.44, 34.48), 0.087, 0.0, None),
        (penta(34, 54, 31, 32, 64, 75), (57.94, 28.28), 0.579, 100.0, (55.58, 27.65)),
        (penta(332, 433, 457, 41, 333, 334), (-9.17, 10.96), 0.488, 5.05, (-8.64, 10.33)),
        (penta(7895, 8757, 5485, 200, 568, 9999), (-19.01, 2.65), 0.470, 0.0, (-21.04, 2.95)),
    ],
)
def test_estimate_agrees_with_fastchess(
    sample: Sample, nelo: _Pair, score: float, los: float, elo: _Pair | None
) -> None:
    found = estimated(sample)
    assert (found.nelo.value, found.nelo.error) == pytest.approx(nelo, abs=0.01)
    assert found.score.value == pytest.approx(score, abs=0.001)
    assert 100 * found.los == pytest.approx(los, abs=0.005)
    if elo is not None:
        assert (found.elo.value, found.elo.error) == pytest.approx(elo, abs=0.01)


@pytest.mark.parametrize(
    "counts", [(0, 0, 1), (0, 1, 0), (0, 0, 8), (0, 8, 0), (8, 0, 0), (0, 1, 4)]
)
def test_estimate_of_few_alike_is_finite_and_uncertain(counts: tuple[int, int, int]) -> None:
    found = estimated(pair_sample(counts))
    for interval in (found.score, found.elo, found.nelo):
        assert -math.inf < interval.low <= interval.value <= interval.high < math.inf
        assert interval.high - interval.low > 0.1
    assert 0 <= found.score.low < found.score.high <= 1
    assert 0.001 < found.los < 0.999
    mirrored = estimated(pair_sample(counts[::-1]))
    assert mirrored.elo.value == pytest.approx(-found.elo.value)
    assert found.is_few == (sum(counts) < 5)


def test_share_of_single_games_has_wilsons_interval() -> None:
    four = estimated(Sample((0.0, 1.0), (0, 4))).score
    assert (four.value, four.low, four.high) == pytest.approx((1.0, 0.5101, 1.0), abs=1e-4)
    two = estimated(Sample((0.0, 1.0), (1, 1))).score
    assert (two.value, two.low, two.high) == pytest.approx((0.5, 0.0945, 0.9055), abs=1e-4)


@pytest.mark.parametrize("counts", [(), (1, 2), (1, 2, 3, 4), (1, 2, 3, 4, -1)])
def test_pair_sample_invalid_counts_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="pentanomial counts"):
        pair_sample(counts)


@given(st.floats(-2000, 2000))
def test_elo_of_and_score_of_are_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-6)


@given(st.tuples(*[st.integers(0, 500)] * 3).filter(any))
def test_estimate_of_the_opponent_is_negative(counts: tuple[int, int, int]) -> None:
    one, other = estimated(pair_sample(counts)), estimated(pair_sample(counts[::-1]))
    assert one.nelo.value == pytest.approx(-other.nelo.value, abs=1e-6)
    assert one.los + other.los == pytest.approx(1)
