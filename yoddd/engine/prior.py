"""The policy at a position: how likely each turn is before any search."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

import attrs

from yoddd.engine.searcher import Searcher
from yoddd.engine.tuning import Tunable
from yoddd.kernel import policy
from yoddd.rules import PositionLike, Stone, Turn, TurnKind

ILLEGAL: Final = -1.0
"""The entry of `Prior.policy` for a half turn that is not legal."""


@attrs.define(eq=False)
class Prior:
    """The probabilities of the half turns and of the turns of one position.

    A turn of two stones is drawn stone by stone: the first from all stones with which some legal
    turn can be made, the second from all that complete it. Since either of its stones may have
    been drawn first, its probability is the sum over both orders, so that those of all legal turns
    sum to 1, and positions that are mirrored have the same ones.
    """

    # Between turns; not to be changed while this is used.
    _position: PositionLike
    # Of the learned value, as in `yoddd.kernel.TreeSettings`; without them every half turn is as
    # likely as any other.
    _weights: Sequence[float] = ()
    _known: dict[Stone | None, Mapping[int, float]] = attrs.Factory(dict)
    _policy: tuple[float, ...] = ()

    def half_turns(self, first: Stone | None = None) -> Mapping[int, float]:
        """The probabilities of the half turns, as the kernel numbers them, from the turn's start.

        Args:
            first: a stone that the player has placed in the middle of the turn.
        """
        if first not in self._known:
            self._known[first] = _shares(policy(self._position, self._weights, first))
        return self._known[first]

    def policy(self) -> tuple[float, ...]:
        """The probabilities of the first half turns, and `ILLEGAL` for illegal ones.

        Black stones by cell, white stones by cell, the pass, the swap.
        """
        if not self._policy:
            end = 2 * len(self._position.cells)
            found = [ILLEGAL] * (end + 2)
            for move, share in self.half_turns().items():
                found[move if move < end else move - 1] = share
            self._policy = tuple(found)
        return self._policy

    def of(self, turn: Turn) -> float:
        """The probability of a legal turn."""
        stones = turn.stones
        if not stones:
            return self._share(None, self._end + (1 if turn.kind is TurnKind.PASS else 2))
        if len(stones) > 1:
            one, two = stones
            return self._both(one, two) + self._both(two, one)
        (only,) = stones
        share = self._share(None, _number(self._position, only))
        two_stones = self._position.rules.two_stones
        return share * self._share(only, self._end) if two_stones else share

    @property
    def _end(self) -> int:
        return 2 * len(self._position.cells)

    def _both(self, one: Stone, two: Stone) -> float:
        first, second = (_number(self._position, stone) for stone in (one, two))
        return self._share(None, first) * self._share(one, second)

    def _share(self, first: Stone | None, move: int) -> float:
        return self.half_turns(first).get(move, 0.0)


@runtime_checkable
class _Wrapper(Protocol):
    """A searcher that has another one search."""

    searcher: Searcher


def prior_of(searcher: Searcher, position: PositionLike) -> Prior:
    """The policy that a searcher begins with; uniform if it has no learned value."""
    while isinstance(searcher, _Wrapper):
        searcher = searcher.searcher
    if not isinstance(searcher, Tunable):
        return Prior(position)
    return Prior(position, searcher.tuning.rows(position.rules))


def _number(position: PositionLike, stone: Stone) -> int:
    """A stone as the kernel numbers it."""
    return stone.colour * len(position.cells) + stone.cell


def _shares(logs: Mapping[int, float]) -> dict[int, float]:
    """The probabilities whose logarithms, but for a constant, are ``logs``; none is above 0."""
    worths = {move: math.exp(log) for move, log in logs.items()}
    total = math.fsum(worths.values())
    return {move: worth / total for move, worth in worths.items()}
