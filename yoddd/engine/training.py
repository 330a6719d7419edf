"""Learning a value from self-play: games, samples and the fit. Needs NumPy (extra ``train``)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from yoddd.engine.uniform import random_turn
from yoddd.engine.weights import INPUTS
from yoddd.kernel import FEATURES, NativePosition, TreeSettings, best_turn, sample
from yoddd.rules import Colour, Rules, Turn

Floats = NDArray[np.float64]

KNOTS: Final = 7
HELD_OUT: Final = 5
"""Every so many-th game is kept for the test."""

_OPENINGS: Final = (1, 2, 2, 3, 4, 6, 8)
"""Random turns at the beginning of a game, one of these numbers."""

_DEVIATION: Final = 0.04
"""The probability of a random turn later, so that unusual positions are among the samples."""

_MEMORY: Final = 64 << 20
_PENALTY: Final = 1.0
_STEPS: Final = 25
_ENOUGH: Final = 1e-6
_SEEDS: Final = 1 << 32


@attrs.frozen
class Recipe:
    """The settings of a game of self-play; only its seed is missing.

    Attributes:
        rules: the game, the board and the options.
        playouts: of each search.
        weights: of the learned value, for this board; empty without it.
    """

    rules: Rules
    playouts: int
    weights: tuple[float, ...] = ()


Sample = tuple[int, ...]
"""The features of Black, then of White; empty cells; 1 if Black is to move, else -1; 1 in the
middle of a turn, else 0; 1 if Black has won, else 0."""


def play(recipe: Recipe, seed: str) -> list[Sample]:
    """One game of self-play; a sample of each position, and of one in the middle of each turn."""
    rng = random.Random(seed)
    position = NativePosition(recipe.rules)
    settings = TreeSettings(memory=_MEMORY, weights=recipe.weights)
    opening = rng.choice(_OPENINGS)
    samples: list[Sample] = []
    while not position.is_over:
        turn = _turn(position, recipe, settings, rng, opening)
        samples += [sample(position), *_in_the_middle(position, turn, rng)]
        position.play(turn)
    outcome = position.outcome()
    won = outcome is not None and outcome.winner is Colour.BLACK
    return [(*one, int(won)) for one in samples]


def _turn(
    position: NativePosition,
    recipe: Recipe,
    settings: TreeSettings,
    rng: random.Random,
    opening: int,
) -> Turn:
    seed = rng.randrange(_SEEDS)
    if position.number <= opening or rng.random() < _DEVIATION:
        return random_turn(position, rng)
    return best_turn(position, settings, playouts=recipe.playouts, seed=seed)


def _in_the_middle(position: NativePosition, turn: Turn, rng: random.Random) -> list[Sample]:
    """The sample after one of two stones."""
    if len(turn.stones) < 2:
        return []
    return [sample(position, rng.choice(turn.stones))]


@attrs.frozen
class Table:
    """Samples as arrays, a row each.

    Attributes:
        inputs: the factors of the weights, in the order of `INPUTS`.
        phase: the share of empty cells.
        won: 1 where Black has won, else 0.
    """

    inputs: Floats
    phase: Floats
    won: Floats


def table(samples: Sequence[Sample], cells: int) -> Table:
    """The samples of one board."""
    rows = np.array(samples, dtype=np.float64)
    count = len(FEATURES)
    difference = rows[:, :count] - rows[:, count : 2 * count]
    empty, player, pending, won = rows[:, 2 * count :].T
    inputs = np.column_stack([difference, player, player * pending])
    return Table(inputs, empty / cells, won)


def join(tables: Sequence[Table]) -> Table:
    """The samples of several boards."""
    return Table(
        np.concatenate([one.inputs for one in tables]),
        np.concatenate([one.phase for one in tables]),
        np.concatenate([one.won for one in tables]),
    )


def _design(samples: Table) -> Floats:
    """A column for each factor at each knot, by how near the phase is to it."""
    place = samples.phase * (KNOTS - 1)
    near = np.maximum(0, 1 - np.abs(place[:, None] - np.arange(KNOTS)))
    columns: Floats = samples.inputs[:, :, None] * near[:, None, :]
    return columns.reshape(len(place), -1)


def fit(samples: Table) -> Floats:
    """The weights, a row for each knot.

    Logistic regression with a quadratic penalty, by Newton's method (iteratively reweighted least
    squares; Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4.1).
    """
    columns = _design(samples)
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        expected = _logistic(columns @ weights)
        gradient = columns.T @ (expected - samples.won) + _PENALTY * weights
        curvature = columns.T @ (columns * (expected * (1 - expected))[:, None])
        step = np.linalg.solve(curvature + _PENALTY * np.eye(len(weights)), gradient)
        weights -= step
        if np.abs(step).max() < _ENOUGH:
            break
    return weights.reshape(len(INPUTS), KNOTS).T


def loss(weights: Floats, samples: Table) -> float:
    """The mean log loss of the value in nats; 0.693 is that of a coin."""
    expected = _logistic(_design(samples) @ weights.T.ravel()).clip(1e-9, 1 - 1e-9)
    likely = np.where(samples.won == 1, expected, 1 - expected)
    return float(-np.log(likely).mean())


def _logistic(logits: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-logits.clip(-30, 30)))
    return found
