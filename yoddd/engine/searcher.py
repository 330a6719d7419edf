"""The interface of the built-in engines, and the limits of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

import attrs

from yoddd.kernel.position import moves_of
from yoddd.rules import PASS, Colour, PositionLike, Rules, Turn

StopFlag = Callable[[], bool]
"""Polled during a search; true ends it with the best turn so far."""


@attrs.frozen
class Preemption:
    """A stop flag that also ends a run which is to resume later.

    Attributes:
        ends_run: whether this run ends.
        ends: whether the search ends with it; for work that cannot resume.
    """

    ends_run: StopFlag
    ends: StopFlag

    def __call__(self) -> bool:
        """Whether this run ends."""
        return self.ends_run()


def for_good(stop: StopFlag) -> StopFlag:
    """The flag of work that cannot resume, which no preemption ends."""
    return stop.ends if isinstance(stop, Preemption) else stop


WITHOUT_END: Final = 1 << 62
"""The limit of playouts of a search that has another limit."""


class NoLegalTurn(ValueError):
    """A search was asked for in a finished game."""


@attrs.frozen
class Budget:
    """The limits of a search; the first that is reached ends it.

    Attributes:
        playouts: how many playouts to run; None for the engine's own number, or for no limit if
            there is another one.
        visits: visits of the position, those kept from earlier searches included. Engines that
            keep nothing read it as playouts.
        seconds: from the call on; None for no limit. Engines without a clock leave it to the
            stop flag.
        threads: how many threads may work on it.
        memory: bytes for the tree; None for the engine's own number.
        restriction: what is not played; None for everything. Only the engine ``mcts`` heeds it.
        resume: whether a search of the same position as the last one goes on where that ended,
            if the engine can; else it begins again.
    """

    playouts: int | None = None
    visits: int | None = None
    seconds: float | None = None
    threads: int = 1
    memory: int | None = None
    restriction: Restriction | None = None
    resume: bool = False

    def playouts_or(self, default: int) -> int:
        """The limit of playouts of an engine whose own number is ``default``."""
        if self.playouts is not None:
            return self.playouts
        return default if self.seconds is None and self.visits is None else WITHOUT_END

    def playouts_afresh(self, default: int) -> int:
        """The limit of playouts of an engine without a tree, where a visit is a playout."""
        most = self.playouts_or(default)
        return most if self.visits is None else min(most, self.visits)


@attrs.frozen
class SearchResult:
    """The result of a search.

    Attributes:
        turn: the turn to play.
        playouts: how many playouts were really run.
        winrate: 0 to 1 for the side to move at the root; None if it was not estimated.
        visits: of the position, those kept from earlier searches included.
        margin: the expected difference in groups for the side to move; None likewise.
    """

    turn: Turn
    playouts: int = 0
    winrate: float | None = None
    visits: int = 0
    margin: float | None = None


def wins_by_passing(position: PositionLike) -> bool:
    """Whether a pass answers a pass and wins at once.

    Every engine but ``random`` ends such a game, at every level: a level that draws its turns would
    play on, and a proof without distances does not prefer the shortest win.
    """
    if not position.passes or not position.is_legal(PASS):
        return False
    after = position.copy()
    after.play(PASS)
    outcome = after.outcome()
    return outcome is not None and outcome.winner is position.player


class Searcher(Protocol):
    """An engine: chooses a turn for the side to move.

    An engine may keep what it found and use it for a position that follows in the same game; for
    any other position it begins again.
    """

    name: str

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        """Choose a turn; the same calls give the same turns unless time or ``stop`` ends them.

        The position is not changed. Safe to call from any thread, but not from two at a time.

        Raises:
            NoLegalTurn: the game is over.
        """
        ...


class Shelf:
    """Idle searchers by owner; `TreeMemory` limits what they keep.

    A searcher is taken off the shelf while it searches, so that only one search uses it.
    """

    def __init__(self) -> None:
        """Create an empty shelf."""
        self._kept: dict[object, Searcher] = {}

    def __len__(self) -> int:
        """Return the number of searchers that are kept."""
        return len(self._kept)

    def take(self, owner: object, name: str) -> Searcher | None:
        """Remove the searcher kept for ``owner``; return it, or None if its name differs."""
        found = self._kept.pop(owner, None)
        return found if found is not None and found.name == name else None

    def put(self, owner: object, searcher: Searcher) -> None:
        """Keep a searcher for ``owner``."""
        self._kept[owner] = searcher

    def drop(self, owner: object) -> None:
        """Drop the searcher kept for ``owner``."""
        self._kept.pop(owner, None)


@attrs.frozen
class Bar:
    """One player's half turns that are avoided, or the only ones that are allowed.

    Attributes:
        player: whose they are.
        moves: the half turns, as the kernel numbers them.
        depth: in so many turns from the position on, those of both players.
        allows: whether all others are avoided instead.
    """

    player: Colour
    moves: frozenset[int]
    depth: int
    allows: bool = False


@attrs.frozen
class Restriction:
    """The half turns that a search leaves out.

    Attributes:
        depths: as `yoddd.kernel.TreeSettings.barred`.
    """

    depths: tuple[int, ...]

    @classmethod
    def of(cls, rules: Rules, bars: Iterable[Bar]) -> Restriction:
        """Return what several bars forbid together."""
        stones = 2 * rules.geometry.cells
        depths = [0] * (2 * (stones + 2))
        for bar in bars:
            first = bar.player * (stones + 2)
            for move in range(stones + 2):
                number = move if move < stones else move + 1  # after the stones is a turn's end
                if (number in bar.moves) is not bar.allows:
                    depths[first + move] = max(depths[first + move], bar.depth)
        return cls(tuple(depths))

    @property
    def is_shallow(self) -> bool:
        """Whether only the next turn is restricted."""
        return max(self.depths) <= 1

    def permits(self, rules: Rules, player: Colour, turn: Turn) -> bool:
        """Whether a turn may be the next one."""
        stones = 2 * rules.geometry.cells
        first = player * (stones + 2)
        moves = (move if move < stones else move - 1 for move in moves_of(rules, turn))
        return not any(self.depths[first + move] for move in moves)
