"""Presence: connections are counted, and reported once the last one has stopped."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from tests.daemon.lobby.journals import FakeConnection
from yoddd.daemon.lobby.presence import Presence


class Fixture:
    """A presence that reports to a list."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.gone: list[str] = []
        self.away: dict[str, float | None] = {}
        self.presence: Presence[str] = Presence(
            self.clock, self.away.__setitem__, self.gone.append, grace=10
        )


@pytest.fixture
def watched() -> Fixture:
    return Fixture()


def test_presence_after_the_last_connection_reports_the_key_once_the_grace_is_over(
    watched: Fixture,
) -> None:
    watched.presence.observe("key")
    watched.clock.advance(1000)
    watched.presence.remove("key")
    watched.clock.advance(9)
    assert watched.gone == []
    watched.clock.advance(1)
    assert watched.gone == ["key"]
    assert watched.clock.getDelayedCalls() == []


def test_presence_with_a_connection_within_the_grace_reports_later(watched: Fixture) -> None:
    watched.presence.observe("key")
    watched.presence.remove("key")
    watched.clock.advance(5)
    for _ in range(2):
        watched.presence.observe("key")
    watched.clock.advance(1000)
    watched.presence.remove("key")
    watched.clock.advance(100)
    assert watched.gone == []
    watched.presence.remove("key")
    watched.clock.advance(10)
    assert watched.gone == ["key"]


def test_presence_once_observed_does_not_count_other_connections(watched: Fixture) -> None:
    before, after = FakeConnection(), FakeConnection()
    watched.presence.hold("key", before)
    watched.presence.observe("key")
    watched.presence.hold("key", after)
    watched.presence.remove("key")
    watched.clock.advance(10)
    assert (watched.gone, watched.away) == (["key"], {"key": 0.0})
    before.lose()
    after.lose()
    watched.presence.hold("key", before)
    assert watched.away == {"key": None}
