"""Weights of the learned value: their file format, and those that come with the program.

The learned value is the probability that Black wins, by logistic regression on the features of
both colours (`yoddd.kernel.FEATURES`). Weights depend on the phase, the share of cells that are
empty: they are given at equally spaced knots from the full board to the empty one, and linear
between them, so that one file serves all boards of a game.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

import attrs

from yoddd.kernel import FEATURES
from yoddd.rules import Rules

FORMAT: Final = 2
"""Version 1 had no policy."""

INPUTS: Final = (*FEATURES, "player", "pending")
"""The factors of the weights: of each feature Black's less White's; 1 if Black is to move, -1 if
White is; the same again in the middle of a turn."""

_FEWEST: Final = 2


class WeightsError(ValueError):
    """Weights that cannot be read or do not fit."""


@attrs.frozen(kw_only=True)
class Weights:
    """A learned value of one game.

    Attributes:
        format: the version of the file format.
        game: the game's name.
        inputs: names of the factors, equal to `INPUTS`.
        knots: for each phase from 0 to 1 a weight for each factor.
        policy: the same for the factors of what a half turn leads to, whose weighted sum is the
            logarithm of its probability, but for a constant; empty where the policy follows from
            the value.
        provenance: how the weights were made: program, command, games and date.
        sha256: the digest of game, inputs and knots.
    """

    format: int = FORMAT
    game: str
    inputs: tuple[str, ...] = INPUTS
    knots: tuple[tuple[float, ...], ...]
    policy: tuple[tuple[float, ...], ...] = ()
    provenance: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    sha256: str = ""

    @property
    def whole(self) -> tuple[tuple[float, ...], ...]:
        """The weights of the value and then those of the policy, a row for each knot."""
        if not self.policy:
            return self.knots
        return tuple(value + policy for value, policy in zip(self.knots, self.policy, strict=True))

    def rows(self, cells: int) -> tuple[float, ...]:
        """`yoddd.kernel.TreeSettings.weights` for a board.

        Args:
            cells: of the board.
        """
        found: list[float] = []
        knots = self.whole
        for empty in range(cells + 1):
            place = empty / cells * (len(knots) - 1)
            low = min(int(place), len(knots) - 2)
            part = place - low
            pairs = zip(knots[low], knots[low + 1], strict=True)
            found += [(1 - part) * below + part * above for below, above in pairs]
        return tuple(found)

    def digest(self) -> str:
        """The digest of everything that the learned value depends on."""
        content = [self.game, self.inputs, self.knots, *([self.policy] if self.policy else [])]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def format_weights(weights: Weights) -> str:
    """The text of a file, with a line for each row of weights."""
    whole = attrs.evolve(weights, sha256=weights.digest())
    text = json.dumps(attrs.asdict(whole), indent=1)
    return re.sub(r"\[[^][]*\]", lambda row: " ".join(row[0].split()), text) + "\n"


def _knots(content: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, knot)) for knot in content)


def _read(content: Any) -> Weights:
    return Weights(
        format=int(content["format"]),
        game=str(content["game"]),
        inputs=tuple(map(str, content["inputs"])),
        knots=_knots(content["knots"]),
        policy=_knots(content.get("policy", ())),
        provenance={str(key): str(value) for key, value in dict(content["provenance"]).items()},
        sha256=str(content["sha256"]),
    )


def parse_weights(text: str) -> Weights:
    """Read a file.

    Raises:
        WeightsError: it is no such file, or one that is damaged or of another version.
    """
    try:
        weights = _read(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise WeightsError(f"no weights: {error}") from None
    if weights.format not in range(1, FORMAT + 1) or weights.inputs != INPUTS:
        raise WeightsError("weights of another version")
    if weights.sha256 != weights.digest():
        raise WeightsError("the weights are damaged: their digest differs")
    widths = {len(knot) for knot in (*weights.knots, *weights.policy)}
    if len(weights.knots) < _FEWEST or widths != {len(INPUTS)}:
        raise WeightsError(f"expected {_FEWEST} knots or more of {len(INPUTS)} weights")
    if len(weights.policy) not in (0, len(weights.knots)):
        raise WeightsError("expected a policy of as many knots")
    return weights


@functools.cache
def shipped(game: str) -> Weights | None:
    """The weights that come with the program; None for a game that has none."""
    file = files("yoddd.engine").joinpath("data", f"{game}.json")
    return parse_weights(file.read_text(encoding="utf-8")) if file.is_file() else None


def weights_for(rules: Rules) -> tuple[float, ...]:
    """The weights that come with the program, for one board; empty where there are none.

    There are none for ``own_colour=on``, under which the stones are worth other things.
    """
    is_usual = rules.facts.colour == rules.game.facts.colour
    return _rows(rules.game.name, rules.geometry.cells) if is_usual else ()


@functools.cache
def _rows(game: str, cells: int) -> tuple[float, ...]:
    weights = shipped(game)
    return () if weights is None else weights.rows(cells)
