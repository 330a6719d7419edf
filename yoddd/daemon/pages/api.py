"""Ladders and rated games as JSON over HTTP; docs/reference/http-api.md is the contract."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import INTERNAL_SERVER_ERROR, NOT_FOUND, SERVICE_UNAVAILABLE
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from yoddd.daemon.base.journal import Journal
from yoddd.daemon.pages.json_reply import write_json
from yoddd.daemon.pages.json_resource import JsonResource
from yoddd.daemon.pages.pacer import Pacer
from yoddd.daemon.pages.parameters import (
    GAMES_PARAMETERS,
    LADDER_PARAMETERS,
    ApiError,
    Parse,
    Values,
    read_parameters,
)
from yoddd.store import games, ratings
from yoddd.store.errors import StoreError
from yoddd.store.values import GameRow

DEFAULT_LIMIT: Final = 50
"""Games in a reply to a request without ``limit``."""

RETRY_AFTER: Final = 5
"""Seconds after which a client may ask again while the store is away."""

Query = Callable[[Values], Coroutine[Deferred[Any], Any, Values]]
"""Makes the reply from the parameters of a request; may raise ApiError."""


class QueryResource(JsonResource):
    """One address, whose replies are read from the store."""

    isLeaf = True  # noqa: N815 — Twisted's name
    log = Logger()

    def __init__(
        self,
        query: Query,
        parameters: Mapping[str, Parse] | None = None,
        pacer: Pacer | None = None,
        *,
        has_id: bool = False,
    ) -> None:
        """Create it.

        Args:
            query: receives the values of the parameters, and the rest of the path as ``id``.
            parameters: the parsers of the parameters, by name.
            pacer: shared by the resources whose queries of one address take turns.
            has_id: whether there is a rest of the path.
        """
        super().__init__()
        self._query = query
        self._parameters = parameters or {}
        self._pacer = pacer or Pacer()
        self._has_id = has_id

    def render_GET(self, request: Request) -> int:
        """Write the reply once the store has given it, unless the client has disconnected."""
        values = self._read(request)
        lost: list[object] = []
        request.notifyFinish().addErrback(lost.append)
        reply = self._pacer.run(request, lambda: Deferred.fromCoroutine(self._reply(values)))
        reply.addErrback(self._error_reply, request)
        reply.addCallback(lambda found: None if lost else write_json(request, *found))
        return NOT_DONE_YET

    def _read(self, request: Request) -> Values:
        values = read_parameters(request, self._parameters)
        rest = b"/".join(request.postpath or ()).decode("utf-8", "replace")
        if self._has_id:
            values["id"] = rest
        elif rest:
            raise ApiError(NOT_FOUND, f"no such address: {request.path.decode('utf-8', 'replace')}")
        return values

    async def _reply(self, values: Values) -> tuple[int, Values]:
        return 200, await self._query(values)

    def _error_reply(self, failure: Failure, request: Request) -> tuple[int, Values]:
        error = failure.value
        if isinstance(error, ApiError):
            return error.status, {"error": str(error)}
        if isinstance(error, StoreError):  # its text, which the log has, may tell of the server
            self.log.warn("no reply over HTTP: {error}", error=str(error))  # noqa: G010 — Twisted's name
            request.setHeader(b"retry-after", str(RETRY_AFTER).encode())
            return SERVICE_UNAVAILABLE, {"error": "the store is away"}
        self.log.failure("a request failed", failure)
        return INTERNAL_SERVER_ERROR, {"error": "internal error"}


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
        b"ladder": QueryResource(queries.ladder, LADDER_PARAMETERS, pacer),
        b"games": QueryResource(queries.games, GAMES_PARAMETERS, pacer),
        b"game": QueryResource(queries.game, pacer=pacer, has_id=True),
    }
