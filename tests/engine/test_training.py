"""Self-play, samples and the fit of the learned value."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.games import rules_id
from yoddd.engine.training import (
    KNOTS,
    Choice,
    Recipe,
    Table,
    best_fit,
    choices,
    fit,
    fit_policy,
    loss,
    play,
    table,
)
from yoddd.engine.weights import INPUTS
from yoddd.kernel import FEATURES, NativePosition, backend, sample
from yoddd.kernel.position import turn_of
from yoddd.rules import SWAP, Colour, Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

RECIPE = Recipe(make_rules("yodd", "hex3"), playouts=30)


def test_play_same_seed_gives_the_same_samples() -> None:
    assert play(RECIPE, "1") == play(RECIPE, "1")
    assert play(RECIPE, "1") != play(RECIPE, "2")


def test_play_samples_begin_empty_and_agree_on_the_winner() -> None:
    samples = play(RECIPE, "1").samples
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


def test_best_fit_takes_the_penalty_that_suits_what_it_does_not_see() -> None:
    """Of chance alone nothing can be learned, and the strongest penalty learns the least."""
    rng = np.random.default_rng(3)

    def noise(count: int) -> Table:
        inputs = rng.integers(-4, 5, (count, len(INPUTS))).astype(float)
        return Table(inputs, rng.random(count), rng.integers(0, 2, count).astype(float))

    fitted, tested = noise(300), noise(300)
    assert loss(best_fit(fitted, tested), tested) < loss(fit(fitted), tested)


def leads(one: tuple[int, ...]) -> list[int]:
    """The factors of a sample of `yoddd.kernel.sample`."""
    count = len(FEATURES)
    *_, player, pending = one
    blacks, whites = one[:count], one[count : 2 * count]
    differences = [black - white for black, white in zip(blacks, whites, strict=True)]
    return [*differences, player, player * pending]


@pytest.mark.parametrize(
    "rules",
    [make_rules(*named) for named in (("yodd", "hex3"), ("xodd", "square4"), ("odd", "hex2"))]
    + [make_rules("yoin", "hex3")],
    ids=rules_id,
)
def test_choices_are_the_half_turns_of_searches(rules: Rules) -> None:
    game = play(Recipe(rules, playouts=20), "5")
    position = NativePosition(rules)
    expected = []
    for is_searched, *moves in game.turns:
        turn = turn_of(rules, moves)
        after = position.copy()
        after.play(turn)
        reached = [sample(after)]
        if turn.stones and rules.two_stones and position.number > 1:
            reached.insert(0, sample(position, turn.stones[0]))
        sign = (1 if position.player is Colour.BLACK else -1) * (-1 if turn == SWAP else 1)
        expected += [[sign * lead for lead in leads(one)] for one in reached if is_searched]
        position.play(turn)
    assert [rows[move].tolist() for _, rows, move in choices(game, rules)] == expected


def test_fit_policy_finds_half_of_the_weights_that_made_the_choices() -> None:
    rng = np.random.default_rng(4)
    groups = INPUTS.index("groups")
    chosen: list[Choice] = []
    for _ in range(4000):
        rows = rng.integers(-2, 3, (12, len(INPUTS))).astype(np.float32)
        share = np.exp(-rows[:, groups])
        chosen.append((rng.random(), rows, rng.choice(12, p=share / share.sum())))
    weights = fit_policy(chosen)
    assert weights[:, groups] == pytest.approx(-0.5, abs=0.1)
    assert np.delete(weights, groups, axis=1) == pytest.approx(0, abs=0.1)
