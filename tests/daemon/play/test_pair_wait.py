"""The wait for both engines of a game, and engines that leave before it, in fake time."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, ended, error_of, settle, world_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.news import News
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.daemon.play.slot import PlayedGame, Slot
from yoddd.referee import Finished, GameSetup, Seat, WaitLimits, parse_clock
from yoddd.referee.hosted.events import Beginning, Open
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.tournament.plan import Pair
from yoddd.referee.tournament.tournament import Assignment
from yoddd.rules import make_rules

PATIENCE = 5.0


class Setup:
    """A slot that plays a game of ann against bob."""

    def __init__(self) -> None:
        names = ("ann", "bob")
        self.clock = Clock()
        self.registry = EngineRegistry(Clock().seconds)
        self.news: list[News] = []
        self.slot = Slot(
            world_of(self.clock), 0, lambda one, _: AttachedParticipant(self.registry, names[one])
        )
        self.setup = GameSetup(
            id="g", rules=make_rules("yodd", "hex2"), names=names, clock=parse_clock("none")
        )

    def attach(self, name: str) -> AnsweringEngine:
        return AnsweringEngine(self.clock, self.registry, name)

    def start(self, patience: float | None = PATIENCE) -> Deferred[PlayedGame | None]:
        game = Assignment(Pair(1, 1, 1, 1, 0, 1), 1, 1, (0, 1), self.setup)
        return Deferred.fromCoroutine(self.slot.play(game, self.news.append, patience))


@pytest.fixture
def world() -> Setup:
    return Setup()


def test_slot_whose_first_engine_disconnects_waits_for_it_again(world: Setup) -> None:
    done = world.start()
    world.attach("ann").disconnect()
    world.attach("bob")
    assert world.registry.free_names == ["bob"]  # another game could have it
    world.attach("ann")
    settle(world.clock)
    assert isinstance(done.result, PlayedGame)


def test_slot_without_one_engine_blames_its_seat(world: Setup) -> None:
    done = world.start()
    world.attach("ann")
    world.clock.advance(PATIENCE)
    settle(world.clock)
    absent = error_of(done)
    assert (str(absent), absent.gone) == ("not attached: bob", [Seat.WHITE])
    verdict = absent.verdict(PATIENCE)
    assert verdict is not None
    record = ended(world.setup, verdict).record
    assert (record.winner, record.blame, record.reason) == ("b", "w", "disconnect")
    assert record.detail == "left between two games and not back within 5 s"


@pytest.mark.parametrize(
    ("taken", "text"),
    [(True, "busy with another match: ann or bob"), (False, "not attached: ann, bob")],
)
def test_slot_without_both_engines_blames_none(world: Setup, *, taken: bool, text: str) -> None:
    for name in ("ann", "bob") if taken else ():
        world.attach(name).link.taken = True
    done = world.start()
    world.clock.advance(PATIENCE)
    settle(world.clock)
    absent = error_of(done)
    assert (str(absent), absent.verdict(PATIENCE)) == (text, None)


@pytest.fixture
def registry() -> EngineRegistry:
    return EngineRegistry(Clock().seconds)


def seated(
    registry: EngineRegistry, resume: float
) -> tuple[Clock, GameRunner, list[AnsweringEngine]]:
    """A game whose engine of Black has disconnected before it began."""
    clock = Clock()
    setup = GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
        limits=WaitLimits(resume=resume),
    )
    transports = [AnsweringEngine(clock, registry, name) for name in setup.names]
    participants = (AttachedParticipant(registry, "ann"), AttachedParticipant(registry, "bob"))

    def leave(event: object) -> None:
        if isinstance(event, Beginning):
            transports[Seat.BLACK].disconnect()

    runner = GameRunner(
        World(cast("Reactor", clock)),
        HostedGame.of_match(setup),
        participants,
        watch=leave,
    )
    runner.handle(Open())
    return clock, runner, transports


def test_engine_that_left_before_the_game_began_may_resume_it(registry: EngineRegistry) -> None:
    clock, runner, transports = seated(registry, resume=10)
    assert runner.result is None
    assert transports[Seat.BLACK].asked == []
    back = AnsweringEngine(clock, registry, "ann")
    assert back.asked == transports[Seat.WHITE].asked == ["protocol_version"]
    runner.abort("enough")
    clock.advance(0)


def test_engine_that_left_before_the_game_began_loses_without_resumption(
    registry: EngineRegistry,
) -> None:
    clock, runner, transports = seated(registry, resume=0)
    record = cast("Finished", runner.result).record
    assert (record.winner, record.reason) == ("w", "disconnect")
    assert transports[Seat.WHITE].asked == []
    assert registry.free_names == ["bob"]
    assert clock.getDelayedCalls() == []
