"""The parameters of requests below ``/api``, and the error of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final

from twisted.web.http import BAD_REQUEST
from twisted.web.server import Request

from yoddd.board import BoardError, geometry
from yoddd.rules import GAMES

Values = dict[str, Any]
Parse = Callable[[str], Any]
"""Reads the text of a parameter; raises ValueError, whose text says what was expected."""


class ApiError(Exception):
    """A request that is answered with an error.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, status: int, text: str) -> None:
        """Create it; ``text`` becomes the value of ``error``."""
        super().__init__(text)
        self.status = status


def read_parameters(request: Request, known: Mapping[str, Parse]) -> Values:
    """Return the values of the query's parameters; of one that is given twice the last one.

    Raises:
        ApiError: a parameter is unknown, or its value is not accepted.
    """
    found: Values = {}
    for raw, given in (request.args or {}).items():
        name, text = raw.decode("utf-8", "replace"), given[-1].decode("utf-8", "replace")
        parse = known.get(name)
        if parse is None:
            expected = ", ".join(known) if known else "no parameters"
            raise ApiError(BAD_REQUEST, f"{name!r}: expected {expected}")
        try:
            found[name] = parse(text)
        except ValueError as error:
            raise ApiError(BAD_REQUEST, f"{name} {text!r}: {error}") from None
    return found


def number_to(maximum: int) -> Parse:
    """Return the parser of a whole number from 1 to ``maximum``."""

    def parse(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= len(str(maximum)):
            number = int(text)
            if 1 <= number <= maximum:
                return number
        raise ValueError(f"expected a number from 1 to {maximum}")

    return parse


def _game(text: str) -> str:
    if text.lower() not in GAMES:
        raise ValueError(f"expected one of {', '.join(GAMES)}")
    return text.lower()


def _board(text: str) -> str:
    try:
        return geometry(text).name
    except BoardError as error:
        raise ValueError(str(error)) from None


def _player(text: str) -> str:
    if not text:
        raise ValueError("expected a name")
    return text


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("expected a day such as 2026-11-21") from None


def _format(text: str) -> str:
    if text not in FORMATS:
        raise ValueError(f"expected one of {', '.join(FORMATS)}")
    return text


FORMATS: Final = ("json", "jsonl", "sgf")
"""The forms in which games can be had."""

MAX_LIMIT: Final = 200
"""Games in a reply at most."""

LADDER_PARAMETERS: Final[Mapping[str, Parse]] = {"game": _game, "board": _board}
GAMES_PARAMETERS: Final[Mapping[str, Parse]] = {
    **LADDER_PARAMETERS,
    "player": _player,
    "opponent": _player,
    "since": _day,
    "until": _day,
    "as": _format,
    "before": number_to(1 << 53),
    "limit": number_to(MAX_LIMIT),
}
GAME_PARAMETERS: Final[Mapping[str, Parse]] = {"as": _format}
