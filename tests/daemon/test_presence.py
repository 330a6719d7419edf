"""Offers end when whoever made them has been gone for a while."""

from __future__ import annotations

from typing import Any, cast

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.presence import Presence
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.live_games import LiveGame, Watcher
from yoddd.rules import make_rules


class Lobby:
    def __init__(self) -> None:
        self.clock = Clock()
        self.gone: list[str] = []
        self.presence = Presence(self.clock, self.gone.append, grace=10)
        self.game = LiveGame("t1", make_rules("yodd", "hex2"), "none", ("ann", None))

    def watch(self) -> Watcher:
        return self.game.watch(lambda _line: None, lambda _error: None)


@pytest.fixture
def lobby() -> Lobby:
    return Lobby()


def test_an_offer_ends_a_while_after_its_owner_has_gone(lobby: Lobby) -> None:
    keeper = lobby.presence.keep("key", lobby.watch())
    lobby.clock.advance(1000)
    keeper.stop()
    lobby.clock.advance(9)
    assert lobby.gone == []
    lobby.clock.advance(1)
    assert lobby.gone == ["key"]
    assert lobby.clock.getDelayedCalls() == []


def test_a_page_that_is_loaded_again_keeps_it(lobby: Lobby) -> None:
    lobby.presence.keep("key", lobby.watch()).stop()
    lobby.clock.advance(5)
    again = lobby.presence.keep("key", lobby.watch())
    lobby.clock.advance(1000)
    assert lobby.gone == []
    again.stop()
    lobby.clock.advance(10)
    assert lobby.gone == ["key"]


def test_one_of_two_windows_is_enough(lobby: Lobby) -> None:
    first, second = (lobby.presence.keep("key", lobby.watch()) for _ in range(2))
    first.stop()
    lobby.clock.advance(100)
    assert lobby.gone == []
    second.stop()
    lobby.clock.advance(10)
    assert lobby.gone == ["key"]


def test_the_lobby_withdraws_what_its_owner_has_left() -> None:
    clock = Clock()
    games = GameServices(cast("Any", clock))
    lobby = DaemonLobby(games, CurrentLimits(), grace=10)
    game_id, key = str(lobby.seek(None, "ann", {"game": "yodd", "board": "hex2"})).split()
    stranger = lobby.observe((game_id, "no-key"), lambda _line: None, lambda _error: None)
    owner = lobby.observe((game_id, key), lambda _line: None, lambda _error: None)
    stranger.stop()
    clock.advance(100)
    assert len(lobby.games()) == 1
    owner.stop()
    clock.advance(10)
    assert lobby.games() == []


def test_a_game_that_has_begun_is_left_to_the_referee() -> None:
    clock = Clock()
    games = GameServices(cast("Any", clock))
    lobby = DaemonLobby(games, CurrentLimits(), grace=10)
    game_id, key = str(
        lobby.seek(None, "ann", {"game": "yodd", "board": "hex2", "seat": "b"})
    ).split()
    owner = lobby.observe((game_id, key), lambda _line: None, lambda _error: None)
    lobby.accept(None, game_id, "bob")
    clock.advance(0)
    owner.stop()
    clock.advance(10)
    assert "playing" in lobby.games()[0]
    lobby.put(key, "resign")
    assert "over" in lobby.games()[0]
