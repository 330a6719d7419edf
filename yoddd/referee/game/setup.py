"""The settings of one game: rules, names, clocks, opening, wait limits, early termination."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import attrs

from yoddd.defaults import LAUNCH
from yoddd.engine import NO_TABLES, Tables
from yoddd.referee.bounds import bounded
from yoddd.referee.game.clock import NO_LIMIT, TimeControl
from yoddd.referee.game.evaluations import ResignRule, WinRule
from yoddd.rules import Colour, PositionLike, Rules

Adjudicator = Callable[[PositionLike], tuple[Colour, str] | None]
"""Judges the position after a turn: the winning colour and why, or None to play on."""


@attrs.frozen(kw_only=True)
class MatchLimits:
    """Seconds for which an attached engine is waited for while no clock runs.

    Attributes:
        resume: for a lost connection to be resumed; 0 if a lost connection loses the game.
        absence: for an engine that has disconnected between two games.
    """

    resume: float = bounded(0.0, 0)
    absence: float = bounded(30.0, 0)


@attrs.frozen(kw_only=True)
class WaitLimits(MatchLimits):
    """Seconds for which any participant is waited for while no clock runs.

    Attributes:
        launch: until the handshake of an engine is complete.
        reply: for the reply to any request but ``genmove``.
        move: for a turn under a clock without a limit.
        absence: for an attached engine that has disconnected between two games.
    """

    launch: float = bounded(LAUNCH, 0)
    reply: float = bounded(10.0, 0)
    move: float = bounded(600.0, 0)
    absence: float = bounded(300.0, 0)


DEFAULT_WAIT_LIMITS: Final = WaitLimits()


@attrs.frozen(kw_only=True)
class GameSetup:
    """The settings of one game.

    Attributes:
        id: the record's id.
        rules: the game, the board and the options.
        names: of the participants, by seat.
        clock: the time control of both seats.
        position: the line of the position to start from; None for the empty board.
        opening: the first turns, played for both; canonical or not.
        played: the turns that were played before a restart of the referee, each with the seconds
            that it took; they follow the opening and are charged to the clocks.
        used: the seconds that the turn after them had taken by then.
        paused: those for which its clock still stood still.
        seed: what the engines' seeds are derived from.
        limits: how long participants are waited for.
        odds: the time controls by seat where they differ; None for `clock` on both.
        params: the ``set_param`` parameters of each seat's engine.
        memory: the limit of the memory of each seat's engine in MiB; None without one.
        adjudicator: ends the game early if it returns a winner after a turn.
        tables: those of small boards, by which the game is adjudicated after every turn.
        resign: the rule by which an engine resigns that rates itself low; None without one.
        win: the rule by which a game is won that both engines rate alike; None without one.
        agree_from: the turn from which both engines are asked who has won; None for never.
        pair: the key of the pair of games that it belongs to; None outside tournaments.
        leg: which game of the pair it is.
        attempt: from 1; each repetition of a void game counts one more.
    """

    id: str
    rules: Rules
    names: tuple[str, str]
    clock: TimeControl = NO_LIMIT
    position: str | None = None
    opening: tuple[str, ...] = ()
    played: tuple[tuple[str, float], ...] = ()
    used: float = 0.0
    paused: float = 0.0
    seed: int | None = None
    limits: WaitLimits = DEFAULT_WAIT_LIMITS
    odds: tuple[TimeControl, TimeControl] | None = None
    params: tuple[Mapping[str, str], Mapping[str, str]] = attrs.Factory(lambda: ({}, {}))
    memory: tuple[int | None, int | None] = (None, None)
    adjudicator: Adjudicator | None = None
    tables: Tables = NO_TABLES
    resign: ResignRule | None = None
    win: WinRule | None = None
    agree_from: int | None = None
    pair: str | None = None
    leg: int | None = None
    attempt: int = 1

    @property
    def clocks(self) -> tuple[TimeControl, TimeControl]:
        """The time control of each seat."""
        return self.odds or (self.clock, self.clock)

    @property
    def by_day(self) -> bool:
        """Whether it is a game by the day: both may be away, and time goes on."""
        return self.clock.days is not None

    @property
    def clock_text(self) -> str:
        """The record's spelling: one time control, or Black's ``vs`` White's."""
        black, white = self.clocks
        return str(black) if black == white else f"{black} vs {white}"
