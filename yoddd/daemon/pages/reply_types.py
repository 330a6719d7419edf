"""The types of the replies below ``/api``, from which their schemas are generated."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from yoddd.store.values import AccountRating


class Error(TypedDict):
    """The reply to a request that is refused or fails.

    Attributes:
        error: what is wrong.
    """

    error: str


class Leaderboard(TypedDict):
    """The accounts that are rated on one board of one game, the best first."""

    game: str
    board: str
    standings: list[AccountRating]


class Ladders(TypedDict):
    """The leaderboards; None without a store."""

    ladders: list[Leaderboard] | None


class GameSummary(TypedDict):
    """A finished game without its turns."""

    id: Annotated[str, {"pattern": "^[rt][0-9]+$"}]
    game: str
    board: str
    clock: str
    black: str
    white: str
    winner: str | None
    reason: str
    started: str
    ended: str
    rated: bool


class Games(TypedDict):
    """A page of finished games.

    Attributes:
        before: for the next page; null on the last one.
    """

    games: list[GameSummary]
    before: int | None


class RunSummary(TypedDict):
    """A tournament.

    Attributes:
        finished: games in the archive.
    """

    name: str
    title: str
    finished: int
    updated: str


class Runs(TypedDict):
    """The tournaments; None if none are shown."""

    runs: list[RunSummary] | None


class PlayingGame(TypedDict):
    """A game of a tournament that is in play.

    Attributes:
        turns: how many were played.
    """

    id: str
    black: str
    white: str
    turns: int


class RunGame(PlayingGame):
    """A finished game of a tournament without its turns."""

    winner: str | None
    reason: str
    score: str | None
    detail: str


class Run(TypedDict):
    """The report of a tournament.

    Attributes:
        report: the content of report.json.
        recent: the latest games first.
    """

    name: str
    updated: str
    report: dict[str, Any]
    recent: list[RunGame]


class Playing(TypedDict):
    """The games of a tournament that are in play."""

    games: list[PlayingGame]


class _Rating(TypedDict):
    game: str
    board: str
    elo: float
    error: float
    games: int


class Rating(_Rating):
    """A rating of an account."""

    won: int


class RatingPoint(_Rating):
    """A rating of an account as it once was."""

    computed: str


class User(TypedDict):
    """The profile of an account.

    Attributes:
        anchor: its fixed rating.
        kind: by its last rated game; null before the first.
        games: rated games with a winner.
        course: the ratings as they were computed, oldest first.
    """

    name: str
    created: str
    anchor: float | None
    kind: str | None
    games: int
    won: int
    lost: int
    ratings: list[Rating]
    course: list[RatingPoint]


class Session(TypedDict):
    """The log-in of a browser.

    Attributes:
        accounts: whether the server has accounts.
        ticket: what the page logs in with over the WebSocket.
        registration: whether visitors may make accounts.
        runs: whether there are tournaments to look at.
        ladder: whether there are ratings.
        token: the token of an account that was just made; it is not given again.
    """

    accounts: bool
    user: str | None
    ticket: str | None
    registration: bool
    runs: bool
    ladder: bool
    token: NotRequired[str]


class Feed(TypedDict):
    """The private feed of a user.

    Attributes:
        exists: whether the user has one.
        address: its address, relative to the site, in the reply that makes it; it is not told
            again.
    """

    exists: bool
    address: str | None


class Puzzles(TypedDict):
    """The puzzles that a user has solved.

    Attributes:
        puzzles: null for those who have not logged in; without figures as long as nothing is
            stored.
    """

    puzzles: dict[str, Any] | None
