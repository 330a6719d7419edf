"""An executor between attached engines: gates, limited waits, stops and void games."""

from __future__ import annotations

from typing import cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, error_of, settle
from tests.daemon.leaks import LoggedErrors
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.local_executor import LocalExecutor, Waits
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.referee import WaitLimits
from yoddd.referee.plan import Plan, Side
from yoddd.referee.tournament import Tournament
from yoddd.rules import make_rules

NAMES = ("ann", "bob")


@attrs.define
class Setup:
    """A match of ann against bob, with the news of it.

    When a game ends, ``leaving`` disconnect.
    """

    clock: Clock = attrs.Factory(Clock)
    registry: EngineRegistry = attrs.Factory(lambda: EngineRegistry(Clock().seconds))
    gate: StartGate = attrs.Factory(StartGate)
    news: list[News] = attrs.Factory(list)
    leaving: list[AnsweringEngine] = attrs.Factory(list)
    failures: list[Exception] = attrs.Factory(list)
    shown: list[LiveGame] = attrs.Factory(list)

    def attach(self, name: str, *turns: str) -> AnsweringEngine:
        return AnsweringEngine(self.clock, self.registry, name, turns)

    def start(
        self, games: int = 1, *, wait: float | None = None, absence: float = 300.0
    ) -> tuple[LocalExecutor, Deferred[StopReason]]:
        plan = Plan(
            sides=tuple(map(Side, NAMES)),
            rules=make_rules("yodd", "hex2"),
            pairs=(games + 1) // 2,
            games=games,
            limits=WaitLimits(absence=absence),
        )
        executor = LocalExecutor(
            World(cast("Reactor", self.clock)),
            Tournament(plan),
            lambda entrant, _slot: AttachedParticipant(self.registry, NAMES[entrant]),
            None,
            self._hear,
            waits=Waits(self.gate, wait),
        )
        executor.show = self.shown.append
        done = Deferred.fromCoroutine(executor.play())
        settle(self.clock)
        return executor, done

    def _hear(self, news: News) -> None:
        self.news.append(news)
        if isinstance(news, TurnSeen) and self.failures:
            raise self.failures.pop()
        while isinstance(news, GameEnds) and self.leaving:
            self.leaving.pop().disconnect()

    @property
    def ends(self) -> list[tuple[str, str | None, str]]:
        """Black, winner and reason of each game that is over."""
        records = [one.record for one in self.news if isinstance(one, GameEnds)]
        return [(record.black, record.winner, record.reason) for record in records]


@pytest.fixture
def world() -> Setup:
    return Setup()


def test_executor_plays_all_games_and_swaps_the_seats(world: Setup) -> None:
    world.attach("ann", "1a1")
    world.attach("bob")
    executor, done = world.start(games=2)
    assert done.result is StopReason.OVER
    assert executor.tournament.points == [2, 0]
    assert world.ends == [("ann", "b", "resign"), ("bob", "w", "resign")]
    kinds = [type(one) for one in world.news]
    assert kinds == [GameBegins, TurnSeen, GameEnds, GameBegins, GameEnds]
    assert isinstance(world.news[1], TurnSeen)
    assert (world.news[1].number, world.news[1].seat, world.news[1].token) == (1, "b", "1a1")
    assert world.registry.free_names == ["ann", "bob"]
    assert world.clock.getDelayedCalls() == []


def test_executor_without_an_engine_at_the_start_fails_with_absent(world: Setup) -> None:
    world.attach("ann")
    _, done = world.start(wait=5)
    world.clock.advance(4)
    assert not done.called
    world.clock.advance(1)
    assert str(error_of(done)) == "not attached: bob"
    assert world.news == []
    assert world.registry.free_names == ["ann"]


def test_executor_whose_engine_leaves_between_games_counts_a_loss(world: Setup) -> None:
    world.attach("ann")
    world.leaving = [world.attach("bob")]
    executor, done = world.start(games=2, wait=5, absence=3)
    world.clock.advance(3)
    assert str(error_of(done)) == "not attached: bob"
    assert world.ends == [("ann", "w", "resign"), ("bob", "w", "disconnect")]
    assert executor.tournament.points == [1, 1]


def test_executor_whose_engines_both_leave_counts_no_loss(world: Setup) -> None:
    world.leaving = [world.attach("ann"), world.attach("bob")]
    _, done = world.start(games=2, wait=5, absence=3)
    world.clock.advance(3)
    assert str(error_of(done)) == "not attached: bob, ann"
    assert len(world.ends) == 1


def test_executor_waits_for_the_gate_before_each_game(world: Setup) -> None:
    world.attach("ann")
    world.attach("bob")
    world.gate.close("maintenance")
    _, done = world.start()
    assert (world.news, done.called) == ([], False)
    world.gate.open()
    settle(world.clock)
    assert len(world.ends) == 1
    assert done.called


def test_executor_stopped_at_the_gate_plays_nothing(world: Setup) -> None:
    world.gate.close("maintenance")
    executor, done = world.start()
    executor.stop()
    assert done.called
    assert world.news == []


def test_executor_stopped_while_it_waits_frees_the_engine(world: Setup) -> None:
    world.attach("ann")
    executor, done = world.start()
    executor.stop()
    assert done.called
    assert world.registry.free_names == ["ann"]


def test_executor_stopped_in_a_game_makes_it_void(world: Setup) -> None:
    world.attach("ann")
    executor, done = world.start(games=5)
    engine = world.attach("bob")  # the game begins, and no reply is read before `settle`
    assert engine.asked == ["protocol_version"]
    executor.stop(void="the match was stopped")
    assert done.called
    assert world.ends == [("ann", None, "void")]


def test_executor_plays_an_aborted_game_again(world: Setup) -> None:
    world.attach("ann")
    world.start()
    world.attach("bob")
    world.shown[0].abort("aborted by the administrator")
    world.attach("ann")
    world.attach("bob")  # those of the aborted game owed a reply
    settle(world.clock)
    assert world.ends == [("ann", None, "void"), ("ann", "w", "resign")]
    world.shown[1].abort("too late")
    assert len(world.ends) == 2


def test_executor_whose_news_cannot_be_taken_plays_the_game_again(
    world: Setup, logged_errors: LoggedErrors
) -> None:
    world.attach("ann", "1a1", "1a1")
    world.attach("bob", "1b1", "1b1")
    world.failures.append(BrokenPipeError(32, "Broken pipe"))
    executor, done = world.start()
    world.attach("bob")  # its connection was closed, since it owed a reply
    settle(world.clock)
    assert world.ends == [("ann", None, "void"), ("ann", "b", "resign")]
    first = next(one.record for one in world.news if isinstance(one, GameEnds))
    assert first.detail == "the referee failed: BrokenPipeError: [Errno 32] Broken pipe"
    assert first.blame == "referee"
    assert done.result is StopReason.OVER
    assert executor.tournament.points == [1, 0]
    assert logged_errors.flush(BrokenPipeError)
