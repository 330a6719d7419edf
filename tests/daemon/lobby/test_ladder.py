"""The pairing of the ladder in fake time: unavailable stores and engines that disconnect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from tests.support.games import SAMPLE
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.settings import LadderSettings
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attachment import Attachment, Claim
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.lobby.ladder import LOOK, STANDINGS, Ladder
from yoddd.daemon.lobby.ledger import compute_standings
from yoddd.daemon.play.game_services import GameServices
from yoddd.notation.records import GameRecord
from yoddd.referee import parse_clock
from yoddd.referee.game.engine_range import EngineRange
from yoddd.referee.hosted.events import Event, Open
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.tournament.ladder import next_pair
from yoddd.rules import make_rules
from yoddd.store.games import drop_game
from yoddd.store.values import Account, AccountRating


@attrs.define
class Ledger:
    """Keeps numbers only; `offer` waits for the test.

    ``strangers`` are the names without accounts.
    """

    offered: Deferred[int] = attrs.Factory(Deferred)
    dropped: list[int] = attrs.Factory(list)
    strangers: set[str] = attrs.Factory(set)
    standings: list[AccountRating] = attrs.Factory(list)

    @property
    def users(self) -> Ledger:
        return self

    @property
    def journal(self) -> Ledger:
        return self

    def account(self, name: str) -> Deferred[Account | None]:
        return succeed(None if name in self.strangers else Account(1, name, ""))

    def read(
        self,
        function: object,
        _game: str,
        _board: str,
        names: Sequence[str] = (),
        running: Mapping[tuple[str, str], int] = MappingProxyType({}),
    ) -> Deferred[Any]:
        if function is compute_standings:
            return succeed(self.standings)
        begun = Counter(running)
        return succeed(next_pair(names, [], {}, lambda one, other: begun[one, other]))

    def offer(self, *_args: object) -> Deferred[int]:
        return self.offered

    def do(self, change: object, number: int) -> Deferred[None]:
        assert change is drop_game
        self.dropped.append(number)
        return succeed(None)


@attrs.define(eq=False)
class Runner:
    """A game that begins, and ends when a test says so."""

    game: HostedGame
    done: Deferred[None] = attrs.Factory(Deferred)

    def handle(self, event: Event) -> None:
        assert event == Open()


@attrs.define
class Lobby:
    """Collects the games that begin."""

    begun: list[Runner] = attrs.Factory(list)

    def add(self, game: HostedGame, number: int, claim: Claim) -> Runner:
        assert game.id == f"r{number}"
        assert claim.terms == (game.rules, parse_clock(game.clock))
        self.begun.append(Runner(game))
        return self.begun[-1]

    def end(self, record: GameRecord | None = None) -> None:
        """End the last game."""
        runner = self.begun[-1]
        runner.game.record = record
        runner.done.callback(None)


@attrs.define
class Setup:
    """A ladder with two free engines, bot and box."""

    clock: Clock
    services: GameServices
    ledger: Ledger
    lobby: Lobby
    ladder: Ladder
    box: EngineLink
    shown: list[str]


@pytest.fixture
def world() -> Setup:
    clock = Clock()
    services, ledger, lobby = GameServices(World(cast("Reactor", clock))), Ledger(), Lobby()
    links = [EngineLink(name) for name in ("bot", "box")]
    for link in links:
        services.engines.add(link)
    played = make_rules("yodd", "hex2"), "60"
    keys = LadderSettings(concurrency=1, pace=5.0)
    shown: list[str] = []
    store, plays = cast("Any", ledger), cast("Any", lobby)
    ladder = Ladder(services.reactor, services, store, plays, *played, keys, shown.append)
    return Setup(clock, services, ledger, lobby, ladder, links[1], shown)


def test_ladder_without_two_engines_with_accounts_begins_no_game(world: Setup) -> None:
    world.ledger.strangers.add("bot")
    world.ladder.startService()
    world.ledger.offered.callback(7)
    assert world.lobby.begun == []
    world.services.start_gate.close("maintenance")
    world.ledger.strangers.clear()
    world.clock.advance(LOOK)
    assert world.lobby.begun == []
    world.services.start_gate.open()
    world.clock.advance(LOOK)
    assert len(world.lobby.begun) == 1
    world.ladder.stopService()


def test_ladder_pairs_no_engine_that_does_not_play_its_game(world: Setup) -> None:
    world.box.attachment = Attachment("box", plays=EngineRange.read({"clock": "90.."}))
    world.ladder.startService()
    assert world.lobby.begun == []
    world.box.attachment = Attachment("box", plays=EngineRange.read({"clock": "60.."}))
    world.clock.advance(LOOK)
    world.ledger.offered.callback(7)
    assert len(world.lobby.begun) == 1
    world.ladder.stopService()


def test_ladder_gives_an_engine_as_many_games_as_it_has_copies(world: Setup) -> None:
    assert isinstance(world.ledger.offered, Deferred)
    world.ladder._keys = attrs.evolve(world.ladder._keys, concurrency=3, pace=0.0)
    for name in ("bot", "box"):
        first = world.services.engines.find(name)
        assert first is not None
        first.attachment = Attachment(name, secret="s" * 16)
        copy = EngineLink(name)
        copy.attachment = Attachment(name, secret="s" * 16, copy=2)
        assert world.services.engines.add(copy) is None
    world.ledger.offered.callback(7)
    world.ladder.startService()
    assert len(world.lobby.begun) == 2
    world.ladder.stopService()


def test_ladder_shows_each_result_and_the_standings_after_ten_games(world: Setup) -> None:
    record = attrs.evolve(
        SAMPLE, black="bot", white="box", winner="w", reason="resign", turns=("1a1", "1b2")
    )
    world.ledger.standings = [
        AccountRating("box", 61.4, 240.0, 10, 10, provisional=True),
        AccountRating("anchor", 0.0, 0.0, 10, 0, anchor=True),
    ]
    world.ledger.offered.callback(7)
    world.ladder.startService()
    for _ in range(STANDINGS):
        assert len(world.shown) < STANDINGS
        world.lobby.end(record)
        world.clock.advance(5)
    assert world.shown[0] == (
        "game r7: bot (black) against box (white): box wins by resignation after 2 turns"
    )
    assert world.shown[STANDINGS:] == [
        "standings after 10 games:",
        "  1. box       61 ± 240, won 10 of 10, provisional",
        "  2. anchor     0 (anchor), won 0 of 10",
    ]
    world.lobby.end()
    assert len(world.shown) == STANDINGS + 3
    world.ladder.stopService()
