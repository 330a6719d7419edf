"""Self-play, samples and the fit of the learned value."""

from __future__ import annotations

import numpy as np
import pytest

from yoddd.engine.training import KNOTS, Recipe, Table, fit, loss, play, table
from yoddd.engine.weights import INPUTS
from yoddd.kernel import FEATURES, backend
from yoddd.rules import make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

RECIPE = Recipe(make_rules("yodd", "hex3"), playouts=30)


def test_play_same_seed_gives_the_same_samples() -> None:
    assert play(RECIPE, "1") == play(RECIPE, "1")
    assert play(RECIPE, "1") != play(RECIPE, "2")


def test_play_samples_begin_empty_and_agree_on_the_winner() -> None:
    samples = play(RECIPE, "1")
    assert samples[0][:-1] == (*[0] * (2 * len(FEATURES)), 19, 1, 0)
    assert len({won for *_, won in samples}) == 1
    assert any(pending for *_, pending, _ in samples)


def test_table_inputs_are_differences_signed_by_player() -> None:
    mine, theirs = range(1, 10), range(0, 18, 2)
    found = table([(*mine, *theirs, 10, -1, 1, 1)], 40)
    expected = [a - b for a, b in zip(mine, theirs, strict=True)]
    assert found.inputs.tolist() == [[*expected, -1, -1]]
    assert found.phase.tolist() == [0.25]
    assert found.won.tolist() == [1]


def synthetic(count: int, seed: int) -> Table:
    """Positions in which a group costs one in the logit, whatever the phase."""
    rng = np.random.default_rng(seed)
    inputs = rng.integers(-4, 5, (count, len(INPUTS))).astype(float)
    chance = 1 / (1 + np.exp(inputs[:, INPUTS.index("groups")]))
    return Table(inputs, rng.random(count), (rng.random(count) < chance).astype(float))


def test_fit_finds_the_weights_that_made_the_results() -> None:
    weights = fit(synthetic(20_000, 1))
    assert weights.shape == (KNOTS, len(INPUTS))
    groups = INPUTS.index("groups")
    assert weights[:, groups] == pytest.approx(-1, abs=0.15)
    assert np.delete(weights, groups, axis=1) == pytest.approx(0, abs=0.15)
    fresh = synthetic(5_000, 2)
    assert loss(weights, fresh) < 0.45 < loss(np.zeros_like(weights), fresh)
