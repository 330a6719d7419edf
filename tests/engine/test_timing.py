"""Time management: the seconds of a turn."""

from __future__ import annotations

import pytest

from yoddd.engine import TimeLeft, TimeSettings, allot

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
