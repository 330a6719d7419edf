"""The types of the replies below ``/api``, and the JSON Schemas that are generated from types."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
)

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


# -- schemas --------------------------------------------------------------------------------

GAME_NAME: Final = "^[a-z][a-z0-9]{0,30}$"

_PLAIN: Final[Mapping[Any, Mapping[str, Any]]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
    Any: {},
}
_MOMENT: Final = {"format": "date-time", "description": "ISO 8601 in UTC."}
_BY_NAME: Final[Mapping[str, Mapping[str, Any]]] = {
    "game": {"pattern": GAME_NAME},
    "kind": {"enum": ["human", "engine", None]},
    "winner": {
        "enum": ["b", "w", None],
        "description": "The participant who began as that colour; null for a void game.",
    },
    "times": {"items": {"type": "number", "minimum": 0}},
    **dict.fromkeys(("started", "ended", "updated", "created", "computed"), _MOMENT),
}
"""What a field of this name has besides its type, in every class."""


def descriptions(kind: type) -> dict[str, str]:
    """The texts of the fields of a class by its docstring; empty for those that it leaves out."""
    text = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:")[2]
    said = {
        name: " ".join(about.split())
        for name, about in re.findall(r"^    (\w+): (.+(?:\n {8,}.+)*)", text, re.MULTILINE)
    }
    return {name: _sentence(said.get(name, "")) for name in get_type_hints(kind)}


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


class Schemas:
    """The schemas of types, those that have a name as references to it."""

    def __init__(self, names: Mapping[type, str]) -> None:
        """Create it; ``names`` are the names of types in the document."""
        self._names = names

    def of(self, hint: Any) -> dict[str, Any]:
        """Return the schema of a type."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Annotated, NotRequired):
            return {**self.of(arguments[0]), **(getattr(hint, "__metadata__", ({},))[0])}
        if origin is UnionType:  # of a type and None
            found = self.of(arguments[0])
            return {**found, "type": [found["type"], "null"]}
        if origin is dict:
            rest = self.of(arguments[1])
            return {"type": "object", **({"additionalProperties": rest} if rest else {})}
        if origin in (list, tuple):
            return {"type": "array", "items": self.of(arguments[0])}
        if hint in self._names:
            return {"$ref": f"#/components/schemas/{self._names[hint]}"}
        if hint in _PLAIN:
            return dict(_PLAIN[hint])
        return self.of_class(hint)

    def of_class(self, kind: type, fields: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the schema of a class; or of some of its fields, without their descriptions."""
        hints = get_type_hints(kind, include_extras=True)
        about = descriptions(kind) if fields is None else {}
        names = list(hints if fields is None else fields)
        properties = {
            name: {
                **self.of(hints[name]),
                **_BY_NAME.get(name, {}),
                **({"description": about[name]} if about.get(name) else {}),
            }
            for name in names
        }
        required = [name for name in names if get_origin(hints[name]) is not NotRequired]
        return {"type": "object", "required": required, "properties": properties}
