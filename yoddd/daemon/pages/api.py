"""Ladders and rated games as JSON over HTTP; docs/reference/http-api.md is the contract."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Sequence
from copy import copy
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.web.http import NOT_FOUND
from twisted.web.resource import Resource
from twisted.web.server import Request

from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.pages.file_reply import File, FileWriter
from yoddd.daemon.pages.paced_resource import PacedResource, Pacer
from yoddd.daemon.pages.parameters import (
    DEFAULT_LIMIT,
    GAME_PARAMETERS,
    GAMES_PARAMETERS,
    LADDER_PARAMETERS,
    ApiError,
    Parameters,
    Values,
    read_parameters,
)
from yoddd.daemon.pages.reply_types import GameSummary
from yoddd.notation import load_record, record_to_sgf, write_sgf
from yoddd.store import games, profiles, ratings
from yoddd.store.errors import UnknownName
from yoddd.store.values import GameRow, GameSearch

_ID: Final = re.compile(r"[rt][0-9]{1,15}", re.ASCII)
"""The id of a game in the store; its number is below 2**53."""

Query = Callable[[Values], Coroutine[Deferred[Any], Any, Values | File]]
"""Makes the reply from the parameters of a request; may raise ApiError."""


class QueryResource(PacedResource):
    """One address, whose replies are read from the store, or one for each id below it."""

    def __init__(
        self,
        query: Query,
        parameters: Parameters | None = None,
        pacer: Pacer | None = None,
        *,
        files: FileWriter,
        has_id: bool = False,
    ) -> None:
        """Create it.

        Args:
            query: receives the values of the parameters, and the name below as ``id``.
            parameters: those of the query.
            pacer: shared by the resources whose queries of one address take turns.
            files: shared by the resources whose replies may be files.
            has_id: whether there are addresses below, one for each id.
        """
        super().__init__(parameters=parameters, pacer=pacer)
        self._query = query
        self._files = files
        self.isLeaf = not has_id
        # The id of this address; empty without one.
        self._id = ""

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the resource of an id."""
        if not path:
            return super().getChild(path, request)
        below = copy(self)
        below.isLeaf, below._id = True, path.decode("utf-8", "replace")  # noqa: SLF001 — its own
        return below

    def render_GET(self, request: Request) -> int:
        """Write the reply once the store has given it, unless the client has disconnected."""
        if not self.isLeaf:
            return super().render_GET(request)
        values = read_parameters(request, self._parameters)
        if self._id:
            values["id"] = self._id
        return self.pace(request, lambda: self._query(values))

    async def write(self, request: Request, found: Values | File) -> None:
        """Write a reply, which may be a file."""
        if isinstance(found, File):
            await self._files.write(request, found)
        else:
            await super().write(request, found)


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

    async def games(self, arguments: Values) -> Values | File:
        form = arguments.pop("as", "json")
        search = GameSearch(**{"limit": DEFAULT_LIMIT, **arguments})
        rows = await self._journal.browse(games.finished_games, search)
        if form != "json":
            return _file("games", form, [row.record for row in rows if row.record is not None])
        before = rows[-1].number if len(rows) == search.limit else None
        return {"games": [_summary(row) for row in rows], "before": before}

    async def user(self, arguments: Values) -> Values:
        name = arguments["id"]
        try:
            return await self._journal.browse(profiles.profile, name)
        except UnknownName:
            raise ApiError(NOT_FOUND, f"no user {name!r}") from None

    async def record(self, game_id: str) -> str:
        """The record of a finished game of an account.

        Raises:
            ApiError: there is none of this id.
            StoreError: the store fails.
        """
        row = None
        if _ID.fullmatch(game_id):
            row = await self._journal.browse(games.find_game, int(game_id[1:]))
        # A game has a record once it is over, and is part of the archive if it is an account's.
        if row is None or row.id != game_id or row.record is None or not row.accounts:
            raise ApiError(NOT_FOUND, f"no finished game {game_id!r}")
        return row.record

    async def game(self, arguments: Values) -> Values | File:
        line = await self.record(arguments["id"])
        form = arguments.get("as", "json")
        if form != "json":
            return _file(arguments["id"], form, [line])
        record: Values = json.loads(line)
        return record


def _file(name: str, form: str, lines: Sequence[str]) -> File:
    """The records of games as a file of this form."""
    if form == "jsonl":
        return File(f"{name}.jsonl", "application/jsonl", lines, lambda line: f"{line}\n")
    return File(f"{name}.sgf", "application/x-go-sgf", lines, _sgf)


def _sgf(line: str) -> str:
    return write_sgf([record_to_sgf(load_record(line))])


def _summary(row: GameRow) -> Values:
    places = {
        name: row if hasattr(row, name) else row.settled for name in GameSummary.__annotations__
    }
    return {name: getattr(place, name) for name, place in places.items()}


def resources(journal: Journal) -> dict[bytes, Resource]:
    """Return the resources below ``/api`` that read the store, by name."""
    queries, pacer = _Queries(journal), Pacer()
    files = FileWriter(journal.world.threads("files", 1))
    return {
        b"ladder": QueryResource(queries.ladder, LADDER_PARAMETERS, pacer, files=files),
        b"games": QueryResource(queries.games, GAMES_PARAMETERS, pacer, files=files),
        b"game": QueryResource(queries.game, GAME_PARAMETERS, pacer, files=files, has_id=True),
        b"user": QueryResource(queries.user, pacer=pacer, files=files, has_id=True),
    }
