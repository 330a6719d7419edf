"""Time controls as text, what engines are told of them, and clocks."""

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
    ],
)
def test_notation(text: str, control: TimeControl, canonical: str) -> None:
    assert parse_clock(text) == control
    assert str(control) == canonical


@pytest.mark.parametrize(
    "text",
    ["", "5s", "move", "move=0", "0", "0+1", "lag=1", "60,60", "move=1,move=2", "-5", "60+", "nan"],
)
def test_what_is_no_clock(text: str) -> None:
    with pytest.raises(ClockError, match="clock"):
        parse_clock(text)


@given(CONTROLS)
def test_reading_back_is_the_identity(control: TimeControl) -> None:
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
    ],
)
def test_what_engines_are_told(
    text: str, gtp: str, kata: str, left: str | None, left_fine: str | None
) -> None:
    control = parse_clock(text)
    assert control.gtp_settings() == gtp
    assert control.kata_settings() == kata
    assert Clock(control).time_left(fractions=False) == left
    assert Clock(control).time_left(fractions=True) == left_fine


def test_no_limit_is_never_over() -> None:
    clock = Clock(NO_LIMIT)
    clock.start(5.0)
    assert (clock.is_running, clock.deadline, clock.remaining) == (True, None, None)
    assert clock.stop(1e9) == 1e9 - 5
    assert not clock.is_running


def test_main_time_is_used_up_and_each_turn_adds_the_increment() -> None:
    clock = Clock(parse_clock("10+2"))
    clock.start(100.0)
    assert clock.deadline == 110.0
    assert clock.stop(104.0) == 4.0
    assert clock.remaining == 8.0
    clock.start(200.0)
    assert clock.deadline == 208.0


def test_time_per_move_begins_anew() -> None:
    clock = Clock(parse_clock("move=5"))
    for start in (100.0, 200.0):
        clock.start(start)
        assert clock.deadline == start + 5
        clock.stop(start + 5)


def test_the_smaller_limit_is_the_deadline() -> None:
    clock = Clock(parse_clock("7,move=5"))
    clock.start(0.0)
    assert clock.deadline == 5.0
    clock.stop(4.0)
    clock.start(10.0)
    assert clock.deadline == 13.0


def test_the_lag_gift_is_not_charged_and_cannot_be_saved_up() -> None:
    clock = Clock(parse_clock("10,lag=0.5"))
    clock.start(0.0)
    assert clock.deadline == 10.5
    assert clock.stop(0.25) == 0.25
    assert clock.remaining == 10.0
    clock.start(1.0)
    assert clock.stop(3.0) == 2.0
    assert clock.remaining == 8.5


def test_a_clock_that_goes_backwards_takes_no_time() -> None:
    clock = Clock(parse_clock("10"))
    clock.start(5.0)
    assert clock.stop(4.0) == 0.0
    assert clock.remaining == 10.0


@given(CONTROLS, st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1)), max_size=20))
def test_turns_in_time_never_leave_less_than_nothing(
    control: TimeControl, turns: list[tuple[float, float]]
) -> None:
    clock = Clock(control)
    for now, share in turns:
        clock.start(now)
        end = now + share * ((clock.deadline if clock.deadline is not None else now) - now)
        clock.stop(end)
        assert clock.remaining is None or clock.remaining >= 0
