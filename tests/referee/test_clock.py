"""Time controls: notation, GTP settings, clocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd.referee import NO_LIMIT, Clock, ClockError, TimeControl, parse_clock

SECONDS = st.decimals("0.001", 9999, places=3).map(float)
CONTROLS = st.one_of(
    st.just(NO_LIMIT),
    st.builds(TimeControl, main=SECONDS, increment=SECONDS, move=SECONDS, lag=SECONDS),
    st.builds(TimeControl, main=SECONDS),
    st.builds(TimeControl, move=SECONDS, lag=SECONDS),
    st.builds(TimeControl, main=SECONDS, period=SECONDS, periods=st.integers(1, 99)),
)


@pytest.mark.parametrize(
    ("text", "control", "canonical"),
    [
        ("none", NO_LIMIT, "none"),
        (" None ", NO_LIMIT, "none"),
        ("60+1", TimeControl(60, 1), "60+1"),
        ("60", TimeControl(60), "60+0"),
        ("0.50+0.10", TimeControl(0.5, 0.1), "0.5+0.1"),
        ("move=5", TimeControl(move=5), "move=5"),
        ("MOVE=5,60+1", TimeControl(60, 1, 5), "60+1,move=5"),
        ("60,lag=0.25,move=5", TimeControl(60, 0, 5, 0.25), "60+0,move=5,lag=0.25"),
        ("byoyomi=30", TimeControl(0, period=30, periods=1), "0+0,byoyomi=1x30"),
        ("600,byoyomi=5x30", TimeControl(600, period=30, periods=5), "600+0,byoyomi=5x30"),
    ],
)
def test_parse_clock_valid_text_is_read_and_spelled(
    text: str, control: TimeControl, canonical: str
) -> None:
    assert parse_clock(text) == control
    assert str(control) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "60+1,byoyomi=3x5",
        "40/60,byoyomi=5",
        "byoyomi=0x5",
        "byoyomi=3x0",
        "",
        "5s",
        "move",
        "move=0",
        "0",
        "0+1",
        "lag=1",
        "60,60",
        "move=1,move=2",
        "-5",
        "60+",
        "nan",
    ],
)
def test_parse_clock_invalid_text_is_refused(text: str) -> None:
    with pytest.raises(ClockError, match="clock"):
        parse_clock(text)


@given(CONTROLS)
def test_parse_clock_spelled_control_is_read_back(control: TimeControl) -> None:
    assert parse_clock(str(control)) == control


@pytest.mark.parametrize(
    ("text", "gtp", "kata", "left", "left_fine"),
    [
        ("none", "0 1 0", "none", None, None),
        ("60.5+1", "60 0 0", "fischer 60.5 1", "60 0", "60.5 0"),
        ("60", "60 0 0", "absolute 60", "60 0", "60 0"),
        ("move=2.5", "0 2 1", "byoyomi 0 2.5 1", "2 1", "2.5 1"),
        ("60+1,move=5", "60 0 0", "fischer 60 1", "5 1", "5 1"),
        ("3+1,move=5", "3 0 0", "fischer 3 1", "3 0", "3 0"),
        ("60,byoyomi=3x5", "60 5 1", "byoyomi 60 5 3", "60 0", "60 0"),
        ("byoyomi=3x5.5", "0 5 1", "byoyomi 0 5.5 3", "5 1", "5.5 1"),
    ],
)
def test_time_control_settings_follow_the_protocol(
    text: str, gtp: str, kata: str, left: str | None, left_fine: str | None
) -> None:
    control = parse_clock(text)
    assert control.gtp_settings() == gtp
    assert control.kata_settings() == kata
    assert Clock(control).time_left(fractions=False) == left
    assert Clock(control).time_left(fractions=True) == left_fine


def test_clock_without_limit_has_no_deadline() -> None:
    clock = Clock(NO_LIMIT)
    clock.start(5.0)
    assert (clock.is_running, clock.deadline, clock.remaining) == (True, None, None)
    assert clock.stop(1e9) == 1e9 - 5
    assert not clock.is_running


def test_clock_main_time_is_charged_and_incremented() -> None:
    clock = Clock(parse_clock("10+2"))
    clock.start(100.0)
    assert clock.deadline == 110.0
    assert clock.stop(104.0) == 4.0
    assert clock.remaining == 8.0
    clock.start(200.0)
    assert clock.deadline == 208.0


def test_clock_time_per_move_is_full_each_turn() -> None:
    clock = Clock(parse_clock("move=5"))
    for start in (100.0, 200.0):
        clock.start(start)
        assert clock.deadline == start + 5
        clock.stop(start + 5)


def test_clock_two_limits_smaller_one_is_the_deadline() -> None:
    clock = Clock(parse_clock("7,move=5"))
    clock.start(0.0)
    assert clock.deadline == 5.0
    clock.stop(4.0)
    clock.start(10.0)
    assert clock.deadline == 13.0


def test_clock_lag_is_not_charged_nor_saved() -> None:
    clock = Clock(parse_clock("10,lag=0.5"))
    clock.start(0.0)
    assert clock.deadline == 10.5
    assert clock.stop(0.25) == 0.25
    assert clock.remaining == 10.0
    clock.start(1.0)
    assert clock.stop(3.0) == 2.0
    assert clock.remaining == 8.5


def test_clock_time_going_backwards_charges_nothing() -> None:
    clock = Clock(parse_clock("10"))
    clock.start(5.0)
    assert clock.stop(4.0) == 0.0
    assert clock.remaining == 10.0


@given(CONTROLS, st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1)), max_size=20))
def test_clock_turns_in_time_leave_no_negative_time(
    control: TimeControl, turns: list[tuple[float, float]]
) -> None:
    clock = Clock(control)
    for now, share in turns:
        clock.start(now)
        end = now + share * ((clock.deadline if clock.deadline is not None else now) - now)
        clock.stop(end)
        assert clock.remaining is None or clock.remaining >= 0


@pytest.mark.parametrize(
    ("seconds", "remaining", "periods", "deadline"),
    [
        ((4.0,), 6.0, 3, 21.0),
        ((10.0,), 0.0, 3, 15.0),
        ((12.0, 5.0), 0.0, 3, 15.0),  # a turn within its period costs nothing
        ((15.1,), 0.0, 2, 10.0),
        ((10.0, 14.9), 0.0, 1, 5.0),
    ],
)
def test_clock_under_byo_yomi_uses_up_whole_periods(
    seconds: tuple[float, ...], remaining: float, periods: int, deadline: float
) -> None:
    clock = Clock(parse_clock("10,byoyomi=3x5"))
    for taken in seconds:
        clock.start(100.0)
        assert clock.elapsed(100.0 + taken) == pytest.approx(taken)
        clock.stop(100.0 + taken)
    clock.start(0.0)
    assert (clock.remaining, clock.periods, clock.deadline) == (remaining, periods, deadline)
