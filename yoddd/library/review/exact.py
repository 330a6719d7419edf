"""The exact values of the positions at the end of a game: by tables, by sweeps, by proof."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import attrs

from yoddd.engine import NO_TABLES, StopFlag, Tables, best_line, values_of
from yoddd.kernel import Sweep, TurnValue, make_sweep, solve
from yoddd.kernel.solver import SolverLimits, by_participants
from yoddd.library.review.judgement import Chance
from yoddd.library.symmetry import sole_win
from yoddd.rules import SWAP, PositionLike, Turn

FEWEST: Final = 8
"""The fewest legal turns of which the only one that wins is worth a remark."""


@attrs.frozen(kw_only=True)
class ExactLimits:
    """The limits of exact solving in a review, for each game.

    Attributes:
        tables: those of small boards, which have no limit.
        memory: bytes of a sweep.
        seconds: the longest expected time of a sweep; 0 for no sweep and no proof search. The
            expectation does not depend on the machine's load, so that the same positions are solved
            again.
        nodes: the most nodes of the proof search of a position with too many empty cells for a
            sweep; 0 for none.
        threads: how many threads work on it.
    """

    tables: Tables = NO_TABLES
    memory: int = 256 << 20
    seconds: float = 10.0
    nodes: int = 50_000
    threads: int = 1

    @property
    def solver(self) -> SolverLimits:
        """The limits of a sweep in the form of the solver."""
        return SolverLimits(0, self.seconds, self.memory, self.threads)


class _Source(Protocol):
    """The exact values of some positions."""

    def turns(self, position: PositionLike) -> Sequence[tuple[Turn, Chance]]:
        """The turns with the chance of the player to move, best first; none if not known."""

    def line(self, position: PositionLike) -> tuple[Turn, ...]:
        """Best play of both sides from a position that is known."""


@attrs.frozen
class _ByTables:
    tables: Tables
    stop: StopFlag

    def turns(self, position: PositionLike) -> Sequence[tuple[Turn, Chance]]:
        return _chances(values_of(self.tables, position, self.stop))

    def line(self, position: PositionLike) -> tuple[Turn, ...]:
        return best_line(self.tables, position, values_of(self.tables, position, self.stop))


@attrs.frozen
class _BySweep:
    sweep: Sweep

    def turns(self, position: PositionLike) -> Sequence[tuple[Turn, Chance]]:
        if _is_before_swap(position) or not self.sweep.covers(position):
            return ()
        return _chances(self.sweep.turns(position))

    def line(self, position: PositionLike) -> tuple[Turn, ...]:
        wins = self.turns(position)[0][1].value == 1
        winner = position.player if wins else position.player.opponent
        turns = [one.turn for one in self.sweep.line(position)]
        return by_participants(position, winner, turns)


def _chances(values: Sequence[TurnValue]) -> Sequence[tuple[Turn, Chance]]:
    return [(one.turn, Chance.proven(wins=one.wins, distance=one.distance)) for one in values]


def _is_before_swap(position: PositionLike) -> bool:
    """Whether the opponent may take over the colour that wins."""
    return position.rules.pie and position.number == 1


@attrs.frozen
class Known:
    """The exact value of a position.

    Attributes:
        chance: of the player to move.
        sole: whether only one turn wins, up to symmetry, of enough that are legal.
        find_line: finds best play of both sides, which takes a while.
    """

    chance: Chance
    find_line: Callable[[], tuple[Turn, ...]]
    sole: bool = False


class ExactValues:
    """The exact values of the positions of a game, from one of them on to its last.

    Attributes:
        first: the index of the first position that is known; the number of positions if none is.
    """

    def __init__(
        self, positions: Sequence[PositionLike], limits: ExactLimits, stop: StopFlag
    ) -> None:
        """Solve as many positions as the limits allow, from the last one backwards.

        Args:
            positions: those before each turn, and the last one.
            limits: the limits.
            stop: polled; true ends the work, with what is known.
        """
        self._positions = positions
        self._limits = limits
        self._stop = stop
        self._sources: list[_Source] = [_ByTables(limits.tables, stop)]
        self._proven: dict[int, Known] = {}
        self._kept: dict[int, Known | None] = {}
        self.first = len(positions)
        self._extend()
        if limits.seconds:
            self._add_sweeps()
            self._add_proofs()

    def known(self, index: int) -> Known | None:
        """The value of a position; None if it is not known."""
        if index not in self._kept:
            self._kept[index] = self._look(index)
        return self._kept[index]

    def winner_after(self, position: PositionLike, turn: Turn) -> Known | None:
        """The value of the position after a turn that was not played; None if it is not found.

        Args:
            position: where the turn is legal.
            turn: the turn.
        """
        after = position.copy()
        after.play(turn)
        found = self._read(after)
        if found is None and self._limits.seconds:
            found = self._solve(after)
        return found

    def _look(self, index: int) -> Known | None:
        return self._proven.get(index) or self._read(self._positions[index])

    def _read(self, position: PositionLike) -> Known | None:
        outcome = position.outcome()
        if outcome is not None:
            wins = outcome.winner is position.player
            return Known(Chance.proven(wins=wins, distance=0), tuple)
        for source in self._sources:
            values = source.turns(position)
            if values:
                sole = len(values) >= FEWEST and bool(sole_win(position, _outcomes(values)))
                return Known(values[0][1], functools.partial(source.line, position), sole)
        return None

    def _extend(self) -> None:
        """Go back as far as the sources reach."""
        while self.first and self.known(self.first - 1) is not None:
            self.first -= 1
        self._kept = {at: known for at, known in self._kept.items() if known is not None}

    def _add_sweeps(self) -> None:
        """Make a sweep of the earliest position that allows it, then a compact one before that."""
        limits = self._limits.solver
        for distances in (True, False):
            earlier = self._positions[: self.first]
            allowed = (one for one in earlier if limits.allow_sweep(one, distances=distances))
            first = next(allowed, None)
            if first is None or self._stop():
                continue
            sweep = make_sweep(first, distances=distances, threads=limits.threads, stop=self._stop)
            if sweep is not None:
                self._sources.append(_BySweep(sweep))
                self._extend()

    def _add_proofs(self) -> None:
        """Search for proofs of the positions before those that are known, up to the first failure.

        Without a known end of the game, of its last position.
        """
        while self.first and self._limits.nodes and not self._stop():
            found = self._solve(self._positions[self.first - 1])
            if found is None:
                return
            self.first -= 1
            self._proven[self.first] = found
            self._extend()

    def _solve(self, position: PositionLike) -> Known | None:
        if _is_before_swap(position):
            return None
        limits = self._limits
        allowed = limits.solver
        fits = allowed.allow_sweep(position, distances=False)
        if not fits and not limits.nodes:
            return None
        solution = solve(
            position,
            nodes=0 if fits else limits.nodes,
            memory=limits.memory,
            stop=self._stop,
            threads=limits.threads,
        )
        if solution.winner is None:
            return None
        # Before a swap the player to move chooses the colour.
        wins = solution.winner is position.player or position.is_legal(SWAP)
        chance = Chance.proven(wins=wins, distance=solution.distance)
        return Known(chance, lambda: solution.line)


def _outcomes(values: Sequence[tuple[Turn, Chance]]) -> list[TurnValue]:
    return [TurnValue(turn, chance.value == 1) for turn, chance in values]
