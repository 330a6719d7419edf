"""The ladder's pairing in fake time: what it survives."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.lobby.games_in_play import LobbyGame
from yoddd.daemon.lobby.ladder import LOOK, Ladder, LadderPlan
from yoddd.daemon.play.game_services import GameServices
from yoddd.rules import make_rules
from yoddd.store.errors import StoreError


@attrs.define
class Ledger:
    """Keeps numbers only; it fails while ``is_away``, and `offer` waits for the test."""

    is_away: bool = False
    offered: Deferred[int] = attrs.Factory(Deferred)
    dropped: list[int] = attrs.Factory(list)

    @property
    def users(self) -> Ledger:
        return self

    @property
    def journal(self) -> Ledger:
        return self

    def account(self, name: str) -> Deferred[str]:
        return fail(StoreError("away")) if self.is_away else succeed(name)

    def read(self, *_args: object) -> Deferred[list[object]]:
        return succeed([])

    def offer(self, *_args: object) -> Deferred[int]:
        return self.offered

    def drop(self, number: int) -> Deferred[None]:
        self.dropped.append(number)
        return succeed(None)


@attrs.define
class GamesInPlay:
    """Where games begin."""

    begun: list[LobbyGame] = attrs.Factory(list)

    def start(self, game: LobbyGame) -> Deferred[None]:
        self.begun.append(game)
        return Deferred()


@attrs.define
class Room:
    clock: Clock
    services: GameServices
    ledger: Ledger
    in_play: GamesInPlay
    ladder: Ladder
    box: EngineLink


@pytest.fixture
def room() -> Room:
    clock = Clock()
    services, ledger, in_play = GameServices(cast("Reactor", clock)), Ledger(), GamesInPlay()
    links = [EngineLink(name) for name in ("bot", "box")]
    for link in links:
        services.engines.add(link)
    plan = LadderPlan(make_rules("yodd", "hex2"), "60", 1)
    ladder = Ladder(services, cast("Any", ledger), cast("Any", in_play), plan)
    return Room(clock, services, ledger, in_play, ladder, links[1])


def test_it_looks_again_when_the_store_was_away(room: Room) -> None:
    room.ledger.is_away = True
    room.ladder.startService()
    room.ledger.is_away = False
    room.clock.advance(LOOK)
    room.ledger.offered.callback(7)
    (game,) = room.in_play.begun
    assert game.live.id == "r7"
    room.ladder.stopService()


def test_no_game_begins_without_an_engine_that_has_left_meanwhile(room: Room) -> None:
    room.ladder.startService()
    room.services.engines.remove(room.box)
    room.ledger.offered.callback(7)
    assert room.ledger.dropped == [7]
    assert room.in_play.begun == []
    room.ladder.stopService()
