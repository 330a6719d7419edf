"""The seconds of a turn, and when searches have to end so that their answers come on time."""

from __future__ import annotations

import pytest

from tests.support.fakes import ManualClock
from yoddd.engine import Timekeeper, TimeLeft, TimeSettings, allot
from yoddd.engine.timing import REMEMBERED

TURN = 0.08  # seconds: of 100 ms, what the allotment gives to a search


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def keeper(clock: ManualClock) -> Timekeeper:
    return Timekeeper(clock)


def answer(keeper: Timekeeper, clock: ManualClock, seconds: float, closing: float) -> float:
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


def test_timer_without_limit_is_never_up(keeper: Timekeeper, clock: ManualClock) -> None:
    timer = keeper.start(None)
    clock.now += 1e6
    assert timer.begin() is None
    assert not timer.is_up()


def test_waiting_before_the_search_counts(keeper: Timekeeper, clock: ManualClock) -> None:
    timer = keeper.start(2.0)
    clock.now += 1.5
    assert timer.begin() == pytest.approx(0.5)
    late = keeper.start(2.0)
    clock.now += 2.5
    assert late.begin() == 0.0
    assert late.is_up()


def test_usual_answer_is_on_time(keeper: Timekeeper, clock: ManualClock) -> None:
    for closing in (0.002, 0.004, 0.003):
        answer(keeper, clock, TURN, closing)
    assert answer(keeper, clock, TURN, 0.003) == pytest.approx(0.077)


def test_several_late_answers_enlarge_the_reserve(keeper: Timekeeper, clock: ManualClock) -> None:
    for closing in (0.003, 0.003, 0.028, 0.003, 0.028):
        answer(keeper, clock, TURN, closing)
    assert keeper.closing(TURN) == pytest.approx(0.008)  # 20 ms are kept back by the allotment
    for _ in range(REMEMBERED):
        answer(keeper, clock, TURN, 0.003)
    assert keeper.closing(TURN) == pytest.approx(0.003)


def test_waiting_is_not_counted_as_closing(keeper: Timekeeper, clock: ManualClock) -> None:
    timer = keeper.start(TURN)
    clock.now += 5.0
    timer.begin()
    clock.now += 0.003
    timer.answered()
    assert keeper.closing(TURN) == pytest.approx(0.003)


def test_search_that_ends_by_itself_is_not_measured(keeper: Timekeeper, clock: ManualClock) -> None:
    timer = keeper.start(2.0)
    timer.begin()
    clock.now += 0.5
    timer.answered()
    assert keeper.closing(2.0) == 0.0


TURNS = (20, 50)


@pytest.mark.parametrize(
    ("settings", "left", "seconds"),
    [
        (TimeSettings(), None, None),
        (TimeSettings(100.0), None, 1.95),
        (TimeSettings(100.0), TimeLeft(40.0), 1.95),
        (TimeSettings(100.0, 1.0), TimeLeft(40.0), 2.95),
        (TimeSettings(100.0, 9.0), TimeLeft(1.0), 0.45),
        (TimeSettings(100.0, 1.0), TimeLeft(0.0), 0.01),
        (TimeSettings(0.2, 9.0), None, 0.08),
        (TimeSettings(0.0, 1.0), None, 0.95),
        (TimeSettings(0.0, 0.0, 30.0, 5), None, 5.95),
        (TimeSettings(1.0, 0.0, 30.0, 5), None, 5.95),
        (TimeSettings(60.0, 0.0, 30.0, 5), TimeLeft(10.0, 2), 4.95),
        (TimeSettings(), TimeLeft(40.0), 1.95),
        (TimeSettings(0.0), None, 0.01),
        (TimeSettings(0.0, 0.0, 0.1, 1), None, 0.08),
        (TimeSettings(0.0, 0.0, 0.03, 1), None, 0.01),
        (TimeSettings(0.0, 0.0, 0.01, 1), None, 0.01),
    ],
)
def test_a_turn_gets_its_share(
    settings: TimeSettings, left: TimeLeft | None, seconds: float | None
) -> None:
    assert allot(settings, left, TURNS) == (None if seconds is None else pytest.approx(seconds))


def test_the_shares_of_a_whole_game_fit_into_it() -> None:
    used = sum(allot(TimeSettings(60.0), None, (50 - n, 50)) or 0.0 for n in range(50))
    assert used <= 60.0


def test_an_increment_alone_leaves_room_for_delays() -> None:
    left = 1.0
    for _ in range(200):
        used = allot(TimeSettings(1.0, 0.05), TimeLeft(left), (1, 50)) or 0.0
        assert used <= left / 2
        left += 0.05 - used
    assert used == pytest.approx(0.05)


@pytest.mark.parametrize("turns", [1, 4, 20])
def test_what_is_left_is_never_overdrawn(turns: int) -> None:
    left = 10.0
    for n in range(200):
        left -= allot(TimeSettings(60.0), TimeLeft(left), (max(0, turns - n), 50)) or 0.0
    assert left > -200 * 0.01
