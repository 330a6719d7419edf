"""The pairing of the ladder in fake time: unavailable stores and engines that disconnect."""

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
    """Collects the games that begin."""

    begun: list[LobbyGame] = attrs.Factory(list)

    def start(self, game: LobbyGame) -> Deferred[None]:
        self.begun.append(game)
        return Deferred()


@attrs.define
class World:
    """A ladder with two free engines, bot and box."""

    clock: Clock
    services: GameServices
    ledger: Ledger
    in_play: GamesInPlay
    ladder: Ladder
    box: EngineLink


@pytest.fixture
def world() -> World:
    clock = Clock()
    services, ledger, in_play = GameServices(cast("Reactor", clock)), Ledger(), GamesInPlay()
    links = [EngineLink(name) for name in ("bot", "box")]
    for link in links:
        services.engines.add(link)
    plan = LadderPlan(make_rules("yodd", "hex2"), "60", 1)
    ladder = Ladder(services, cast("Any", ledger), cast("Any", in_play), plan)
    return World(clock, services, ledger, in_play, ladder, links[1])


def test_ladder_after_the_store_was_unavailable_pairs_again(world: World) -> None:
    world.ledger.is_away = True
    world.ladder.startService()
    world.ledger.is_away = False
    world.clock.advance(LOOK)
    world.ledger.offered.callback(7)
    (game,) = world.in_play.begun
    assert game.live.id == "r7"
    world.ladder.stopService()


def test_ladder_whose_engine_disconnects_meanwhile_drops_the_offer(world: World) -> None:
    world.ladder.startService()
    world.services.engines.remove(world.box)
    world.ledger.offered.callback(7)
    assert world.ledger.dropped == [7]
    assert world.in_play.begun == []
    world.ladder.stopService()
