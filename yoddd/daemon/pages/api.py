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
from yoddd.daemon.pages.pacer import Pacer
from yoddd.store import games, ratings
from yoddd.store.values import GameRow

DEFAULT_LIMIT: Final = 50
"""Games in a reply to a request without ``limit``."""

MAX_LIMIT: Final = 200
"""Games in a reply at most."""

_MAXIMA: Final = {"before": 1 << 53, "limit": MAX_LIMIT}
"""The arguments that are numbers, each with the largest one that is accepted."""

_TEXTS: Final = ("game", "board", "player")
"""The arguments that are texts."""

Values = dict[str, Any]
Query = Callable[[Values], Coroutine[Deferred[Any], Any, Values]]
"""Makes the reply from the arguments of a request; may raise ApiError."""


class ApiError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        """Create it; ``text`` becomes the value of ``error``."""
        super().__init__(text)
        self.status = status


class QueryResource(Resource):
    """One address, whose replies are read from the store."""

    isLeaf = True  # noqa: N815 — Twisted's name
    log = Logger()

    def __init__(self, query: Query, pacer: Pacer | None = None) -> None:
        """Create it.

        Args:
            query: receives the arguments, and the rest of the path as ``id``.
            pacer: shared by the resources whose queries of one address take turns.
        """
        super().__init__()
        self._query = query
        self._pacer = pacer or Pacer()

    def render_GET(self, request: Request) -> int:
        """Write the reply once the store has given it, unless the client has disconnected."""
        lost: list[object] = []
        request.notifyFinish().addErrback(lost.append)
        reply = self._pacer.run(request, lambda: Deferred.fromCoroutine(self._reply(request)))
        reply.addErrback(self._error_reply)
        reply.addCallback(lambda found: None if lost else write_json(request, *found))
        return NOT_DONE_YET

    async def _reply(self, request: Request) -> tuple[int, Values]:
        return 200, await self._query(_read_arguments(request))

    def _error_reply(self, failure: Failure) -> tuple[int, Values]:
        if isinstance(failure.value, ApiError):
            return failure.value.status, {"error": str(failure.value)}
        self.log.failure("a request failed", failure)
        return INTERNAL_SERVER_ERROR, {"error": "internal error"}


def _read_arguments(request: Request) -> Values:
    """Return the checked arguments of a request, and the rest of its path as ``id``."""
    found: Values = {"id": b"/".join(request.postpath or ()).decode("ascii", "replace")}
    for raw, given in (request.args or {}).items():
        name, value = raw.decode("ascii", "replace"), given[-1].decode("utf-8", "replace")
        if name in _TEXTS:
            found[name] = value
        elif name in _MAXIMA:
            found[name] = _read_number(name, value)
        else:
            raise ApiError(BAD_REQUEST, f"{name!r}: expected game, board, player, before or limit")
    return found


def _read_number(name: str, value: str) -> int:
    maximum = _MAXIMA[name]
    if value.isascii() and value.isdigit() and len(value) <= len(str(maximum)):
        number = int(value)
        if 1 <= number <= maximum:
            return number
    raise ApiError(BAD_REQUEST, f"{name} {value!r}: expected a number from 1 to {maximum}")


class _Queries:
    """The queries of the API; each takes the arguments of a request."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def ladder(self, arguments: Values) -> Values:
        boards = await self._journal.browse(games.played_boards)
        ladders = [
            {
                "game": game,
                "board": board,
                "standings": [
                    attrs.asdict(standing)
                    for standing in await self._journal.browse(ratings.standings, game, board)
                ],
            }
            for game, board in boards
            if arguments.get("game", game) == game and arguments.get("board", board) == board
        ]
        return {"ladders": ladders}

    async def games(self, arguments: Values) -> Values:
        if arguments.pop("id"):
            raise ApiError(NOT_FOUND, "no such address")
        arguments = {"limit": DEFAULT_LIMIT, **arguments}
        rows = await self._journal.browse(games.finished_games, **arguments)
        before = rows[-1].number if len(rows) == arguments["limit"] else None
        return {"games": [_summary(row) for row in rows], "before": before}

    async def game(self, arguments: Values) -> Values:
        game_id = arguments["id"]
        number = game_id.removeprefix("r")
        row = None
        if game_id.startswith("r") and number.isascii() and number.isdigit() and len(number) < 16:  # noqa: PLR2004 — below 2**53
            row = await self._journal.browse(games.find_game, int(number))
        if row is None or row.record is None:  # which a game has once it is over
            raise ApiError(NOT_FOUND, f"no finished game {game_id!r}")
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
    """Return the resources below ``/api`` that read the store, by name."""
    queries, pacer = _Queries(journal), Pacer()
    return {
        b"ladder": QueryResource(queries.ladder, pacer),
        b"games": QueryResource(queries.games, pacer),
        b"game": QueryResource(queries.game, pacer),
    }
