"""``/api/puzzles``: what the user of an account has solved, for each of their browsers.

No request has a body here, so a page sends its figures and the puzzles that it has solved since as
parameters.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Final

import attrs
from twisted.web.http import BAD_REQUEST, UNAUTHORIZED
from twisted.web.server import Request

from yoddd.daemon.base.journal import Journal
from yoddd.daemon.net.websocket.upgrade import Origins
from yoddd.daemon.pages.browser_sessions import BrowserResource, Reply
from yoddd.daemon.pages.json_resource import METHODS
from yoddd.daemon.pages.parameters import ApiError, Parse, Values, read_parameters
from yoddd.library.puzzles import shipped
from yoddd.store import puzzles
from yoddd.store.puzzles import Scores
from yoddd.store.values import Account

MOST_SOLVED: Final = 100
"""Puzzles that one request may name in each of its lists."""

_LARGEST: Final = 1_000_000
"""Of a count, and of the number of a day."""

_SHARPEST: Final = 10_000.0
"""Of a rating, above or below zero."""


class PuzzleResource(BrowserResource):
    """``/api/puzzles``: GET tells what is stored for the user, POST adds to it."""

    methods = METHODS + b", POST"

    def __init__(self, journal: Journal, origins: Origins) -> None:
        """Create it.

        Args:
            journal: the store.
            origins: whose pages may add.
        """
        super().__init__(journal, origins)
        self.changes = {b"POST": self._add}

    async def get(self, request: Request) -> Reply:
        """The figures and the solved puzzles; null for those who have not logged in."""
        account = await self.account_of(request)
        return 200, {"puzzles": None} if account is None else await self._stored(account)

    async def _add(self, request: Request) -> Reply:
        account = await self.account_of(request)
        if account is None:
            raise ApiError(UNAUTHORIZED, "log in first")
        values = read_parameters(request, _PARAMETERS)
        first: list[str] = values.pop("first", [])
        later: list[str] = values.pop("later", [])
        if "rating" not in values:
            raise ApiError(BAD_REQUEST, "rating: expected a number")
        solved = {**dict.fromkeys(later, False), **dict.fromkeys(first, True)}
        await self._journal.do(puzzles.keep_puzzles, account.id, Scores(**values), solved)
        return 200, await self._stored(account)

    async def _stored(self, account: Account) -> Values:
        scores = await self._journal.ask(puzzles.find_scores, account.id)
        if scores is None:
            return {"puzzles": {"solved": {}}}
        solved: Mapping[str, bool] = await self._journal.ask(puzzles.find_solved, account.id)
        return {"puzzles": {**attrs.asdict(scores), "solved": dict(solved)}}


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 8 and int(text) <= _LARGEST:
        return int(text)
    raise ValueError(f"expected a number from 0 to {_LARGEST}")


def _rating(text: str) -> float:
    try:
        rating = float(text)
    except ValueError:
        rating = math.nan
    if abs(rating) <= _SHARPEST:  # which NaN is not
        return rating
    raise ValueError(f"expected a number from -{_SHARPEST:.0f} to {_SHARPEST:.0f}")


def _ids(text: str) -> list[str]:
    found = text.split(",")
    if len(found) > MOST_SOLVED:
        raise ValueError(f"expected {MOST_SOLVED} puzzles at most")
    unknown = next((one for one in found if one not in known_ids()), None)
    if unknown is not None:
        raise ValueError(f"no puzzle {unknown[:40]!r}")
    return found


@cache
def known_ids() -> frozenset[str]:
    """The ids of the puzzles that the page has, which bound what an account may store."""
    return frozenset(json.loads(line)["id"] for line in shipped().splitlines())


_PARAMETERS: Final[Mapping[str, Parse]] = {
    "rating": _rating,
    **{field.name: _count for field in attrs.fields(Scores) if field.name != "rating"},
    "first": _ids,
    "later": _ids,
}
