"""SPSA: its gains, its bounds, and that it finds the best of a noisy function."""

from __future__ import annotations

import math
import random

import pytest

from yoddd.referee.stats.spsa import Knob, Spsa, Values

WHOLE = Knob("whole", 10, 0, 400, 20, whole=True)
REAL = Knob("real", 0.9, 0, 1, 0.1, whole=False)


def spsa(pairs: int = 2000, rate: float = 0.05, seed: int = 1) -> Spsa:
    return Spsa(knobs=(WHOLE, REAL), pairs=pairs, rate=rate, seed=seed)


def noisy_result(sides: tuple[dict[str, str], dict[str, str]], rng: random.Random) -> int:
    """A pair of games whose better side is nearer to 200 and to 0.4."""
    up, down = (
        -((float(side["whole"]) / 200 - 1) ** 2) - 4 * (float(side["real"]) - 0.4) ** 2
        for side in sides
    )
    chance = 1 / (1 + math.exp(down - up))
    return sum(1 if rng.random() < chance else -1 for _ in range(2))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spsa_finds_the_best_values_of_a_noisy_function(seed: int) -> None:
    tuning, rng = spsa(seed=seed), random.Random(seed)
    values = tuning.start
    for pair in range(1, tuning.pairs + 1):
        values = tuning.move(values, pair, noisy_result(tuning.sides(values, pair), rng))
    assert 120 < values[0] < 280
    assert 0.2 < values[1] < 0.6


def test_spsa_gains_of_the_last_pair_are_the_rate_and_the_step() -> None:
    tuning = spsa(pairs=50)
    start: Values = (200.0, 0.5)
    moved = tuning.move(start, 50, 2)
    assert [abs(after - before) for before, after in zip(start, moved, strict=True)] == (
        pytest.approx([2 * 0.05 * 20, 2 * 0.05 * 0.1])
    )
    early = tuning.move(start, 1, 2)
    widening, decay = 50**0.101, (55 / 6) ** 0.602
    assert abs(early[0] - 200) == pytest.approx(2 * 0.05 * 20 * decay / widening)


def test_spsa_sides_are_mirror_images_within_the_bounds() -> None:
    tuning = spsa(pairs=50)
    up, down = tuning.sides((200.0, 0.5), 50)
    assert float(up["whole"]) + float(down["whole"]) == 400
    assert float(up["real"]) + float(down["real"]) == pytest.approx(1)
    for side in tuning.sides((0.0, 1.0), 1):
        assert 0 <= int(side["whole"]) <= 400
        assert 0 <= float(side["real"]) <= 1
    assert tuning.move((0.0, 1.0), 1, 0) == (0.0, 1.0)


def test_spsa_path_repeats_the_moves() -> None:
    tuning = spsa(pairs=3)
    once = tuning.move(tuning.start, 1, 2)
    assert list(tuning.path([2, 0])) == [tuning.start, once, once]
    assert list(tuning.path([])) == [tuning.start]


@pytest.mark.parametrize(
    ("value", "luck", "text"),
    [(10.0, 0.0, "10"), (10.3, 0.6, "10"), (10.3, 0.8, "11"), (400.0, 0.999, "400")],
)
def test_knob_spell_whole_numbers_are_drawn_by_luck(value: float, luck: float, text: str) -> None:
    assert WHOLE.spell(value, luck) == text


def test_knob_spell_small_number_has_no_exponent() -> None:
    assert REAL.spell(0.00002) == "0.00002"
