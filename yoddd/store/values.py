"""The rows of the store as values; times are ISO 8601 in UTC, as in records."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable
from typing import Any, Final

import attrs

TOKEN_BYTES: Final = 32
"""A token is made of 256 random bits: nobody guesses one, so a fast hash is enough to keep it."""


def digest(token: str) -> str:
    """What is kept of a token: the SHA-256 of its characters, in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()


def fold(name: str) -> str:
    """What two names must not share: `Ann` and `ann` are one account."""
    return name.casefold()


class State(enum.StrEnum):
    """Where a game is in its life."""

    OPEN = "open"
    PLAYING = "playing"
    OVER = "over"


@attrs.frozen
class Account:
    """Somebody who can log in, a person or an engine.

    Attributes:
        id: of the row.
        name: as it was given.
        created: when.
        disabled: whether log-ins are refused.
        anchor: the rating, in Elo, that it keeps whatever it scores; None for most.
        tokens: how many tokens are good for it.
    """

    id: int
    name: str
    created: str
    disabled: bool = False
    anchor: float | None = None
    tokens: int = 0


@attrs.frozen
class NewGame:
    """A rated game that is offered; it is played with the default options of its game.

    Attributes:
        game: its name, such as ``yodd``.
        board: such as ``hex8``.
        clock: the time control as the clock notation spells it.
        black: the name of whoever begins as Black; None while somebody is waited for.
        white: likewise.
        offered: when.
        engines: the seats that attached engines have: some of ``b`` and ``w``.
    """

    game: str
    board: str
    clock: str
    black: str | None
    white: str | None
    offered: str
    engines: str = ""


@attrs.frozen
class TurnRow:
    """One turn of a rated game.

    Attributes:
        game: the number of the game.
        number: of the turn, from 1.
        token: in canonical spelling.
        seconds: what it took by the daemon's clock.
        fence: the fencing number under which it is kept; None where one daemon has the store.
    """

    game: int
    number: int
    token: str
    seconds: float
    fence: int | None = None


@attrs.frozen
class GameRow:
    """A rated game as it is kept.

    Attributes:
        number: unique in the store, from 1.
        settled: what was settled before it.
        state: where it is.
        started: when both sat down; None before.
        ended: when it was over; None before.
        winner: ``b`` or ``w``, the person who began as that colour; None if there is none.
        reason: the referee's word for the ending; None before.
        record: the finished game as a line of JSONL; None before.
        turns: oldest first; empty where they were not asked for.
    """

    number: int
    settled: NewGame
    state: State
    started: str | None = None
    ended: str | None = None
    winner: str | None = None
    reason: str | None = None
    record: str | None = None
    turns: tuple[TurnRow, ...] = ()


@attrs.frozen
class Tally:
    """How often ``black``, who began, won and lost against ``white`` in rated games."""

    black: str
    white: str
    won: int
    lost: int


@attrs.frozen
class Standing:
    """One line of a leaderboard.

    Attributes:
        name: of the account.
        elo: its rating.
        error: half the width of the 95 % interval, in Elo; 0 for an anchor.
        games: rated games with a winner.
        won: how many of them it won.
        anchor: whether the rating is fixed.
    """

    name: str
    elo: float
    error: float
    games: int
    won: int
    anchor: bool = False


@attrs.frozen
class Work:
    """Something else to be done in the next commit.

    Attributes:
        do: gets the open transaction (a SQLAlchemy connection); its result is handed back.
    """

    do: Callable[[Any], object]


Write = TurnRow | Work
"""What the writer's thread is given."""
