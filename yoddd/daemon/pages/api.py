"""Ladders and rated games as JSON over HTTP; docs/reference/http.md is the contract."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Sequence
from copy import copy
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IPushProducer
from twisted.web.http import NOT_FOUND
from twisted.web.resource import Resource
from twisted.web.server import Request
from zope.interface import implementer

from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.base.world import Threads
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.pages.json_resource import HEADERS, PacedResource, Pacer
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
from yoddd.store import games, ratings
from yoddd.store.errors import UnknownName
from yoddd.store.values import GameRow, GameSearch


@attrs.frozen
class File:
    """A reply that is a file.

    Attributes:
        name: under which a browser stores it.
        content_type: its MIME type.
        lines: the records of its games.
        convert: makes the part of the file from the record of a game.
    """

    name: str
    content_type: str
    lines: Sequence[str]
    convert: Callable[[str], str]


class FileWriter:
    """Writes files game by game.

    A game is converted when the client has read those before it and its address may use more time,
    to which the conversion is charged. One game is converted at a time, for all clients together.
    """

    def __init__(self, threads: Threads) -> None:
        """Create it; the games are converted in ``threads``."""
        self._threads = threads
        self._conversion = DeferredLock()

    async def write(self, request: Request, file: File) -> None:
        """Write a file as the reply to a request, or as much of it as the client waits for."""
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        request.setHeader(b"content-type", file.content_type.encode())
        request.setHeader(b"content-disposition", f'attachment; filename="{file.name}"'.encode())
        client = _Client(request)
        if request.method != b"HEAD":
            request.registerProducer(client, True)
            try:
                await self._write_games(request, client, file)
            finally:
                if not client.is_lost:
                    request.unregisterProducer()
        if not client.is_lost:
            request.finish()

    async def _write_games(self, request: Request, client: _Client, file: File) -> None:
        for line in file.lines:
            await client.reading()
            part, seconds = await self._convert(file, line)
            if client.is_lost:
                return
            request.write(part.encode())
            if isinstance(request.channel, GuardedChannel):
                await request.channel.charge(seconds)

    async def _convert(self, file: File, line: str) -> tuple[str, float]:
        seconds: list[float] = []
        made: Deferred[str] = self._conversion.run(
            self._threads.run, lambda: file.convert(line), seconds.append
        )
        return await made, sum(seconds)


@implementer(IPushProducer)
class _Client:
    """The client of a reply: whether it reads.

    Attributes:
        is_lost: whether it has disconnected; set once.
    """

    def __init__(self, request: Request) -> None:
        self.is_lost = False
        # Fires when the client reads again or has disconnected; set while it does not read.
        self._unread: Deferred[None] | None = None
        request.notifyFinish().addErrback(lambda _: self.stopProducing())

    async def reading(self) -> None:
        """Wait until it reads."""
        if self._unread is not None:
            await self._unread

    def pauseProducing(self) -> None:
        """Note that it does not read."""
        if self._unread is None:
            self._unread = Deferred()

    def resumeProducing(self) -> None:
        """Note that it reads again."""
        unread, self._unread = self._unread, None
        if unread is not None:
            unread.callback(None)

    def stopProducing(self) -> None:
        """Note that it has disconnected."""
        self.is_lost = True
        self.resumeProducing()


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
            return await self._journal.browse(ratings.profile, name)
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
