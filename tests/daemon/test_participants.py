"""Participants and the game runner, without sockets or real time."""

from __future__ import annotations

from typing import cast

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.attached_engine import AttachedEngine
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.participants import AttachedParticipant, Links, PairWait
from yoddd.referee import Finished, Game, GameSetup, Seat
from yoddd.referee.clock import parse_clock
from yoddd.referee.game_setup import WaitLimits
from yoddd.rules import make_rules


class Wire:
    """The connection of an engine; keeps what is asked."""

    def __init__(self, registry: EngineRegistry, name: str) -> None:
        self.asked = b""
        self._registry = registry
        self.engine = AttachedEngine(name, self)
        assert registry.add(self.engine) is None

    def send(self, data: bytes) -> None:
        self.asked += data

    def read(self, *, wanted: bool) -> None:
        raise AssertionError(wanted)

    def release(self, engine: AttachedEngine) -> None:
        self._registry.remove(engine)

    def leave(self) -> None:
        """The connection is lost."""
        self._registry.remove(self.engine)
        self.engine.ended("gone")


@pytest.fixture
def registry() -> EngineRegistry:
    return EngineRegistry()


def wait_for_links(
    pair_wait: PairWait, registry: EngineRegistry, black: str, white: str
) -> Deferred[Links]:
    people = (AttachedParticipant(registry, name) for name in (black, white))
    return Deferred.fromCoroutine(pair_wait.wait_for_links(*people))


@pytest.mark.parametrize("seats", [("ann", "bob"), ("bob", "ann")])
def test_pair_wait_returns_links_by_seat(registry: EngineRegistry, seats: tuple[str, str]) -> None:
    called = wait_for_links(PairWait(), registry, *seats)
    wires = {name: Wire(registry, name) for name in ("bob", "ann")}
    links = cast("Links", called.result)
    assert links == tuple(wires[name].engine for name in seats)


def test_pair_wait_engine_lost_meanwhile_is_waited_for_again(
    registry: EngineRegistry,
) -> None:
    pair_wait = PairWait()
    called = wait_for_links(pair_wait, registry, "ann", "bob")
    Wire(registry, "ann").leave()
    bob = Wire(registry, "bob")
    assert not called.called
    assert pair_wait.is_waiting
    assert registry.free_names == ["bob"]  # another game could have him
    ann = Wire(registry, "ann")
    assert called.result == (ann.engine, bob.engine)
    assert not pair_wait.is_waiting


def test_pair_wait_cancelled_releases_the_first_engine(registry: EngineRegistry) -> None:
    pair_wait = PairWait()
    called = wait_for_links(pair_wait, registry, "bob", "ann")
    Wire(registry, "ann")
    assert registry.free_names == []
    pair_wait.cancel()
    assert registry.free_names == ["ann"]
    called.addErrback(lambda failure: failure.trap(CancelledError))


def seated(registry: EngineRegistry, resume: float) -> tuple[Clock, GameRunner, list[Wire]]:
    """A game that Black's engine has left before it began."""
    clock = Clock()
    setup = GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
        limits=WaitLimits(resume=resume),
    )
    wires = [Wire(registry, name) for name in setup.names]
    people = (AttachedParticipant(registry, "ann"), AttachedParticipant(registry, "bob"))
    links = (wires[Seat.BLACK].engine, wires[Seat.WHITE].engine)
    for link in links:
        link.taken = True
    wires[Seat.BLACK].leave()
    runner = GameRunner(cast("Reactor", clock), Game(setup), people, links, lambda _: None)
    runner.start()
    return clock, runner, wires


def test_game_runner_engine_lost_before_the_game_may_resume(registry: EngineRegistry) -> None:
    _clock, runner, wires = seated(registry, resume=10)
    assert not runner.done.called
    assert wires[Seat.BLACK].asked == b""
    back = Wire(registry, "ann")
    assert back.asked == wires[Seat.WHITE].asked == b"1 protocol_version\n"
    runner.abort("enough")


def test_game_runner_engine_lost_before_the_game_forfeits(
    registry: EngineRegistry,
) -> None:
    clock, runner, wires = seated(registry, resume=0)
    record = cast("Finished", runner.done.result).record
    assert (record.winner, record.reason) == ("w", "disconnect")
    assert wires[Seat.WHITE].asked == b""
    assert registry.free_names == ["bob"]
    assert clock.getDelayedCalls() == []
