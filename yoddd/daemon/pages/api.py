"""Ladders and rated games as JSON over HTTP; docs/reference/http-api.md is the contract."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import BAD_REQUEST, INTERNAL_SERVER_ERROR, NOT_FOUND
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from yoddd.daemon.base.journal import Journal
from yoddd.daemon.pages.json_reply import write_json
from yoddd.store import games, ratings
from yoddd.store.values import GameRow, State

PAGE: Final = 50
"""Games in one answer where nobody says otherwise."""

MOST: Final = 200

_NUMBERS: Final = {"before": 1 << 53, "limit": MOST}
_WORDS: Final = ("game", "board", "player")

Values = dict[str, Any]
Look = Callable[[Values], Coroutine[Deferred[Any], Any, Values]]


class ApiError(Exception):
    """A request that is answered with a status other than 200."""

    def __init__(self, status: int, text: str) -> None:
        """``text`` becomes the value of ``error``."""
        super().__init__(text)
        self.status = status


class Api(Resource):
    """One address; its answer is looked up in the store."""

    isLeaf = True  # noqa: N815 — Twisted's name
    log = Logger()

    def __init__(self, look: Look) -> None:
        """``look`` gets the checked arguments, and ``id``, what stands behind the address."""
        super().__init__()
        self._look = look

    def render_GET(self, request: Request) -> int:
        """Answer, now or later."""
        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)
        answer = Deferred.fromCoroutine(self._answer(request))
        answer.addErrback(self._refuse)
        answer.addCallback(lambda found: None if gone else write_json(request, *found))
        return NOT_DONE_YET

    async def _answer(self, request: Request) -> tuple[int, Values]:
        return 200, await self._look(_read(request))

    def _refuse(self, failure: Failure) -> tuple[int, Values]:
        if isinstance(failure.value, ApiError):
            return failure.value.status, {"error": str(failure.value)}
        self.log.failure("a request failed", failure)
        return INTERNAL_SERVER_ERROR, {"error": "internal error"}


def _read(request: Request) -> Values:
    """The arguments of a request."""
    found: Values = {"id": b"/".join(request.postpath or ()).decode("ascii", "replace")}
    for raw, given in (request.args or {}).items():
        name, value = raw.decode("ascii", "replace"), given[-1].decode("utf-8", "replace")
        if name in _WORDS:
            found[name] = value
        elif name in _NUMBERS:
            found[name] = _number(name, value)
        else:
            raise ApiError(BAD_REQUEST, f"{name!r}: expected game, board, player, before or limit")
    return found


def _number(name: str, value: str) -> int:
    most = _NUMBERS[name]
    if value.isascii() and value.isdigit() and len(value) <= len(str(most)):
        number = int(value)
        if 1 <= number <= most:
            return number
    raise ApiError(BAD_REQUEST, f"{name} {value!r}: expected a number from 1 to {most}")


class _Views:
    """What can be looked up."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def ladder(self, chosen: Values) -> Values:
        boards = await self._journal.read(games.played_boards)
        ladders = [
            {
                "game": game,
                "board": board,
                "standings": [
                    attrs.asdict(line)
                    for line in await self._journal.read(ratings.standings, game, board)
                ],
            }
            for game, board in boards
            if chosen.get("game", game) == game and chosen.get("board", board) == board
        ]
        return {"ladders": ladders}

    async def games(self, chosen: Values) -> Values:
        if chosen.pop("id"):
            raise ApiError(NOT_FOUND, "no such address")
        chosen = {"limit": PAGE, **chosen}
        found = await self._journal.read(games.finished_games, **chosen)
        more = found[-1].number if len(found) == chosen["limit"] else None
        return {"games": [_summary(row) for row in found], "before": more}

    async def game(self, chosen: Values) -> Values:
        name = chosen["id"]
        number = name.removeprefix("r")
        row = None
        if name.startswith("r") and number.isascii() and number.isdigit() and len(number) < 16:  # noqa: PLR2004 — below 2**53
            row = await self._journal.read(games.find_game, int(number))
        if row is None or row.state is not State.OVER or row.record is None:
            raise ApiError(NOT_FOUND, f"no finished game {name!r}")
        record: Values = json.loads(row.record)
        return record


def _summary(row: GameRow) -> Values:
    settled = row.settled
    return {
        "id": f"r{row.number}",
        "game": settled.game,
        "board": settled.board,
        "clock": settled.clock,
        "black": settled.black,
        "white": settled.white,
        "winner": row.winner,
        "reason": row.reason,
        "started": row.started,
        "ended": row.ended,
    }


def resources(journal: Journal) -> dict[bytes, Resource]:
    """What stands under ``/api``, by name."""
    views = _Views(journal)
    return {
        b"ladder": Api(views.ladder),
        b"games": Api(views.games),
        b"game": Api(views.game),
    }
