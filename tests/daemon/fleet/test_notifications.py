"""The notifications of PostgreSQL in a reactor without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure

from tests.daemon.fleet.fakes import UNAVAILABLE, FakeChannel, FakeJournal, PollingReactor
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.fleet.notifications import RETRY_DELAY, Notifications


@pytest.fixture
def channels() -> Iterator[list[FakeChannel]]:
    made = [FakeChannel(), FakeChannel()]
    yield made
    for channel in made:
        channel.close()


@pytest.fixture
def reactor() -> MemoryReactorClock:
    return PollingReactor()


def make(
    reactor: MemoryReactorClock, channels: list[Any], notify: Callable[[int], None] = lambda _: None
) -> Notifications:
    journal = FakeJournal(channels=[*channels, UNAVAILABLE])
    return Notifications(cast("Reactor", reactor), cast("Journal", journal), notify)


def test_notifications_read_gives_each_number(reactor: MemoryReactorClock) -> None:
    numbers: list[int] = []
    channel = FakeChannel(3, 4)
    notifications = make(reactor, [channel], numbers.append)
    notifications.start()
    assert reactor.getReaders() == [notifications]
    notifications.doRead()
    assert numbers == [3, 4]
    notifications.stop()
    assert channel.closed
    assert reactor.getReaders() == []


def test_notifications_connection_lost_is_opened_again(
    reactor: MemoryReactorClock, channels: list[FakeChannel]
) -> None:
    notifications = make(reactor, channels)
    notifications.start()
    notifications.connectionLost(Failure(ConnectionLost()))
    assert channels[0].closed
    assert reactor.getReaders() == []
    reactor.advance(RETRY_DELAY)
    assert reactor.getReaders() == [notifications]
    notifications.stop()
    assert channels[1].closed
    assert reactor.getDelayedCalls() == []


def test_notifications_socket_closed_by_the_library_is_opened_again(
    reactor: MemoryReactorClock, channels: list[FakeChannel]
) -> None:
    notifications = make(reactor, channels)
    notifications.start()
    notifications.doRead()
    assert channels[0].closed
    assert reactor.getReaders() == []
    reactor.advance(RETRY_DELAY)
    assert reactor.getReaders() == [notifications]
    notifications.stop()


def test_notifications_store_unavailable_start_fires_and_retries(
    reactor: MemoryReactorClock, channels: list[FakeChannel]
) -> None:
    notifications = make(reactor, [UNAVAILABLE, *channels])
    assert notifications.start().called
    assert reactor.getReaders() == []
    reactor.advance(RETRY_DELAY)
    assert reactor.getReaders() == [notifications]
    notifications.stop()


def test_notifications_stop_cancels_the_retry(reactor: MemoryReactorClock) -> None:
    notifications = make(reactor, [])
    notifications.start()
    assert len(reactor.getDelayedCalls()) == 1
    notifications.stop()
    assert reactor.getDelayedCalls() == []


def test_notifications_stopped_while_opening_closes_the_channel(
    reactor: MemoryReactorClock, channels: list[FakeChannel]
) -> None:
    opening: Deferred[FakeChannel] = Deferred()
    notifications = make(reactor, [opening])
    notifications.start()
    notifications.stop()
    opening.callback(channels[0])
    assert channels[0].closed
    assert reactor.getReaders() == []


def test_notifications_stopped_while_opening_does_not_retry(reactor: MemoryReactorClock) -> None:
    opening: Deferred[FakeChannel] = Deferred()
    notifications = make(reactor, [opening])
    notifications.start()
    notifications.stop()
    opening.errback(UNAVAILABLE)
    assert reactor.getDelayedCalls() == []


def test_notifications_closed_channel_is_neither_read_nor_lost_again(
    reactor: MemoryReactorClock, channels: list[FakeChannel]
) -> None:
    notifications = make(reactor, channels)
    notifications.start()
    notifications.stop()
    notifications.doRead()
    notifications.connectionLost(Failure(ConnectionLost()))
    assert notifications.fileno() == -1
    assert reactor.getDelayedCalls() == []
    assert notifications.logPrefix() == "store"
