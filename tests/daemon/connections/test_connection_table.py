"""The table of open connections and the totals of those that are closed."""

from __future__ import annotations

from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import FakeTransport, make_services
from yoddd.daemon.connections.connection import PeerConnection


def test_requests_include_open_and_closed_sessions() -> None:
    services = make_services(MemoryReactorClock())
    table = services.connections
    first, second = (PeerConnection(services, FakeTransport(), None) for _ in range(2))
    first.received(b"name\nfoo\n")
    second.received(b"name\n")
    assert table.requests == (3, 1)
    first.lost("bye")
    assert table.requests == (3, 1)
    assert table.by_number == {second.number: second}


def test_numbers_of_connections_are_not_used_again() -> None:
    services = make_services(MemoryReactorClock())
    first = PeerConnection(services, FakeTransport(), None)
    first.lost("bye")
    second = PeerConnection(services, FakeTransport(), None)
    assert (first.number, second.number) == (1, 2)
    first.lost("again")
    assert list(services.connections.by_number) == [2]
