"""Measures of a game, from games of the engine against itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import attrs

from yoddd.engine import Budget, MctsSearcher, SmallBoards, solve_by_tables
from yoddd.kernel import NativePosition
from yoddd.referee.seeds import derive_seed
from yoddd.referee.stats.elo import Z95, Interval, wilson
from yoddd.rules import Colour, Rules, TurnKind


@attrs.frozen
class Played:
    """A game of the engine against itself.

    Attributes:
        length: its turns.
        first_won: whether the player who began won.
        swapped: whether White swapped.
        branching: the mean number of legal turns.
        last_change: the part of the game after which the engine rated the winner higher throughout.
    """

    length: int
    first_won: bool
    swapped: bool
    branching: float
    last_change: float


@attrs.frozen
class Measures:
    """The values of many games, with their 95 % intervals.

    Attributes:
        games: how many there were.
        length: turns of a game.
        first: the share of games that the player wins who begins.
        swaps: the share of games in which White swapped; None without the swap.
        branching: legal turns of a position.
        last_change: when the lead changed for the last time, as a part of the game.
    """

    games: int
    length: Interval
    first: Interval
    swaps: Interval | None
    branching: Interval
    last_change: Interval


def with_swap(rules: Rules, *, pie: bool) -> Rules:
    """The rules with or without the swap, whatever their options say."""
    return attrs.evolve(rules, facts=attrs.evolve(rules.facts, pie=pie))


def play_oneself(order: tuple[Rules, int, int, int]) -> Played:
    """A game by ``(rules, playouts, seed, number)``."""
    rules, playouts, seed, number = order
    position, engine = NativePosition(rules), MctsSearcher()
    black: list[bool] = []  # whether the engine rates the player higher that began
    branching: list[int] = []
    while not position.is_over:
        seat = position.seat_of(position.player)
        branching.append(position.count_turns())
        drawn = derive_seed(seed, number, len(branching))
        found = engine.search(position, Budget(playouts=playouts), drawn, lambda: False)
        if found.winrate is not None:
            black.append((found.winrate >= 0.5) is (seat is Colour.BLACK))
        position.play(found.turn)
    outcome = position.outcome()
    assert outcome is not None  # noqa: S101 — the game is over
    won = position.seat_of(outcome.winner) is Colour.BLACK
    last = max((turn for turn, leads in enumerate(black, 1) if leads is not won), default=0)
    return Played(
        len(branching),
        won,
        any(turn.kind is TurnKind.SWAP for turn in position.history),
        fmean(branching),
        last / max(1, len(black)),
    )


def measure(games: Sequence[Played], *, pie: bool) -> Measures:
    """The measures of one or more games."""
    count = len(games)
    return Measures(
        count,
        _mean([one.length for one in games]),
        wilson(sum(one.first_won for one in games) / count, count),
        wilson(sum(one.swapped for one in games) / count, count) if pie else None,
        _mean([one.branching for one in games]),
        _mean([one.last_change for one in games]),
    )


def _mean(values: Sequence[float]) -> Interval:
    mean = fmean(values)
    error = Z95 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Interval(mean, max(0.0, mean - error), mean + error)


def solved(rules: Rules) -> tuple[Colour, int | None] | None:
    """The colour that wins on the empty board by best play without a swap, and in how many turns.

    None where the board is too large to be solved at once.
    """
    found = solve_by_tables(SmallBoards(), NativePosition(with_swap(rules, pie=False)))
    return None if found is None or found.winner is None else (found.winner, found.distance)
