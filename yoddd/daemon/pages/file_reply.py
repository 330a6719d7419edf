"""Replies that are files of many games, converted in a thread while the client reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IPushProducer
from twisted.web.server import Request
from zope.interface import implementer

from yoddd.daemon.base.world import Threads
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.pages.json_resource import HEADERS


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
