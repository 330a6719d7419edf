"""Engines whose bytes are relayed to another node."""

from __future__ import annotations

from typing import cast

import attrs
import pytest

from tests.daemon.fleet.fakes import OTHER, FakeEngineTransport, Network, make_node
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.fleet.node_links import NodeLinks
from yoddd.daemon.fleet.relay import RelayedEngine

ATTACH = b"attach bot token=secret for=-\n"


@attrs.define
class Relay:
    network: Network
    links: NodeLinks
    transport: FakeEngineTransport
    engine: RelayedEngine


@pytest.fixture
def relay() -> Relay:
    network, node = Network(), make_node(OTHER)
    links = NodeLinks(cast("Reactor", network.reactor), lambda _: node)
    transport = FakeEngineTransport()
    return Relay(
        network, links, transport, RelayedEngine(Attachment("bot"), transport, links, node)
    )


def test_relay_early_bytes_follow_the_attach_request(relay: Relay) -> None:
    relay.engine.received(b"early")
    node = relay.network.accept()
    relay.engine.received(b" late")
    assert node.value() == ATTACH + b"early late"


def test_relay_node_does_not_read_engine_is_not_read(relay: Relay) -> None:
    assert relay.transport.wanted == [False]
    node = relay.network.accept()
    node.pause()
    node.resume()
    assert relay.transport.wanted == [False, True, False, True]


def test_relay_bytes_of_the_node_reach_the_engine(relay: Relay) -> None:
    node = relay.network.accept()
    node.protocol.dataReceived(b"genmove b\n")
    assert relay.transport.sent == b"genmove b\n"


def test_relay_lease_of_the_node_expires_engine_is_disconnected(relay: Relay) -> None:
    relay.network.accept()
    relay.links.close_except([OTHER])
    assert relay.transport.released == []
    relay.links.close_except([])
    assert relay.transport.released == ["bot"]


def test_relay_node_unreachable_engine_is_disconnected(relay: Relay) -> None:
    relay.network.refuse()
    assert relay.transport.released == ["bot"]


def test_relay_engine_disconnects_connection_to_the_node_is_closed(relay: Relay) -> None:
    node = relay.network.accept()
    relay.engine.ended("closed")
    assert node.disconnecting
    assert node.producer is None
    node.lose()
    assert relay.transport.released == []


def test_relay_engine_disconnects_early_node_is_not_asked(relay: Relay) -> None:
    relay.engine.ended("closed")
    node = relay.network.accept()
    assert node.value() == b""
    relay.engine.stopProducing()
    assert relay.transport.wanted == [False]
