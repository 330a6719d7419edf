"""An offer is withdrawn some time after the last connection that observes it with its key."""

from __future__ import annotations

from typing import Any, cast

import pytest
from twisted.internet.task import Clock

from tests.daemon.lobby.journals import FakeConnection
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.presence import Presence
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.live_games import LiveGame, Spectator
from yoddd.protocol.origin import Origin
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


def test_lobby_whose_offer_is_no_longer_observed_withdraws_it() -> None:
    clock = Clock()
    games = GameServices(cast("Any", clock))
    lobby = DaemonLobby(games, CurrentLimits(), grace=10)
    game_id, key = str(lobby.seek(Origin(), "ann", {"game": "yodd", "board": "hex2"})).split()
    spectator = lobby.observe((game_id, "no-key"), lambda _line: None, lambda _error: None)
    holder = lobby.observe((game_id, key), lambda _line: None, lambda _error: None)
    spectator.stop()
    clock.advance(100)
    assert len(lobby.games()) == 1
    holder.stop()
    clock.advance(10)
    assert lobby.games() == []


def test_lobby_whose_game_in_play_is_no_longer_observed_keeps_it() -> None:
    clock = Clock()
    games = GameServices(cast("Any", clock))
    lobby = DaemonLobby(games, CurrentLimits(), grace=10)
    game_id, key = str(
        lobby.seek(Origin(), "ann", {"game": "yodd", "board": "hex2", "seat": "b"})
    ).split()
    holder = lobby.observe((game_id, key), lambda _line: None, lambda _error: None)
    lobby.accept(Origin(), game_id, "bob")
    clock.advance(0)
    holder.stop()
    clock.advance(10)
    assert "playing" in lobby.games()[0]
    lobby.put(key, "resign")
    assert "over" in lobby.games()[0]
