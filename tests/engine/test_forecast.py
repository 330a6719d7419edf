"""Forecasts of the visits of a search."""

from __future__ import annotations

import pytest

from yoddd.engine import Budget
from yoddd.engine.forecast import FIRST_SPEED, GOES_ON, MOST, Forecast
from yoddd.engine.searcher import WITHOUT_END
from yoddd.rules import make_rules

RULES = make_rules("yodd", "hex3")
CELLS = RULES.geometry.cells


@pytest.mark.parametrize(
    ("budget", "visits"),
    [
        (Budget(playouts=300), 300),
        (Budget(visits=200), 200),
        (Budget(playouts=10**9), MOST),
        (Budget(seconds=1e9), MOST),
        (Budget(playouts=300, seconds=0), 0),
        (Budget(seconds=-1), 0),
        (Budget(visits=200, resume=True), GOES_ON),
        (Budget(resume=True), GOES_ON),
        (Budget(seconds=0.001, threads=2), int(FIRST_SPEED * 0.002 / CELLS)),
    ],
)
def test_limit_that_comes_first_counts(budget: Budget, visits: int) -> None:
    assert Forecast().visits(RULES, budget, budget.playouts_or(WITHOUT_END)) == visits


def test_speed_is_that_of_the_last_search_by_time() -> None:
    forecast = Forecast()
    by_time = Budget(seconds=0.5, threads=2)
    forecast.learn(RULES, by_time, 1000, 0.25)
    forecast.learn(RULES, Budget(playouts=10), 10, 0.25)
    assert forecast.visits(RULES, by_time, WITHOUT_END) == 2000
    assert forecast.visits(RULES, Budget(seconds=0.5), WITHOUT_END) == 1000
    larger = make_rules("yodd", "hex5")
    assert forecast.visits(larger, by_time, WITHOUT_END) == 2000 * CELLS // larger.geometry.cells


def test_search_of_no_playouts_says_nothing_of_the_speed() -> None:
    forecast = Forecast()
    before = forecast.visits(RULES, Budget(seconds=0.001), WITHOUT_END)
    forecast.learn(RULES, Budget(seconds=0.001), 1, 0.5)
    assert forecast.visits(RULES, Budget(seconds=0.001), WITHOUT_END) == before
