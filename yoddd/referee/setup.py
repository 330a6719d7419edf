"""What is settled before a game: rules, names, clocks, opening, limits, and when it ends early."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import attrs
from attrs import validators

from yoddd.referee.clock import NO_LIMIT, TimeControl
from yoddd.rules import Colour, PositionLike, Rules

Adjudicator = Callable[[PositionLike], tuple[Colour, str] | None]
"""Looks at the board after a turn: the colour that has won and by what, or None to play on."""

_NO_LESS: Final = validators.ge(0.0)  # a NaN is not


@attrs.frozen(kw_only=True)
class Limits:
    """How long an engine is waited for where no clock runs, in seconds.

    Attributes:
        launch: until it has shaken hands.
        reply: for the reply to anything but ``genmove``.
        move: for a turn where the clock sets no limit.
        resume: for a lost connection to be back; 0 if it need not come back.
        absence: for an engine to be back that dials in and has left between two games.
    """

    launch: float = attrs.field(default=60.0, validator=_NO_LESS)
    reply: float = attrs.field(default=10.0, validator=_NO_LESS)
    move: float = attrs.field(default=600.0, validator=_NO_LESS)
    resume: float = attrs.field(default=0.0, validator=_NO_LESS)
    absence: float = attrs.field(default=300.0, validator=_NO_LESS)


DEFAULT_LIMITS: Final = Limits()


@attrs.frozen(kw_only=True)
class GameSetup:
    """Everything that is settled before the game.

    Attributes:
        id: the record's id.
        rules: the game, the board and the options.
        names: of the person who begins as Black and of the one who begins as White.
        clock: the time control of both.
        position: the line of the position to start from; None for the empty board.
        opening: the first turns, given to both; canonical or not.
        played: turns that were played before the referee was started anew, each with the seconds
            that it took; they come after the opening and have used up their time.
        seed: what the engines' own seeds are derived from.
        limits: how long engines are waited for.
        odds: the time controls by seat where they differ; None for `clock` on both.
        params: what each seat's engine is to be set to by ``set_param``.
        adjudicator: ends a game early, if it can tell the winner after a turn.
        agree_from: the turn from which both engines are asked for a verdict; None for never.
        pair: the key of the pair of games that it belongs to; None outside tournaments.
        leg: which game of the pair it is.
        attempt: how often it was begun before, plus 1.
    """

    id: str
    rules: Rules
    names: tuple[str, str]
    clock: TimeControl = NO_LIMIT
    position: str | None = None
    opening: tuple[str, ...] = ()
    played: tuple[tuple[str, float], ...] = ()
    seed: int | None = None
    limits: Limits = DEFAULT_LIMITS
    odds: tuple[TimeControl, TimeControl] | None = None
    params: tuple[Mapping[str, str], Mapping[str, str]] = attrs.Factory(lambda: ({}, {}))
    adjudicator: Adjudicator | None = None
    agree_from: int | None = None
    pair: str | None = None
    leg: int | None = None
    attempt: int = 1

    @property
    def clocks(self) -> tuple[TimeControl, TimeControl]:
        """The time control of each seat."""
        return self.odds or (self.clock, self.clock)

    @property
    def clock_text(self) -> str:
        """As the record spells it: one time control, or Black's ``vs`` White's."""
        black, white = self.clocks
        return str(black) if black == white else f"{black} vs {white}"
