"""When searches have to end so that their answers come on time."""

from __future__ import annotations

import pytest

from yoddd.engine import Timekeeper
from yoddd.engine.timekeeper import REMEMBERED

TURN = 0.08  # seconds: of 100 ms, what the allotment gives to a search


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keeper(clock: Clock) -> Timekeeper:
    return Timekeeper(clock)


def answer(keeper: Timekeeper, clock: Clock, seconds: float, closing: float) -> float:
    """A search that time ends and whose answer comes ``closing`` later; when it ended."""
    asked = clock.now
    timer = keeper.start(seconds)
    left = timer.begin()
    assert left is not None
    assert not timer.is_up()
    clock.now += left
    assert timer.is_up()
    ended = clock.now - asked
    clock.now += closing
    timer.answered()
    return ended


def test_search_without_measurements_gets_all_the_time(keeper: Timekeeper) -> None:
    assert keeper.start(2.0).begin() == pytest.approx(2.0)


def test_timer_without_limit_is_never_up(keeper: Timekeeper, clock: Clock) -> None:
    timer = keeper.start(None)
    clock.now += 1e6
    assert timer.begin() is None
    assert not timer.is_up()


def test_waiting_before_the_search_counts(keeper: Timekeeper, clock: Clock) -> None:
    timer = keeper.start(2.0)
    clock.now += 1.5
    assert timer.begin() == pytest.approx(0.5)
    late = keeper.start(2.0)
    clock.now += 2.5
    assert late.begin() == 0.0
    assert late.is_up()


def test_usual_answer_is_on_time(keeper: Timekeeper, clock: Clock) -> None:
    for closing in (0.002, 0.004, 0.003):
        answer(keeper, clock, TURN, closing)
    assert answer(keeper, clock, TURN, 0.003) == pytest.approx(0.077)


def test_several_late_answers_enlarge_the_reserve(keeper: Timekeeper, clock: Clock) -> None:
    for closing in (0.003, 0.003, 0.028, 0.003, 0.028):
        answer(keeper, clock, TURN, closing)
    assert keeper.closing(TURN) == pytest.approx(0.008)  # 20 ms are kept back by the allotment
    for _ in range(REMEMBERED):
        answer(keeper, clock, TURN, 0.003)
    assert keeper.closing(TURN) == pytest.approx(0.003)


def test_waiting_is_not_counted_as_closing(keeper: Timekeeper, clock: Clock) -> None:
    timer = keeper.start(TURN)
    clock.now += 5.0
    timer.begin()
    clock.now += 0.003
    timer.answered()
    assert keeper.closing(TURN) == pytest.approx(0.003)


def test_search_that_ends_by_itself_is_not_measured(keeper: Timekeeper, clock: Clock) -> None:
    timer = keeper.start(2.0)
    timer.begin()
    clock.now += 0.5
    timer.answered()
    assert keeper.closing(2.0) == 0.0
