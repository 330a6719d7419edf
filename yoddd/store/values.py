"""The rows of the store as values; times are ISO 8601 in UTC, as in records."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable
from typing import Any, Final

import attrs

TOKEN_BYTES: Final = 32
"""A token has 256 random bits and cannot be guessed, so a fast hash suffices to store it."""

TICKET: Final = "page."
"""The beginning of every ticket of a session, which no token has."""


def ticket_of(secret: str) -> str:
    """The ticket of a session by its secret: the page logs in with it, and never has the secret."""
    return TICKET + hashlib.sha256(f"ticket {secret}".encode()).hexdigest()


def digest(token: str) -> str:
    """The stored form of a token: the SHA-256 of its characters, in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()


Keys = tuple[str | None, str | None]
"""The digests of the keys of both seats; None for a seat without one."""


class State(enum.StrEnum):
    """The states of a game."""

    OPEN = "open"
    PLAYING = "playing"
    OVER = "over"


@attrs.frozen
class Account:
    """An account, of a human or an engine.

    Attributes:
        id: of the row.
        name: as it was given.
        created: the time of its creation.
        disabled: whether log-ins are refused.
        anchor: its fixed rating in Elo; None if the rating is computed.
        tokens: the number of its valid tokens.
    """

    id: int
    name: str
    created: str
    disabled: bool = False
    anchor: float | None = None
    tokens: int = 0


@attrs.frozen
class NewGame:
    """An offer of a game.

    Attributes:
        game: its name, such as ``yodd``.
        board: such as ``hex8``.
        clock: the time control as the clock notation spells it.
        black: who begins as Black, in a rated game an account; None while the seat is free.
        white: who begins as White; likewise.
        offered: the time of the offer.
        engines: the seats that attached engines have: some of ``b`` and ``w``.
        rated: whether its result counts; such a game has the default options.
        options: those that were chosen, as words ``name=value``.
        keys: by seat, the digest of the secret that plays for it; None without one.
        invite: the digest of the secret that it is accepted with; None if it is for anyone.
        expires: when an invite or an offer by the day does, in seconds since 1970; None for
            another offer.
        for_users: whether only users with an account may accept it.
    """

    game: str
    board: str
    clock: str
    black: str | None
    white: str | None
    offered: str
    engines: str = ""
    rated: bool = True
    options: str = ""
    keys: Keys = (None, None)
    invite: str | None = None
    expires: float | None = None
    for_users: bool = False

    @property
    def prefix(self) -> str:
        """The letter that the id of the game begins with."""
        return "r" if self.rated else "t"


@attrs.frozen
class TurnRow:
    """One turn of a game.

    Attributes:
        game: the number of the game.
        number: of the turn, from 1.
        token: in canonical spelling.
        seconds: its time by the daemon's clock.
    """

    game: int
    number: int
    token: str
    seconds: float


@attrs.frozen
class GameRow:
    """A game as it is stored.

    Attributes:
        number: unique in the store, from 1.
        settled: the offer.
        state: of the game.
        started: the time of its beginning; None before.
        ended: the time of its end; None before.
        winner: ``b`` or ``w``, the seat; None if there is none.
        reason: of the termination, as in records; None before.
        record: the finished game as a line of JSONL; None before.
        turns: oldest first; empty if they were not requested.
        accounts: the seats whose participants have accounts: some of ``b`` and ``w``.
        used: the seconds that the next turn had taken when they were last stored, by the day.
        paused: those for which its clock stood still then.
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
    accounts: str = "bw"
    used: float = 0.0
    paused: float = 0.0

    @property
    def id(self) -> str:
        """The id of the game for clients."""
        return f"{self.settled.prefix}{self.number}"


@attrs.frozen(kw_only=True)
class GameSearch:
    """The conditions of a search in the archive; None for anything.

    Attributes:
        game: its name.
        board: its name.
        player: an account that played.
        opponent: the account that ``player`` played against; without one as ``player``.
        since: the time at which a game ended, or later.
        until: the time before which it ended.
        before: the number below which its own is.
        limit: the greatest number of games.
    """

    game: str | None = None
    board: str | None = None
    player: str | None = None
    opponent: str | None = None
    since: str | None = None
    until: str | None = None
    before: int | None = None
    limit: int = 50


@attrs.frozen
class Tally:
    """Rated games that ``black``, who began, won and lost against ``white``."""

    black: str
    white: str
    won: int
    lost: int


@attrs.frozen
class AccountRating:
    """One line of a leaderboard.

    Attributes:
        name: of the account.
        elo: its rating.
        error: half the width of the 95 % interval, in Elo; 0 for an anchor.
        games: rated games with a winner.
        won: games won.
        anchor: whether the rating is fixed.
        provisional: whether the interval is still too wide to rank the account.
    """

    name: str
    elo: float
    error: float
    games: int
    won: int
    anchor: bool = False
    provisional: bool = False


@attrs.frozen
class Scores:
    """The figures of a user, as the page of puzzles counts them.

    Attributes:
        rating: by the first tries at puzzles.
        day: the number of the day whose puzzle was solved last, from 1970.
        days: puzzles of the day solved in a row, up to that one.
        most_days: the most of them.
        most_run: the most puzzles in a streak.
        most_storm: the most puzzles in a storm.
    """

    rating: float
    day: int = 0
    days: int = 0
    most_days: int = 0
    most_run: int = 0
    most_storm: int = 0

    def merged(self, earlier: Scores) -> Scores:
        """Return the better of these figures and earlier ones, perhaps of another device."""
        latest = max((self.day, self.days), (earlier.day, earlier.days))
        return Scores(
            self.rating,
            *latest,
            max(self.most_days, earlier.most_days),
            max(self.most_run, earlier.most_run),
            max(self.most_storm, earlier.most_storm),
        )


@attrs.frozen
class Work:
    """A write other than a turn.

    Attributes:
        do: called with the open transaction, a SQLAlchemy connection; returns the result.
    """

    do: Callable[[Any], object]


Write = TurnRow | Work
"""One write of a batch; see `yoddd.store.store.Store.write`."""
