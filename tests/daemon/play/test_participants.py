"""The wait for attached engines that connect and disconnect, without sockets or real time."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.pair_wait import PairWait
from yoddd.daemon.play.participants import AttachedParticipant, Links
from yoddd.referee import Finished, Game, GameSetup, Seat
from yoddd.referee.clock import parse_clock
from yoddd.referee.game_setup import WaitLimits
from yoddd.rules import make_rules


class FakeTransport:
    """The connection of an engine; keeps the requests."""

    def __init__(self, registry: EngineRegistry, name: str) -> None:
        self.asked = b""
        self._registry = registry
        self.engine = AttachedEngine(Attachment(name), self.send, self.release)
        assert registry.add(self.engine) is None

    def send(self, data: bytes) -> None:
        self.asked += data

    def release(self, engine: AttachedEngine) -> None:
        self._registry.remove(engine)

    def disconnect(self) -> None:
        """The connection is lost."""
        self._registry.remove(self.engine)
        self.engine.ended("gone")


@pytest.fixture
def registry() -> EngineRegistry:
    return EngineRegistry(Clock().seconds)


def wait_for_links(
    pair_wait: PairWait, registry: EngineRegistry, black: str, white: str
) -> Deferred[Links]:
    participants = (AttachedParticipant(registry, name) for name in (black, white))
    return Deferred.fromCoroutine(pair_wait.wait_for_links(*participants))


@pytest.mark.parametrize("seats", [("ann", "bob"), ("bob", "ann")])
def test_pair_wait_gives_the_engines_by_seat_in_any_order_of_arrival(
    registry: EngineRegistry, seats: tuple[str, str]
) -> None:
    called = wait_for_links(PairWait(), registry, *seats)
    transports = {name: FakeTransport(registry, name) for name in ("bob", "ann")}
    links = cast("Links", called.result)
    assert links == tuple(transports[name].engine for name in seats)


def test_pair_wait_whose_first_engine_disconnects_waits_for_it_again(
    registry: EngineRegistry,
) -> None:
    pair_wait = PairWait()
    called = wait_for_links(pair_wait, registry, "ann", "bob")
    FakeTransport(registry, "ann").disconnect()
    bob = FakeTransport(registry, "bob")
    assert not called.called
    assert pair_wait.is_waiting
    assert registry.free_names == ["bob"]  # another game could have it
    ann = FakeTransport(registry, "ann")
    assert called.result == (ann.engine, bob.engine)
    assert not pair_wait.is_waiting


def test_pair_wait_when_cancelled_frees_the_engine_that_it_held(registry: EngineRegistry) -> None:
    pair_wait = PairWait()
    called = wait_for_links(pair_wait, registry, "bob", "ann")
    FakeTransport(registry, "ann")
    assert registry.free_names == []
    pair_wait.cancel()
    assert registry.free_names == ["ann"]
    called.addErrback(lambda failure: failure.trap(CancelledError))


def seated(
    registry: EngineRegistry, resume: float
) -> tuple[Clock, GameRunner, list[FakeTransport]]:
    """A game whose engine of Black has disconnected before it began."""
    clock = Clock()
    setup = GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
        limits=WaitLimits(resume=resume),
    )
    transports = [FakeTransport(registry, name) for name in setup.names]
    participants = (AttachedParticipant(registry, "ann"), AttachedParticipant(registry, "bob"))
    links = (transports[Seat.BLACK].engine, transports[Seat.WHITE].engine)
    for link in links:
        link.taken = True
    transports[Seat.BLACK].disconnect()
    runner = GameRunner(
        World(cast("Reactor", clock)), Game(setup), participants, links, lambda _: None
    )
    runner.start()
    return clock, runner, transports


def test_engine_that_left_before_the_game_began_may_resume_it(registry: EngineRegistry) -> None:
    _clock, runner, transports = seated(registry, resume=10)
    assert not runner.done.called
    assert transports[Seat.BLACK].asked == b""
    back = FakeTransport(registry, "ann")
    assert back.asked == transports[Seat.WHITE].asked == b"1 protocol_version\n"
    runner.abort("enough")


def test_engine_that_left_before_the_game_began_loses_without_resumption(
    registry: EngineRegistry,
) -> None:
    clock, runner, transports = seated(registry, resume=0)
    record = cast("Finished", runner.done.result).record
    assert (record.winner, record.reason) == ("w", "disconnect")
    assert transports[Seat.WHITE].asked == b""
    assert registry.free_names == ["bob"]
    assert clock.getDelayedCalls() == []
