"""What all connections of one daemon share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import yoddd
from yoddd.daemon.clock import Reactor
from yoddd.daemon.contestants import Registry
from yoddd.daemon.live import End, LiveGames, Say
from yoddd.daemon.pool import QUEUE_LIMIT, SearchPool
from yoddd.protocol.config import SessionConfig

CONNECTIONS: Final = 10_000
"""How many connections are served at once; further ones are refused politely."""


class Stream(Protocol):
    """A streaming job that can be stopped."""

    def stop(self) -> None:
        """Nobody listens any more."""


StreamOpener = Callable[[tuple[str, ...], Say, End], Stream]
"""Begins a streaming job from its arguments; it speaks line by line and says when it ends."""


class Hub:
    """The shared rooms: the search pool, the attached engines, the streaming jobs.

    Attributes:
        reactor: Twisted's.
        config: what sessions are told of their surroundings.
        pool: where searches run.
        registry: the engines that have attached.
        streams: how to open each kind of streaming job.
        live: the games that can be watched.
    """

    def __init__(
        self,
        reactor: Reactor,
        config: SessionConfig | None = None,
        *,
        threads: int = 1,
        queue: int = QUEUE_LIMIT,
        connections: int = CONNECTIONS,
    ) -> None:
        """Prepare; nothing runs yet."""
        self.reactor = reactor
        self.config = config or SessionConfig(version=yoddd.__version__, connections=connections)
        self.pool = SearchPool(reactor, threads, queue)
        self.registry = Registry()
        self.streams: dict[str, StreamOpener] = {}
        self.live = LiveGames()
        self._limit = connections
        self._connections: set[object] = set()

    def joined(self, connection: object) -> bool:
        """Count a connection in; False if there are too many already."""
        if len(self._connections) >= self._limit:
            return False
        self._connections.add(connection)
        return True

    def left(self, connection: object) -> None:
        """Count a connection out."""
        self._connections.discard(connection)

    def open_stream(self, name: str, args: tuple[str, ...], *, say: Say, end: End) -> Stream:
        """Begin the streaming job called ``name``."""
        return self.streams[name](args, say, end)

    def close(self) -> None:
        """End the searches."""
        self.pool.close()
