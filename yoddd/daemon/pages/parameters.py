"""The parameters of requests below ``/api``, and the error of a request.

The OpenAPI document is generated from them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache
from typing import Any, Final

import attrs
from twisted.web.http import BAD_REQUEST
from twisted.web.server import Request

from yoddd.board import BoardError, geometry
from yoddd.daemon.pages.reply_types import GAME_NAME, descriptions
from yoddd.library.puzzles import shipped
from yoddd.store.values import Scores

Values = dict[str, Any]
Parse = Callable[[str], Any]
"""Reads the text of a parameter; raises ValueError, whose text says what was expected."""


@attrs.frozen
class Parameter:
    """A parameter of a query.

    Attributes:
        about: its description in the OpenAPI document.
        schema: its JSON Schema there.
        parse: reads it.
        is_required: whether a query needs it.
    """

    about: str
    schema: Mapping[str, Any]
    parse: Parse = str
    is_required: bool = False


Parameters = Mapping[str, Parameter]
"""The parameters of an address, by name."""


class ApiError(Exception):
    """A request that is answered with an error.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, status: int, text: str) -> None:
        """Create it; ``text`` becomes the value of ``error``."""
        super().__init__(text)
        self.status = status


def read_parameters(request: Request, known: Parameters) -> Values:
    """Return the values of the query's parameters; of one that is given twice the last one.

    Raises:
        ApiError: a parameter is unknown, or its value is not accepted.
    """
    found: Values = {}
    for raw, given in (request.args or {}).items():
        name, text = raw.decode("utf-8", "replace"), given[-1].decode("utf-8", "replace")
        parameter = known.get(name)
        if parameter is None:
            expected = ", ".join(known) if known else "no parameters"
            raise ApiError(BAD_REQUEST, f"{name!r}: expected {expected}")
        try:
            found[name] = parameter.parse(text)
        except ValueError as error:
            raise ApiError(BAD_REQUEST, f"{name} {text!r}: {error}") from None
    return found


def text(about: str, **schema: Any) -> Parameter:
    """Return a parameter with any text; with ``minLength`` none that is empty."""

    def parse(given: str) -> str:
        if not given and schema:
            raise ValueError("expected a name")
        return given

    return Parameter(about, {"type": "string", **schema}, parse)


def _number(about: str, least: int, most: int, **schema: Any) -> Parameter:
    def parse(given: str) -> int:
        if given.isascii() and given.isdigit() and len(given) <= len(str(most)):
            number = int(given)
            if least <= number <= most:
                return number
        raise ValueError(f"expected a number from {least} to {most}")

    return Parameter(about, {"type": "integer", "minimum": least, "maximum": most, **schema}, parse)


def _choice(about: str, names: Iterable[str], **schema: Any) -> Parameter:
    def parse(given: str) -> str:
        if given not in names:
            raise ValueError(f"expected one of {', '.join(names)}")
        return given

    return Parameter(about, {"type": "string", "enum": list(names), **schema}, parse)


def _game(given: str) -> str:
    """The name of a game, also of one that this daemon does not have, but had."""
    if not re.fullmatch(GAME_NAME, name := given.lower()):
        raise ValueError("expected a name such as yodd")
    return name


def _board(given: str) -> str:
    try:
        return geometry(given).name
    except BoardError as error:
        raise ValueError(str(error)) from None


def _day(given: str) -> str:
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        raise ValueError("expected a day such as 2026-11-21") from None


def _rating(given: str) -> float:
    try:
        rating = float(given)
    except ValueError:
        rating = math.nan
    if abs(rating) <= _SHARPEST:  # which NaN is not
        return rating
    raise ValueError(f"expected a number from -{_SHARPEST} to {_SHARPEST}")


def _puzzles(given: str) -> list[str]:
    found = given.split(",")
    if len(found) > MOST_SOLVED:
        raise ValueError(f"expected {MOST_SOLVED} puzzles at most")
    unknown = next((one for one in found if one not in known_puzzles()), None)
    if unknown is not None:
        raise ValueError(f"no puzzle {unknown[:40]!r}")
    return found


@cache
def known_puzzles() -> frozenset[str]:
    """The ids of the puzzles that the page has, which bound what an account may store."""
    return frozenset(json.loads(line)["id"] for line in shipped().splitlines())


MAX_LIMIT: Final = 200
"""Games in a reply at most."""

DEFAULT_LIMIT: Final = 50
"""Games in a reply to a request without ``limit``."""

MOST_SOLVED: Final = 100
"""Puzzles that one request may name in each of its lists."""

_LARGEST: Final = 1_000_000
"""Of a count of puzzles, and of the number of a day."""

_SHARPEST: Final = 10_000
"""Of a rating, above or below zero."""

_BOARDS: Final = "^(hex([2-9]|1[0-3])|square([2-9]|1[0-9]|2[0-5]))$"
"""The canonical names; other spellings are read too."""

_DATE: Final = {"type": "string", "format": "date"}

LADDER_PARAMETERS: Final[Parameters] = {
    "game": Parameter("The name of a game.", {"type": "string", "pattern": GAME_NAME}, _game),
    "board": Parameter("A board, such as hex8.", {"type": "string", "pattern": _BOARDS}, _board),
}
GAME_PARAMETERS: Final[Parameters] = {
    "as": _choice(
        "The form of the reply; other than json it is a file of records.",
        ("json", "jsonl", "sgf"),
        default="json",
    )
}
GAMES_PARAMETERS: Final[Parameters] = {
    **LADDER_PARAMETERS,
    "player": text("The name of an account, in any case of letters.", minLength=1),
    "opponent": text("An account that the player played against.", minLength=1),
    "since": Parameter("The day on which a game ended, or a later one; UTC.", _DATE, _day),
    "until": Parameter("The day before which a game ended; UTC.", _DATE, _day),
    **GAME_PARAMETERS,
    "before": _number("The number `before` of the page before.", 1, 1 << 53),
    "limit": _number("The most games of the page.", 1, MAX_LIMIT, default=DEFAULT_LIMIT),
}
SESSION_PARAMETERS: Final[Parameters] = {
    "register": text("The name of a new account.", pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$")
}
PUZZLES_PARAMETERS: Final[Parameters] = {
    **{name: _number(about, 0, _LARGEST) for name, about in descriptions(Scores).items()},
    "rating": Parameter(
        descriptions(Scores)["rating"],
        {"type": "number", "minimum": -_SHARPEST, "maximum": _SHARPEST},
        _rating,
        is_required=True,
    ),
    "first": Parameter(
        f"Puzzles that were solved at the first try, separated by commas, {MOST_SOLVED} at most.",
        {"type": "string"},
        _puzzles,
    ),
    "later": Parameter("Puzzles that were solved at a later one.", {"type": "string"}, _puzzles),
}
