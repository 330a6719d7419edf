"""Stand-ins for the store, the engines and the network of a node."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

import attrs
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionLost
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.fleet.directory import Directory
from yoddd.store import fleet as shared
from yoddd.store import games
from yoddd.store.errors import StoreError
from yoddd.store.fleet import Beat, Process
from yoddd.store.values import GameRow

OWN: Final = 3
OTHER: Final = 4
UNAVAILABLE: Final = StoreError("unavailable")


def make_node(number: int, directory: Directory | None = None) -> Process:
    """A node that is alive."""
    published = (directory or Directory()).dump()
    return Process(number, f"tcp:host=127.0.0.1:port={number}", "secret", published)


def _next(replies: list[Any]) -> Deferred[Any]:
    """Use up the first reply, unless it is the last one."""
    reply = replies.pop(0) if len(replies) > 1 else replies[0]
    if isinstance(reply, Deferred):
        return reply
    return fail(reply) if isinstance(reply, Exception) else succeed(reply)


@attrs.define
class FakeJournal:
    """Gives the scripted replies, and records what is written.

    Attributes:
        beats: the replies to lease renewals.
        alive: the replies to reads of the nodes that are alive.
        owned: the replies to reads of the fencing numbers and games of this node.
        channels: the replies to `listen`.
        leaves: the replies to `leave`.
        joined: the number that each `join` asked for.
        published: what each renewal published.
        left: the numbers of the nodes that have left.
        reads: how often the nodes that are alive were read.
        owned_reads: how often the games of this node were read.
    """

    beats: list[Beat | Exception | Deferred[Any] | None] = attrs.Factory(
        lambda: [Beat((make_node(OWN),), {})]
    )
    alive: list[Any] = attrs.Factory(lambda: [(make_node(OWN),)])
    owned: list[Any] = attrs.Factory(lambda: [({}, [])])
    channels: list[Any] = attrs.Factory(lambda: [UNAVAILABLE])
    leaves: list[Any] = attrs.Factory(lambda: [None])
    joined: list[int | None] = attrs.Factory(list)
    published: list[str | None] = attrs.Factory(list)
    left: list[int] = attrs.Factory(list)
    reads: int = 0
    owned_reads: int = 0

    def do(self, change: Callable[..., object], *args: Any) -> Deferred[Any]:
        if change is shared.join:
            self.joined.append(args[-1])
            return succeed(OWN)
        if change is shared.leave:
            self.left.append(args[0])
            return _next(self.leaves)
        assert change is shared.beat
        self.published.append(args[-1])
        return _next(self.beats)

    def read(self, look: Callable[..., object], *_args: object) -> Deferred[Any]:
        if look is games.played_boards:
            return succeed([])
        if look is shared.alive:
            self.reads += 1
            return _next(self.alive)
        self.owned_reads += 1
        return _next(self.owned)

    def listen(self) -> Deferred[Any]:
        return _next(self.channels)


@attrs.define
class FakeUsers:
    """The users of a node; records those that other nodes have published."""

    logged_in: dict[str, float] = attrs.Factory(dict)
    elsewhere: list[dict[str, float]] = attrs.Factory(list)

    def logged_in_elsewhere(self, users: dict[str, float]) -> None:
        self.elsewhere.append(users)


@attrs.define
class FakeLedger:
    journal: FakeJournal
    users: FakeUsers = attrs.Factory(FakeUsers)
    fences: dict[int, int] = attrs.Factory(dict)
    owner: int | None = None


@attrs.define
class FakeGames:
    """The lobby of a node and its games in play; records what is restored and given up."""

    kept: list[Any] = attrs.Factory(list)
    restored: list[int] = attrs.Factory(list)
    losses: int = 0

    @property
    def in_play(self) -> FakeGames:
        return self

    def lose(self) -> None:
        self.losses += 1

    def restore(self, rows: Iterable[GameRow]) -> None:
        self.restored += [row.number for row in rows]


class FakeChannel:
    """A connection to PostgreSQL; the library closes it by itself when it is lost.

    `read` gives ``numbers``, or fails if there are none.
    """

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)
        self.closed = False
        self.ours, self.theirs = socket.socketpair()

    def fileno(self) -> int:
        return self.ours.fileno()

    def read(self) -> list[int]:
        if self.numbers:
            return self.numbers
        self.ours.close()
        raise UNAVAILABLE

    def close(self) -> None:
        self.closed = True
        self.ours.close()
        self.theirs.close()


class PollingReactor(MemoryReactorClock):
    """Removes a descriptor only while it is open, as `epoll` does."""

    def removeReader(self, reader: Any) -> None:  # noqa: N802 — Twisted's name
        os.fstat(reader.fileno())
        super().removeReader(reader)


@attrs.define
class FakeEngineTransport:
    """The connection of an engine that has attached.

    Attributes:
        wanted: whether bytes of the engine were to be read, each time that was changed.
        sent: the bytes for the engine.
        released: the names of the engines that were disconnected.
    """

    wanted: list[bool] = attrs.Factory(list)
    sent: bytes = b""
    released: list[str] = attrs.Factory(list)

    def send(self, data: bytes) -> None:
        self.sent += data

    def read(self, *, wanted: bool) -> None:
        self.wanted.append(wanted)

    def release(self, engine: AttachedEngine) -> None:
        self.released.append(engine.name)


@attrs.frozen
class _Handle:
    """A UNIX socket: TCP options do not apply to it."""

    family: int = socket.AF_UNIX


class NodeTransport(StringTransport):
    """The transport of a connection to another node.

    An aborted one is lost at once, unless it ``lingers``.
    """

    protocol: Any = None
    aborted = False
    lingers = False

    def getHandle(self) -> _Handle:  # noqa: N802 — Twisted's name
        return _Handle()

    def abortConnection(self) -> None:  # noqa: N802 — Twisted's name
        self.aborted = True
        if not self.lingers:
            self.lose()

    def lose(self) -> None:
        self.protocol.connectionLost(Failure(ConnectionLost()))

    def pause(self) -> None:
        cast("Any", self.producer).pauseProducing()

    def resume(self) -> None:
        cast("Any", self.producer).resumeProducing()


@attrs.define
class Network:
    """The connections that a node opens, in order."""

    reactor: MemoryReactorClock = attrs.Factory(MemoryReactorClock)

    @property
    def attempts(self) -> int:
        return len(self.reactor.tcpClients)

    def accept(self, number: int = 0) -> NodeTransport:
        """Let an attempt succeed."""
        transport = NodeTransport()
        transport.protocol = self._factory(number).buildProtocol(None)
        transport.protocol.makeConnection(transport)
        return transport

    def refuse(self, number: int = 0) -> None:
        """Let an attempt fail."""
        failure = Failure(ConnectionRefusedError())
        self._factory(number).clientConnectionFailed(cast("Any", None), failure)

    def _factory(self, number: int) -> Any:
        return self.reactor.tcpClients[number][2]
