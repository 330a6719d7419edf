"""The PROXY protocol without a network."""

from __future__ import annotations

import struct
from typing import cast

import attrs
import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import make_services
from tests.daemon.net.doubles import MemoryTransport
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.listeners import ClientFactory
from yoddd.daemon.net.proxies import MOST, ProxiedConnection, ProxyFactory

FAR = "203.0.113.9"
V1 = f"PROXY TCP4 {FAR} 127.0.0.1 4711 9633\r\n".encode()
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def version_2(kind: int, rest: bytes, command: int = 0x21) -> bytes:
    return SIGNATURE + struct.pack("!BBH", command, kind, len(rest)) + rest


TCP4 = version_2(0x11, bytes([203, 0, 113, 9, 127, 0, 0, 1]) + b"\x12\x34\x56\x78" + b"tlv")
TCP6 = version_2(0x21, bytes.fromhex("20010db8" + "00" * 11 + "01") * 2 + b"\1\1\1\1")


class Port:
    """A port for the PROXY protocol, with what it has served."""

    def __init__(self, *proxies: str) -> None:
        self.clock = MemoryReactorClock()
        self.services = make_services(self.clock, Limits(handshake=5, per_address=1))
        settings = self.services.settings
        settings.value = attrs.evolve(settings.value, trusted_proxies=proxies)
        reactor = cast("Reactor", self.clock)
        inner = ClientFactory(self.services)
        self.factory = ProxyFactory(inner, reactor, settings)

    def connect(
        self, *parts: bytes, peer: str | None = "127.0.0.1"
    ) -> tuple[ProxiedConnection, MemoryTransport]:
        connection = cast("ProxiedConnection", self.factory.buildProtocol(None))
        below = MemoryTransport(peer)
        connection.makeConnection(below)  # type: ignore[arg-type]  # as far as it is used
        for part in parts:
            connection.dataReceived(part)
        return connection, below

    def hosts(self) -> list[str | None]:
        return [one.host for one in self.services.connections.by_number.values()]


@pytest.mark.parametrize(
    ("header", "host"),
    [
        (V1, FAR),
        (b"PROXY TCP6 2001:db8::1 ::1 1 2\r\n", "2001:db8::1"),
        (TCP4, FAR),
        (TCP6, "2001:db8:0:0:0:0:0:1"),
        (b"PROXY UNKNOWN\r\n", "127.0.0.1"),
        (b"PROXY UNKNOWN 1.2.3.4 x\r\n", "127.0.0.1"),
        (version_2(0, b"", 0x20), "127.0.0.1"),
    ],
)
@pytest.mark.parametrize("step", [1, 1000])
def test_connection_counts_for_the_client_that_the_header_names(
    header: bytes, host: str, step: int
) -> None:
    port, sent = Port(), header + b"name\n"
    parts = [sent[start : start + step] for start in range(0, len(sent), step)]
    connection, below = port.connect(*parts)
    assert below.value() == b"= yoddd\n\n"
    assert port.hosts() == [host]
    if host != "127.0.0.1":  # the limits apply to the client
        assert b"too many connections from your address" in port.connect(header)[1].value()
    connection.connectionLost()
    assert port.hosts() == []
    assert port.services.admission.open == 0


@pytest.mark.parametrize(
    "sent",
    [
        b"name\n",
        b"PROXY x\r\n",
        b"PROXY TCP4 word 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 1.2.3.4 127.0.0.1 x 2\r\n",
        b"PROXY TCP4 \xff 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 " + b"1" * MOST,
        version_2(0x31, b"/run/a".ljust(108, b"\0") * 2),
        version_2(0x11, b"short"),
        version_2(0x47, b"x" * 40),
        version_2(0x11, b"x" * 12, 0x11),
        SIGNATURE + b"\x21\x11\xff\xff",
    ],
)
def test_malformed_header_closes_the_connection(sent: bytes) -> None:
    port = Port()
    connection, below = port.connect(sent, b"name\n")
    assert below.disconnecting
    assert below.value() == b""
    assert port.services.admission.open == 0
    connection.connectionLost()
    assert port.clock.getDelayedCalls() == []


@pytest.mark.parametrize(
    ("proxies", "peer", "served"),
    [
        ((), "127.0.0.9", True),
        ((), None, True),
        ((), FAR, False),
        (("10.0.0.0/8",), "10.1.2.3", True),
        (("10.0.0.0/8",), "127.0.0.1", False),
    ],
)
def test_only_trusted_peers_may_send_the_header(
    proxies: tuple[str, ...], peer: str | None, served: bool
) -> None:
    port = Port(*proxies)
    _, below = port.connect(V1, b"name\n", peer=peer)
    assert below.is_aborted() is not served
    assert port.hosts() == [FAR] * served


def test_header_that_stays_incomplete_is_cut_off() -> None:
    port = Port()
    _, below = port.connect(V1[:-1])
    port.clock.advance(4.9)
    assert not below.is_aborted()
    port.clock.advance(0.2)
    assert below.is_aborted()
