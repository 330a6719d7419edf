"""Attached engines that disconnect before their game begins, without sockets or real time."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.referee import Finished, GameSetup, Seat
from yoddd.referee.clock import parse_clock
from yoddd.referee.game_setup import WaitLimits
from yoddd.referee.lobby_game import Beginning, LobbyGame, Open
from yoddd.rules import make_rules


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
        LobbyGame.of_match(setup),
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
