"""A node from joining to leaving, and its services for clients and for the other nodes."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.fleet.fakes import (
    OTHER,
    OWN,
    FakeEngineTransport,
    FakeJournal,
    Network,
    make_node,
)
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.services import Services
from yoddd.daemon.fleet.directory import Directory, NodeDirectory
from yoddd.daemon.fleet.lobby import FleetLobby
from yoddd.daemon.fleet.node import FleetNode
from yoddd.daemon.fleet.relay import RelayedEngine
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.origin import Origin
from yoddd.store.fleet import Beat

ADDRESS = "tcp:host=127.0.0.1:port=3"


@attrs.define
class BuiltNode:
    """A daemon whose store is a fake, as a node of a fleet."""

    network: Network = attrs.Factory(Network)
    journal: FakeJournal = attrs.Factory(FakeJournal)
    directory: NodeDirectory = attrs.Factory(NodeDirectory)
    games: GameServices = attrs.field(init=False)
    lobby: DaemonLobby = attrs.field(init=False)
    local: Services = attrs.field(init=False)
    node: FleetNode = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        reactor = cast("Reactor", self.network.reactor)
        self.games = GameServices(reactor)
        users = Users(
            cast("Any", self.journal), self.games.engines, CurrentLimits(), reactor.seconds
        )
        self.lobby = DaemonLobby(self.games, CurrentLimits())
        self.local = Services(
            reactor=reactor,
            session=SessionConfig(
                services=SessionServices(lobby=self.lobby, list_matches=lambda: ["m3 …"])
            ),
            streams={"match": cast("Any", None), "observe": self.lobby.observe},
        )
        self.node = FleetNode(
            self.local,
            self.games,
            self.lobby,
            Ledger(cast("Any", self.journal), users),
            self.directory,
            lease=8.0,
        )

    def run(self, work: Coroutine[Deferred[Any], Any, None]) -> None:
        done: list[None] = []
        Deferred.fromCoroutine(work).addCallback(done.append)
        assert done == [None]


@pytest.fixture
def built() -> BuiltNode:
    return BuiltNode()


def test_node_clients_see_the_matches_of_every_node(built: BuiltNode) -> None:
    built.directory.update(OWN, (make_node(OWN), make_node(OTHER, Directory(matches=["m4 …"]))))
    assert built.node.clients.session.services.list_matches() == ["m3 …", "m4 …"]
    assert built.node.nodes.session.services.list_matches() == ["m3 …"]


def test_node_relays_requests_of_clients_only(built: BuiltNode) -> None:
    assert isinstance(built.node.clients.session.services.lobby, FleetLobby)
    assert built.node.nodes.session.services.lobby is built.lobby
    assert built.node.nodes.relay is None
    assert built.node.nodes.streams == built.local.streams


def test_node_engine_at_the_oldest_node_is_not_relayed(built: BuiltNode) -> None:
    built.directory.update(OWN, (make_node(OWN), make_node(OTHER)))
    relay = built.node.clients.relay
    assert relay is not None
    assert relay(Attachment("bot", is_open=True), FakeEngineTransport()) is None
    assert built.network.attempts == 0


def test_node_engine_at_a_younger_node_is_relayed(built: BuiltNode) -> None:
    built.directory.update(OWN, (make_node(OTHER), make_node(OWN)))
    relay = built.node.clients.relay
    assert relay is not None
    assert isinstance(relay(Attachment("bot", is_open=True), FakeEngineTransport()), RelayedEngine)
    assert built.network.accept().value() == b"attach bot token=secret for=- open=yes\n"


def test_node_join_ids_and_keys_have_its_number(built: BuiltNode) -> None:
    built.run(built.node.join(ADDRESS))
    offered = str(built.lobby.seek(Origin(), "ann", {"board": "hex2"}))
    assert offered.startswith("t1 3.")


def test_node_publish_writes_its_directory(built: BuiltNode) -> None:
    built.run(built.node.join(ADDRESS))
    built.journal.published.clear()
    built.run(built.node.publish())
    (published,) = built.journal.published
    assert published is not None
    assert json.loads(published)["matches"] == ["m3 …"]


def test_node_join_mirrors_the_other_nodes(built: BuiltNode) -> None:
    built.journal.beats = [Beat((make_node(OWN), make_node(OTHER)), {})]
    built.run(built.node.join(ADDRESS))
    assert list(built.directory.others) == [OTHER]


def test_node_leave_ends_the_lease_and_every_timer(built: BuiltNode) -> None:
    built.run(built.node.join(ADDRESS))
    built.run(built.node.leave())
    assert built.journal.left == [OWN]
    reactor: MemoryReactorClock = built.network.reactor
    assert reactor.getDelayedCalls() == []
