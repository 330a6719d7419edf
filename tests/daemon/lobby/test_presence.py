"""Presence: connections are counted, and reported once the last one has stopped."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from tests.daemon.lobby.journals import FakeConnection
from yoddd.daemon.lobby.presence import Presence
from yoddd.daemon.play.live_games import LiveGame, Spectator
from yoddd.rules import make_rules


class Fixture:
    """A presence that reports to a list, and a game to watch."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.gone: list[str] = []
        self.presence = Presence(self.clock, self.gone.append, grace=10)
        self.game = LiveGame("t1", make_rules("yodd", "hex2"), "none", ("ann", None))

    def watch(self) -> Spectator:
        return self.game.watch(lambda _line: None, lambda _error: None)


@pytest.fixture
def watched() -> Fixture:
    return Fixture()


def test_presence_after_the_last_connection_reports_the_key_once_the_grace_is_over(
    watched: Fixture,
) -> None:
    holder = watched.presence.add("key", watched.watch())
    watched.clock.advance(1000)
    holder.stop()
    watched.clock.advance(9)
    assert watched.gone == []
    watched.clock.advance(1)
    assert watched.gone == ["key"]
    assert watched.clock.getDelayedCalls() == []


def test_presence_with_a_connection_within_the_grace_reports_later(watched: Fixture) -> None:
    watched.presence.add("key", watched.watch()).stop()
    watched.clock.advance(5)
    again = watched.presence.add("key", watched.watch())
    watched.clock.advance(1000)
    assert watched.gone == []
    again.stop()
    watched.clock.advance(10)
    assert watched.gone == ["key"]


def test_presence_once_observed_does_not_count_other_connections(watched: Fixture) -> None:
    before, after = FakeConnection(), FakeConnection()
    watched.presence.hold("key", before)
    holder = watched.presence.add("key", watched.watch())
    watched.presence.hold("key", after)
    holder.stop()
    watched.clock.advance(10)
    assert (watched.gone, watched.presence.away("key")) == (["key"], 10)
    before.lose()
    after.lose()
    watched.presence.hold("key", before)
    assert watched.presence.away("key") is None


def test_presence_with_one_of_two_connections_left_reports_nothing(watched: Fixture) -> None:
    first, second = (watched.presence.add("key", watched.watch()) for _ in range(2))
    first.stop()
    watched.clock.advance(100)
    assert watched.gone == []
    second.stop()
    watched.clock.advance(10)
    assert watched.gone == ["key"]
