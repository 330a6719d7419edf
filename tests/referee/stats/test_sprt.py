"""Sequential tests against the values that fastchess and cutechess test themselves with.

Sources: Disservin/fastchess, app/tests/sprt_test.cpp (MIT), commit 74deac2;
cutechess/cutechess, projects/lib/tests/sprt/tst_sprt.cpp, commit 5e84232.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.referee.stats.test_elo import penta, wdl
from yoddd.referee.stats.elo import Sample, pair_sample
from yoddd.referee.stats.sprt import Decision, Sprt, SprtError, SprtModel, follow

approx = pytest.approx


def sprt(model: str, elo0: float, elo1: float) -> Sprt:
    return Sprt(elo0=elo0, elo1=elo1, model=SprtModel(model))


@pytest.mark.parametrize(
    ("model", "bounds", "sample", "llr"),
    [
        ("normalized", (0, 2), wdl(36433, 36027, 68692), approx(0.92, abs=0.015)),
        ("normalized", (-1.75, 0.25), wdl(10871, 10650, 20431), approx(2.30, abs=0.015)),
        ("normalized", (0, 10), wdl(4250, 0, 0), approx(120.56, abs=0.015)),
        ("logistic", (0.5, 2.5), wdl(21404, 21184, 40708), approx(-1.57, abs=0.015)),
        ("logistic", (0, 2), wdl(57433, 57030, 106593), approx(-2.59, abs=0.015)),
        ("normalized", (0, 2), penta(365, 16618, 36029, 200, 16974, 390), approx(2.25, 3e-3)),
        ("normalized", (-1.75, 0.25), penta(127, 4883, 10311, 401, 5150, 104), approx(3.01, 3e-3)),
        ("normalized", (0, 5), penta(0, 0, 0, 0, 0, 5550), approx(111.82, 3e-3)),
        ("logistic", (0.5, 2.5), penta(223, 9863, 20279, 1000, 10037, 246), approx(-3.07, 3e-3)),
        ("logistic", (0, 2), penta(871, 26175, 55003, 980, 26678, 821), approx(-4.98, 3e-3)),
    ],
)
def test_llr_agrees_with_fastchess(
    model: str, bounds: tuple[float, float], sample: Sample, llr: object
) -> None:
    assert sprt(model, *bounds).llr(sample) == llr


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "llr"), [(1477, 1351, 2942, 2.52), (555, 555, 298, -0.74)]
)
def test_llr_agrees_with_cutechess(wins: int, losses: int, draws: int, llr: float) -> None:
    """It estimates BayesElo's draw parameter; away from the edges both give the same LLR."""
    test = Sprt(elo0=0, elo1=10, alpha=0.01, beta=0.01, model=SprtModel.LOGISTIC)
    assert test.llr(wdl(wins, losses, draws)) == approx(llr, abs=0.01)
    assert test.bounds == approx((-4.6, 4.6), abs=0.01)


@pytest.mark.parametrize(
    "settings",
    [
        {"elo0": 5, "elo1": 5},
        {"elo0": 0, "elo1": 5, "alpha": 0.0},
        {"elo0": 0, "elo1": 5, "alpha": 0.5, "beta": 0.5},
        {"elo0": 0, "elo1": 5, "alpha": 1e-320},
        {"elo0": 0, "elo1": 5, "beta": math.nan},
        {"elo0": 0, "elo1": math.inf},
        {"elo0": -1e308, "elo1": 5},
        {"elo0": math.nan, "elo1": 5},
    ],
)
def test_sprt_invalid_parameters_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(SprtError):
        Sprt(**settings)  # type: ignore[arg-type]  # the point


def test_sprt_without_data_continues() -> None:
    assert sprt("logistic", 0, 5).llr(pair_sample((0, 0, 0))) == 0
    assert follow(sprt("normalized", 0, 5), []).decision is Decision.CONTINUE
    assert follow(sprt("normalized", 0, 5), []).llr == 0


def test_follower_first_decision_stands() -> None:
    test = sprt("normalized", 0, 100)
    state = follow(test, [2] * 40 + [0] * 400)
    assert state.decision is Decision.H1
    assert len(state.trace) < 40
    assert state.llr >= test.bounds[1]
    assert state == follow(test, [2] * 40)
    assert follow(test, [0] * 40).decision is Decision.H0


@given(st.lists(st.integers(0, 2), max_size=30), st.sampled_from(SprtModel))
def test_follow_trace_ends_at_the_sample_llr(pairs: list[int], model: SprtModel) -> None:
    test = Sprt(elo0=0, elo1=20, model=model)
    state = follow(test, pairs)
    seen = pairs[: len(state.trace)]
    counts = tuple(seen.count(wins) for wins in (0, 1, 2))
    assert state.llr == approx(test.llr(pair_sample(counts)))
    assert state.decision is not Decision.CONTINUE or len(seen) == len(pairs)


@pytest.mark.parametrize("model", SprtModel)
@pytest.mark.parametrize("counts", [(0, 0, 1), (1, 0, 0), (0, 10**9, 0), (7, 0, 10**9)])
def test_llr_widest_bounds_is_finite(model: SprtModel, counts: tuple[int, int, int]) -> None:
    assert math.isfinite(Sprt(elo0=-4000, elo1=4000, model=model).llr(pair_sample(counts)))


@pytest.mark.parametrize("elo1", [5, 50, 400])
@pytest.mark.parametrize("counts", [(0, 1, 0), (0, 2000, 0), (0, 2000, 1), (40, 2, 0), (0, 0, 40)])
def test_llr_one_sided_results_is_finite(counts: tuple[int, int, int], elo1: float) -> None:
    """If every pair is split, the strengths are equal, which supports H0."""
    llr = sprt("normalized", 0, elo1).llr(pair_sample(counts))
    assert abs(llr) < 2000
    assert counts[2] > 0 or llr < 0
