"""Learning a value from self-play: games, samples and the fit. Needs NumPy (extra ``train``)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from yoddd.engine.uniform import random_turn
from yoddd.engine.weights import INPUTS
from yoddd.kernel import FEATURES, NativePosition, TreeSettings, best_turn, factors_after, sample
from yoddd.kernel.position import moves_of, turn_of
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
_PENALTIES: Final = (1.0, 30.0, 1000.0)
"""Of the weights' squares: positions of one game have one result, so that few games say little."""

_STEPS: Final = 25
_ENOUGH: Final = 1e-6
_CLOSE: Final = 1e-3
_POLICY_PENALTY: Final = 10.0
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

Choice = tuple[float, NDArray[np.float32], int]
"""The phase; the factors of what each half turn leads to, for the player, a row for each half turn;
and which of them was chosen."""


@attrs.frozen
class Game:
    """A game of self-play.

    Attributes:
        samples: of each position, and of one in the middle of each turn.
        turns: the half turns of each turn, as the kernel numbers them, after 1 if the turn was
            searched and 0 if it was drawn.
    """

    samples: list[Sample]
    turns: list[list[int]]


def play(recipe: Recipe, seed: str) -> Game:
    """Play one game."""
    rng = random.Random(seed)
    position = NativePosition(recipe.rules)
    settings = TreeSettings(memory=_MEMORY, weights=recipe.weights)
    opening = rng.choice(_OPENINGS)
    samples: list[Sample] = []
    turns: list[list[int]] = []
    while not position.is_over:
        is_drawn = position.number <= opening or rng.random() < _DEVIATION
        turn = _turn(position, recipe, settings, rng, is_drawn=is_drawn)
        samples += [sample(position), *_in_the_middle(position, turn, rng)]
        turns.append([int(not is_drawn), *moves_of(recipe.rules, turn)])
        position.play(turn)
    outcome = position.outcome()
    won = outcome is not None and outcome.winner is Colour.BLACK
    return Game([(*one, int(won)) for one in samples], turns)


def _turn(
    position: NativePosition,
    recipe: Recipe,
    settings: TreeSettings,
    rng: random.Random,
    *,
    is_drawn: bool,
) -> Turn:
    seed = rng.randrange(_SEEDS)
    if is_drawn:
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


def _near(phase: Floats) -> Floats:
    """The nearness of each phase to each knot, 0 to 1, a row for each phase."""
    near: Floats = np.maximum(0, 1 - np.abs(phase[:, None] * (KNOTS - 1) - np.arange(KNOTS)))
    return near


def _design(samples: Table) -> Floats:
    """A column for each factor at each knot, by how near the phase is to it."""
    columns: Floats = samples.inputs[:, :, None] * _near(samples.phase)[:, None, :]
    return columns.reshape(len(samples.phase), -1)


def best_fit(samples: Table, tested: Table) -> Floats:
    """The weights of the penalty that is best on samples which the fits do not see."""
    return min((fit(samples, one) for one in _PENALTIES), key=lambda knots: loss(knots, tested))


def fit(samples: Table, penalty: float = 1.0) -> Floats:
    """The weights, a row for each knot.

    Logistic regression with a quadratic penalty, by Newton's method (iteratively reweighted least
    squares; Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4.1).
    """
    columns = _design(samples)
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        expected = _logistic(columns @ weights)
        gradient = columns.T @ (expected - samples.won) + penalty * weights
        curvature = columns.T @ (columns * (expected * (1 - expected))[:, None])
        step = np.linalg.solve(curvature + penalty * np.eye(len(weights)), gradient)
        weights -= step
        if np.abs(step).max() < _ENOUGH:
            break
    return weights.reshape(len(INPUTS), KNOTS).T


def choices(game: Game, rules: Rules) -> Iterator[Choice]:
    """The half turns that searches chose in a game."""
    position = NativePosition(rules)
    cells = rules.geometry.cells
    for is_searched, *moves in game.turns:
        turn = turn_of(rules, moves)
        firsts = (None, *turn.stones[: rules.two_stones])
        for first, move in zip(firsts, [*moves, 2 * cells], strict=False):
            after = factors_after(position, first) if is_searched else {}
            # Turn 1 may have ended with its one stone.
            if move in after:
                factors = np.array(list(after.values()), dtype=np.float32)
                sign = np.where(np.array(list(after)) == 2 * cells + 2, -1, 1)  # a swap
                empty = position.cells.count(None) - (first is not None)
                signed = (factors.T * sign).T * (1 if position.player is Colour.BLACK else -1)
                yield empty / cells, signed, list(after).index(move)
        position.play(turn)


def fit_policy(chosen: Sequence[Choice]) -> Floats:
    """The weights of the policy that makes the choices likely, a row for each knot.

    A conditional logit model (McFadden 1974) with a quadratic penalty, by Newton's method. Half of
    its weights, because a choice is the most visited half turn: others deserve visits as well.
    """
    near = _near(np.array([phase for phase, _, _ in chosen]))
    best = weights = np.zeros((KNOTS, len(INPUTS)))
    most, step = -np.inf, weights
    for _ in range(_STEPS):
        likely = -_POLICY_PENALTY / 2 * (weights**2).sum()
        gradient = -_POLICY_PENALTY * weights
        curvature = _POLICY_PENALTY * np.eye(weights.size)
        for at, (_, factors, move) in zip(near, chosen, strict=True):
            logs = factors @ (at @ weights)
            logs -= logs.max()
            share = np.exp(logs)
            likely += logs[move] - np.log(share.sum())
            share /= share.sum()
            mean = share @ factors
            gradient += np.outer(at, factors[move] - mean)
            spread = factors - mean
            curvature += np.kron(np.outer(at, at), spread.T @ (spread * share[:, None]))
        if likely < most:
            step = step / 2
        else:
            most, best = likely, weights
            found = np.linalg.solve(curvature, gradient.ravel())
            step = found.reshape(weights.shape).astype(np.float64)
            if np.abs(step).max() < _CLOSE:
                break
        weights = best + step
    return best / 2


def loss(weights: Floats, samples: Table) -> float:
    """The mean log loss of the value in nats; 0.693 is that of a coin."""
    expected = _logistic(_design(samples) @ weights.T.ravel()).clip(1e-9, 1 - 1e-9)
    likely = np.where(samples.won == 1, expected, 1 - expected)
    return float(-np.log(likely).mean())


def _logistic(logits: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-logits.clip(-30, 30)))
    return found
