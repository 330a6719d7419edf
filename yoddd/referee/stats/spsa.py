"""Tuning by SPSA: simultaneous perturbation stochastic approximation.

The gains are those of fishtest, which tunes Stockfish: with c and r the step and the rate of the
last pair, N pairs, alpha = 0.602, gamma = 0.101 and A = N / 10, pair k perturbs each value by
c_k = c (N / k)^gamma in a random direction and moves it by r_k c_k times the result, where
r_k = a_k / c_k² and a_k = r c² ((A + N) / (A + k))^alpha. The exponents are those of J. C. Spall,
"Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE
Trans. Aerospace and Electronic Systems 34 (1998).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from yoddd.referee.seeds import derive_seed

ALPHA: Final = 0.602
GAMMA: Final = 0.101
_WARM_UP: Final = 0.1
"""A as a part of all pairs."""

Values = tuple[float, ...]
"""One value for each knob, in their order."""


@attrs.frozen
class Knob:
    """A parameter that is tuned.

    Attributes:
        name: as `set_param` takes it.
        start: the value that the tuning begins with.
        low: the least value.
        high: the greatest.
        step: how far the last pair perturbs the value.
        whole: whether it takes whole numbers only.
    """

    name: str
    start: float
    low: float
    high: float
    step: float
    whole: bool

    def clip(self, value: float) -> float:
        """The nearest value that is allowed."""
        return min(self.high, max(self.low, value))

    def spell(self, value: float, luck: float = 0.5) -> str:
        """A value as the engine takes it.

        Args:
            value: within the bounds.
            luck: from 0 to 1; a whole number is drawn so that its mean is ``value``.
        """
        if self.whole:
            return str(int(min(self.high // 1, (value + luck) // 1)))
        return f"{value:.9f}".rstrip("0").rstrip(".")


@attrs.frozen(kw_only=True)
class Spsa:
    """A tuning: the same results of the same pairs give the same values.

    Attributes:
        knobs: the parameters.
        pairs: the number of pairs of games.
        rate: how much of its perturbation a value moves for a game won, in the last pair.
        seed: of the directions.
    """

    knobs: tuple[Knob, ...]
    pairs: int
    rate: float
    seed: int

    @property
    def start(self) -> Values:
        """The values before the first pair."""
        return tuple(knob.start for knob in self.knobs)

    def sides(self, values: Values, pair: int) -> tuple[dict[str, str], dict[str, str]]:
        """The parameters of the two sides of a pair, which are counted from 1."""
        luck = random.Random(derive_seed(self.seed, pair, 1))
        up, down = (
            {
                knob.name: knob.spell(knob.clip(value + sign * change), luck.random())
                for knob, value, change in zip(self.knobs, values, self._changes(pair), strict=True)
            }
            for sign in (1, -1)
        )
        return up, down

    def move(self, values: Values, pair: int, result: int) -> Values:
        """The values after a pair whose first side has won ``result`` games more than it lost."""
        gain = self._rate(pair) * result
        return tuple(
            knob.clip(value + gain * change)
            for knob, value, change in zip(self.knobs, values, self._changes(pair), strict=True)
        )

    def path(self, results: Sequence[int]) -> Iterator[Values]:
        """The values before the first pair and after each."""
        values = self.start
        yield values
        for pair, result in enumerate(results, start=1):
            values = self.move(values, pair, result)
            yield values

    def _changes(self, pair: int) -> Values:
        """The perturbations of the first side; the second side has the opposite ones."""
        rng = random.Random(derive_seed(self.seed, pair, 0))
        widening = math.pow(self.pairs / pair, GAMMA)
        return tuple(rng.choice((1, -1)) * knob.step * widening for knob in self.knobs)

    def _rate(self, pair: int) -> float:
        delay = _WARM_UP * self.pairs
        decay = math.pow((delay + self.pairs) / (delay + pair), ALPHA)
        return self.rate * decay * math.pow(pair / self.pairs, 2 * GAMMA)
