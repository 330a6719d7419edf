"""One process of a fleet in fake time: what it does when the store or another process is away."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionLost
from twisted.internet.interfaces import IReadDescriptor
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.connections.services import Services
from yoddd.daemon.fleet.directory import NodeDirectory
from yoddd.daemon.fleet.membership import BEATS, PUBLISH, Membership
from yoddd.daemon.fleet.node_links import NodeAccounts, NodeLinks, node_services
from yoddd.daemon.fleet.notifications import AGAIN, Notifications
from yoddd.daemon.fleet.relay import RelayedEngine
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.config import SessionConfig
from yoddd.store import fleet as shared
from yoddd.store.errors import StoreError
from yoddd.store.fleet import Beat, Process
from yoddd.store.values import GameRow, NewGame, State

LEASE = 8.0
OURS = Process(3, "tcp:host=127.0.0.1:port=3", "secret", "{}")
THEIRS = Process(4, "tcp:host=127.0.0.1:port=4", "secret", "{}")
AWAY = StoreError("away")


def game(number: int) -> GameRow:
    settled = NewGame("yodd", "hex2", "60", "ann", "bob", "2026-11-22T00:00:00Z")
    return GameRow(number, settled, State.PLAYING)


@attrs.define
class Journal:
    """Answers beats and reads as the test says; a reply is used up unless it is the last."""

    beats: list[Beat | StoreError | None] = attrs.Factory(lambda: [Beat((OURS,), {})])
    reads: list[object] = attrs.Factory(lambda: [({}, [])])
    joined: list[int | None] = attrs.Factory(list)
    said: list[str | None] = attrs.Factory(list)

    def do(self, change: Callable[..., object], *args: Any) -> Deferred[Any]:
        if change is shared.join:
            self.joined.append(args[-1])
            return succeed(OURS.number)
        assert change is shared.beat
        self.said.append(args[-1])
        return _next(self.beats)

    def read(self, look: Callable[..., object], *_args: object) -> Deferred[Any]:
        return succeed((OURS,)) if look is shared.alive else _next(self.reads)

    def listen(self) -> Deferred[object]:
        return fail(AWAY)


def _next(replies: list[Any]) -> Deferred[Any]:
    reply = replies.pop(0) if len(replies) > 1 else replies[0]
    return fail(reply) if isinstance(reply, StoreError) else succeed(reply)


@attrs.define
class Room:
    clock: Clock
    games: GameServices
    journal: Journal
    fences: dict[int, int] = attrs.Factory(dict)
    rated: list[object] = attrs.Factory(list)
    restored: list[int] = attrs.Factory(list)
    losses: int = 0
    owner: int | None = None
    users: Any = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.users = attrs.make_class("Users", {"people": attrs.field(factory=dict)})()

    @property
    def boards(self) -> Room:
        return self

    def lose(self) -> None:
        self.losses += 1

    def restore(self, rows: Any) -> None:
        self.restored += [row.number for row in rows]

    def begin(self) -> Membership:
        """Join: the room stands for the ledger and the boards."""
        fleet = Membership(
            self.games,
            cast("Any", self),
            cast("Any", self),
            NodeDirectory(),
            lease=LEASE,
            matches=tuple,
        )
        Deferred.fromCoroutine(fleet.join(OURS.address))
        return fleet

    def beat(self) -> None:
        self.clock.advance(LEASE / BEATS)


@pytest.fixture
def room() -> Room:
    clock = Clock()
    return Room(clock, GameServices(cast("Reactor", clock)), Journal())


def test_games_that_were_taken_over_are_taken_up(room: Room) -> None:
    room.journal.beats.insert(0, Beat((OURS,), {7: 2}))
    room.journal.reads = [({7: 2}, [game(7)])]
    room.begin()
    assert (room.restored, room.fences) == ([7], {7: 2})
    room.beat()
    assert room.restored == [7]


def test_a_store_that_is_away_just_then_is_asked_again(room: Room) -> None:
    room.journal.beats.insert(0, Beat((OURS,), {7: 2}))
    room.journal.reads = [AWAY, ({7: 2}, [game(7)])]
    room.begin()
    assert room.restored == []
    room.beat()
    assert (room.restored, room.fences) == ([7], {7: 2})


def test_games_are_taken_up_whose_taking_over_was_never_answered(room: Room) -> None:
    room.fences = {5: 1}
    room.journal.beats[:0] = [Beat((OURS,), {}), AWAY]
    room.journal.reads = [({5: 1, 7: 2}, [game(5), game(7)])]
    room.begin()
    room.clock.advance(PUBLISH)
    assert room.restored == []
    room.clock.advance(PUBLISH)
    assert room.restored == [7]  # and not the fifth, which is on a board here


def test_whoever_was_struck_off_begins_anew_without_games_and_idle_engines(room: Room) -> None:
    room.begin()
    carrier = Carrier()
    for name in ("bot", "box"):
        room.games.engines.add(AttachedEngine(name, carrier))
    room.games.engines.wait("box")
    room.journal.beats.insert(0, None)
    room.beat()
    assert (room.losses, room.journal.joined) == (1, [None, OURS.number])
    assert carrier.released == ["bot"]
    room.beat()
    assert room.losses == 1


def test_what_could_not_be_published_is_published_later(room: Room) -> None:
    fleet = room.begin()
    room.journal.said.clear()
    room.journal.beats.insert(0, AWAY)
    room.clock.advance(PUBLISH)
    room.clock.advance(PUBLISH)
    room.clock.advance(PUBLISH)
    assert room.journal.said == [fleet._own_directory().dump()] * 2


# -- notifications --------------------------------------------------------------------------------


class Channel:
    """A connection to the database, which the library closes by itself when it is lost."""

    def __init__(self) -> None:
        self.closed = False
        self.ours, self.theirs = socket.socketpair()

    def fileno(self) -> int:
        return self.ours.fileno()

    def read(self) -> list[int]:
        self.ours.close()
        raise AWAY

    def close(self) -> None:
        self.closed = True
        self.ours.close()
        self.theirs.close()


@pytest.fixture
def channels() -> Iterator[list[Channel]]:
    made = [Channel(), Channel()]
    yield made
    for channel in made:
        channel.close()


def test_a_lost_connection_to_the_database_is_made_anew(channels: list[Channel]) -> None:
    reactor = MemoryReactorClock()
    notifications = listening(reactor, channels)
    notifications.connectionLost(Failure(ConnectionLost()))
    assert channels[0].closed
    reactor.advance(AGAIN)
    assert reactor.getReaders() == [notifications]
    notifications.stop()
    assert channels[1].closed
    assert reactor.getDelayedCalls() == []


class Strict(MemoryReactorClock):
    """As `epoll`, which can forget a descriptor only while it is open."""

    def removeReader(self, reader: IReadDescriptor) -> None:  # noqa: N802 — Twisted's name
        os.fstat(reader.fileno())
        super().removeReader(reader)


def test_a_connection_whose_socket_the_library_has_closed_is_made_anew(
    channels: list[Channel],
) -> None:
    reactor = Strict()
    notifications = listening(reactor, channels)
    notifications.doRead()
    assert channels[0].closed
    assert reactor.getReaders() == []
    reactor.advance(AGAIN)
    assert reactor.getReaders() == [notifications]
    notifications.stop()


def listening(reactor: MemoryReactorClock, channels: list[Channel]) -> Notifications:
    waiting = channels.copy()
    journal = attrs.make_class("Store", {"listen": attrs.field()})(lambda: succeed(waiting.pop(0)))
    notifications = Notifications(cast("Reactor", reactor), journal, lambda _: None)
    notifications.start()
    return notifications


# -- links and ferried engines --------------------------------------------------------------


@attrs.define
class Carrier:
    """The connection of an engine that has dialled in."""

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
class Handle:
    family: int = socket.AF_UNIX


class Transport(StringTransport):
    """Of a UNIX socket."""

    far: Any = None

    def getHandle(self) -> Handle:  # noqa: N802 — Twisted's name
        return Handle()

    def abortConnection(self) -> None:  # noqa: N802 — Twisted's name
        self.far.connectionLost(Failure(ConnectionLost()))

    def full(self) -> None:
        assert self.producer is not None
        self.producer.pauseProducing()

    def empty(self) -> None:
        assert self.producer is not None
        self.producer.resumeProducing()


@attrs.define
class Ferry:
    reactor: MemoryReactorClock
    links: NodeLinks
    carrier: Carrier
    engine: RelayedEngine
    transport: Transport = attrs.Factory(Transport)

    def connect(self) -> None:
        """The other daemon answers."""
        *_, factory, _timeout, _bind = self.reactor.tcpClients[0]
        self.transport.far = factory.buildProtocol(None)
        self.transport.far.makeConnection(self.transport)


@pytest.fixture
def ferry() -> Ferry:
    reactor = MemoryReactorClock()
    links = NodeLinks(cast("Reactor", reactor), lambda _: THEIRS)
    carrier = Carrier()
    return Ferry(reactor, links, carrier, RelayedEngine("bot", carrier, links, THEIRS))


def test_a_ferried_engine_is_read_only_while_its_bytes_find_room(ferry: Ferry) -> None:
    ferry.engine.received(b"early")
    ferry.connect()
    assert ferry.transport.value() == b"attach bot token=secret\nearly"
    ferry.transport.full()
    ferry.transport.empty()
    assert ferry.carrier.wanted == [False, True, False, True]


def test_a_ferried_engine_dials_in_anew_once_its_process_is_struck_off(ferry: Ferry) -> None:
    ferry.connect()
    ferry.links.keep([THEIRS.number])
    assert ferry.carrier.released == []
    ferry.links.keep([])
    assert ferry.carrier.released == ["bot"]


def test_a_ferried_engine_whose_process_cannot_be_reached_dials_in_anew(ferry: Ferry) -> None:
    *_, factory, _timeout, _bind = ferry.reactor.tcpClients[0]
    factory.clientConnectionFailed(cast("Any", None), Failure(ConnectionRefusedError()))
    assert ferry.carrier.released == ["bot"]


def test_node_services_share_all_but_accounts_and_limits() -> None:
    local = Services(
        reactor=cast("Reactor", Clock()),
        session=SessionConfig(),
        streams={"observe": cast("Any", None)},
    )
    nodes = node_services(local, NodeAccounts("secret", cast("Any", None)))
    assert nodes.engines is local.engines
    assert nodes.connections is local.connections
    assert nodes.pool is local.pool
    assert nodes.streams is local.streams
    assert nodes.relay is None
    assert nodes.admission is not local.admission
    assert nodes.rate_limit_for("203.0.113.1") is None
    assert nodes.session_config().login is not None
    assert nodes.session_config().line_limit > local.session_config().line_limit
