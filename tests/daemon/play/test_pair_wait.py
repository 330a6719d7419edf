"""The limited wait for both engines, and games that could not begin."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, error_of, world_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.pair_wait import PairWait, unplayed, wait_for_links
from yoddd.daemon.play.participants import AttachedParticipant, Links
from yoddd.referee import GameSetup, Seat, parse_clock
from yoddd.rules import make_rules

PATIENCE = 5.0


class Setup:
    """A wait for ann and bob."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.registry = EngineRegistry(Clock().seconds)
        self.wait = PairWait()

    def attach(self, name: str) -> AnsweringEngine:
        return AnsweringEngine(self.clock, self.registry, name)

    def start(self, patience: float | None = PATIENCE) -> Deferred[Links]:
        participants = (
            AttachedParticipant(self.registry, "ann"),
            AttachedParticipant(self.registry, "bob"),
        )
        reactor = cast("Reactor", self.clock)
        return Deferred.fromCoroutine(wait_for_links(reactor, self.wait, participants, patience))


@pytest.fixture
def world() -> Setup:
    return Setup()


def test_wait_for_links_in_time_gives_both_and_leaves_no_timer(world: Setup) -> None:
    done = world.start()
    engines = [world.attach(name) for name in ("ann", "bob")]
    assert done.result == tuple(engine.link for engine in engines)
    assert world.clock.getDelayedCalls() == []


def test_wait_for_links_without_patience_has_no_limit(world: Setup) -> None:
    done = world.start(None)
    world.clock.advance(1e6)
    assert not done.called
    world.wait.cancel()
    assert isinstance(error_of(done), CancelledError)


def test_wait_for_links_without_one_engine_blames_its_seat(world: Setup) -> None:
    done = world.start()
    world.attach("ann")
    world.clock.advance(PATIENCE)
    absent = error_of(done)
    assert (str(absent), absent.gone) == ("not attached: bob", [Seat.WHITE])
    verdict = absent.verdict(PATIENCE)
    assert verdict is not None
    setup = GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
    )
    record = unplayed(world_of(), setup, verdict).record
    assert (record.winner, record.blame, record.reason) == ("b", "w", "disconnect")
    assert record.detail == "left between two games and not back within 5 s"


def test_wait_for_links_without_both_engines_blames_none(world: Setup) -> None:
    done = world.start()
    world.clock.advance(PATIENCE)
    absent = error_of(done)
    assert (str(absent), absent.verdict(PATIENCE)) == ("not attached: ann, bob", None)


def test_wait_for_links_of_engines_that_play_elsewhere_blames_none(world: Setup) -> None:
    for name in ("ann", "bob"):
        world.attach(name).link.taken = True
    done = world.start()
    world.clock.advance(PATIENCE)
    absent = error_of(done)
    assert str(absent) == "busy with another match: ann or bob"
    assert absent.verdict(PATIENCE) is None
