"""The constants of the strongest engine's search that can be changed, and its learned value.

They are for experiments and for tuners: names, ranges and defaults change with the search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, runtime_checkable

import attrs

from yoddd.engine.weights import Weights, weights_for
from yoddd.kernel import TreeSettings
from yoddd.rules import Rules

DEFAULTS: Final = TreeSettings()


@attrs.frozen
class Constant:
    """A number of the search.

    Attributes:
        name: that of the field of `TreeSettings`.
        low: the least value.
        high: the greatest.
        step: a change whose effect on the strength can just be measured.
        help: one line about it.
    """

    name: str
    low: float
    high: float
    step: float
    help: str

    @property
    def is_whole(self) -> bool:
        """Whether the values are whole numbers."""
        return isinstance(getattr(DEFAULTS, self.name), int)


CONSTANTS: Final[Mapping[str, Constant]] = {
    constant.name: constant
    for constant in (
        Constant("expand_visits", 1, 1000, 2, "visits at which a leaf is expanded"),
        Constant("exploration", 0, 10, 0.05, "the constant of UCB1"),
        Constant("leaf_playouts", 0, 32, 2, "playouts of a leaf; 0 for the game's own number"),
        Constant("margin_weight", 0, 1, 0.1, "the part of the margin in a result"),
        Constant("prior_fade", 1, 100_000, 50, "visits after which the policy counts half"),
        Constant("prior_weight", 0, 1, 0.004, "what the policy adds to a promise, for each nat"),
        Constant("rave_bias", 0, 1, 0.0001, "how soon visits outweigh shared statistics"),
        Constant("rave_playouts", 0, 100_000, 50, "playouts from which on statistics are shared"),
        Constant(
            "value_fade",
            0,
            1_000_000,
            5000,
            "visits of a search in which the value counts half; 0 for the game's own number",
        ),
        Constant("value_share", 0, 1, 0.1, "the part of the learned value in a result"),
        Constant("widening", 0, 100, 1, "nats below the best that are searched first; 0 for all"),
        Constant("widening_rate", 0, 100, 0.3, "by how much that rises for each e-fold of visits"),
    )
}
"""Every constant by name."""


@attrs.frozen(kw_only=True)
class Tuning:
    """The constants and the learned value of a search.

    Attributes:
        tree: the constants; its weights, threads and memory are not used.
        learned: whether there is a learned value at all.
        weights: of the learned value of one game; other games, and all if it is None, use the
            weights that come with the program.
    """

    tree: TreeSettings = DEFAULTS
    learned: bool = True
    weights: Weights | None = None

    def with_constant(self, name: str, value: float) -> Tuning:
        """Return a copy with another value of a constant."""
        change: dict[str, Any] = {name: value}
        return attrs.evolve(self, tree=attrs.evolve(self.tree, **change))

    def settings(self, rules: Rules, *, threads: int, memory: int) -> TreeSettings:
        """The settings of a search under ``rules``."""
        return attrs.evolve(self.tree, weights=self.rows(rules), threads=threads, memory=memory)

    def rows(self, rules: Rules) -> tuple[float, ...]:
        """The weights of the learned value under ``rules``; empty without one."""
        if not self.learned:
            return ()
        if self.weights is not None and self.weights.game == rules.game.name:
            return self.weights.rows(rules.geometry.cells)
        return weights_for(rules)


UNTUNED: Final = Tuning()
"""The program as it is."""


@runtime_checkable
class Tunable(Protocol):
    """A searcher whose constants can be changed between two searches."""

    tuning: Tuning
