"""The executor of a cluster against a scheduler in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import deferLater

pytest.importorskip("distributed")

from distributed import KilledWorker

from tests.daemon.runs.conftest import plan_of
from tests.support.runs import random_record
from yoddd import __version__
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.match_command import format_news
from yoddd.daemon.play.news import GameBegins, GameEnds, News
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.cluster import (
    MAX_LOSSES,
    QUEUED_PER_THREAD,
    ClusterExecutor,
    play_on_cluster,
    play_order,
)
from yoddd.daemon.runs.pair_worker import format_order, format_played, parse_order
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig, make_plan
from yoddd.referee.plan import OnCrash
from yoddd.referee.tournament import Assignment, Tournament

reactor = cast("Reactor", installed)


class Future:
    """An order that the scheduler has."""

    def __init__(self, order: str, key: str, status: str = "finished") -> None:
        self.order = order
        self.key = key
        self.status = status
        self._result: Any = None
        self._callback: Callable[[Future], None] = lambda _future: None

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        self._callback = callback

    def result(self) -> Any:
        return self._result

    def exception(self) -> Any:
        return self._result

    def finish(self, result: Any, status: str = "finished") -> None:
        self._result, self.status = result, status
        self._callback(self)


class Scheduler:
    """Keeps orders until a test finishes them; a client and the scheduler in one."""

    def __init__(self) -> None:
        self.threads = {"worker": 1}
        self.futures: list[Future] = []
        self.cancelled: list[Future] = []
        self.aborted: list[str] = []
        self.tell: Callable[[tuple[float, tuple[str, str]]], None] | None = None

    def nthreads(self) -> dict[str, int]:
        if not self.threads:
            raise OSError("gone")
        return self.threads

    def subscribe_topic(self, _topic: str, handler: Any) -> None:
        self.tell = handler

    def unsubscribe_topic(self, _topic: str) -> None:
        self.tell = None

    def submit(self, _function: Any, order: str, *_rest: str, key: str, **_how: Any) -> Future:
        self.futures.append(Future(order, key))
        return self.futures[-1]

    def cancel(self, futures: list[Future], *, force: bool) -> None:
        assert force
        self.cancelled += futures

    def run(self, _function: Any, topic: str, **_how: Any) -> None:
        self.aborted.append(topic)


class Sink:
    def __init__(self) -> None:
        self.games: list[PlayedGame] = []

    def commit(self, game: PlayedGame) -> Deferred[None]:
        self.games.append(game)
        return succeed(None)


def played(game: Assignment, **changes: Any) -> PlayedGame:
    """A result of a game of an order."""
    setup = game.setup
    record = random_record(setup.id, *setup.names, seed=setup.seed or 1)
    place = {"pair": setup.pair, "leg": setup.leg, "attempt": setup.attempt}
    return PlayedGame(attrs.evolve(record, **place | changes))


def results(future: Future, **changes: Any) -> list[str]:
    return [format_played(played(game, **changes)) for game in parse_order(future.order)[1]]


@attrs.define
class Bench:
    scheduler: Scheduler
    sink: Sink
    news: list[News]
    executor: ClusterExecutor
    done: Deferred[StopReason]

    async def submitted(self, orders: int) -> list[Future]:
        """The first orders, once there are so many."""
        for _ in range(500):
            if len(self.scheduler.futures) >= orders:
                return self.scheduler.futures[:orders]
            await deferLater(reactor, 0.01)
        raise AssertionError(len(self.scheduler.futures))

    async def error(self) -> BaseException:
        try:
            await self.done
        except (RunError, ConfigError) as error:
            return error
        raise AssertionError


def start(config: TournamentConfig) -> Bench:
    scheduler, sink, news = Scheduler(), Sink(), list[News]()
    tournament = Tournament(make_plan(config))
    executor = ClusterExecutor(reactor, scheduler, config, tournament, sink, news.append)
    done = Deferred.fromCoroutine(executor.play())
    return Bench(scheduler, sink, news, executor, done)


@ensureDeferred
async def test_cluster_executor_archives_the_results_of_all_pairs() -> None:
    bench = start(plan_of(games=6))
    futures = await bench.submitted(QUEUED_PER_THREAD)
    assert bench.executor.concurrency == 1
    assert len(bench.scheduler.futures) == QUEUED_PER_THREAD
    assert bench.scheduler.tell is not None
    begin = GameBegins(1, "r1t1p1.1", "ann", "bob")
    bench.scheduler.tell((0.0, (futures[0].key, format_news(begin))))
    bench.scheduler.tell((0.0, ("unknown", format_news(begin))))
    await deferLater(reactor, 0.01)
    assert bench.executor.running == 1
    for number in range(3):
        future = (await bench.submitted(number + 1))[number]
        future.finish(results(future))
        future.finish(results(future))  # a scheduler may tell twice
    assert await bench.done is StopReason.OVER
    assert len(bench.sink.games) == 6
    assert bench.news[0] == begin
    assert sum(isinstance(news, GameEnds) for news in bench.news) == 6
    assert bench.scheduler.tell is None


@ensureDeferred
async def test_cluster_executor_submits_the_pair_of_a_lost_worker_again() -> None:
    bench = start(plan_of(games=2))
    for number, error in enumerate(
        (KilledWorker("task", cast("Any", None), 1), RunError("aborted"))
    ):
        (await bench.submitted(number + 1))[number].finish(error, "error")
    last = (await bench.submitted(3))[2]
    last.finish(results(last))
    assert await bench.done is StopReason.OVER


@pytest.mark.slow
@ensureDeferred
async def test_cluster_executor_gives_a_pair_up_that_is_lost_too_often() -> None:
    bench = start(plan_of(games=2))
    for number in range(MAX_LOSSES + 1):
        (await bench.submitted(number + 1))[number].finish(RunError("aborted"), "error")
    assert str(await bench.error()) == "aborted"


@pytest.mark.parametrize(
    ("error", "status", "kind", "text"),
    [
        (ConfigError("another program"), "error", ConfigError, "another program"),
        (OSError("no memory"), "error", RunError, "r1t1p1.1: no memory"),
    ],
)
@ensureDeferred
async def test_cluster_executor_ends_with_the_error_of_a_worker(
    error: Exception, status: str, kind: type[Exception], text: str
) -> None:
    bench = start(plan_of(games=2))
    (await bench.submitted(1))[0].finish(error, status)
    found = await bench.error()
    assert isinstance(found, kind)
    assert str(found) == text


@ensureDeferred
async def test_cluster_executor_ends_where_the_scheduler_is_gone() -> None:
    bench = start(plan_of(games=2))
    bench.scheduler.threads = {}
    assert "the scheduler does not answer" in str(await bench.error())


@ensureDeferred
async def test_cluster_executor_that_is_paused_takes_back_what_has_not_begun() -> None:
    bench = start(plan_of(games=4))
    first, second = await bench.submitted(2)
    assert bench.scheduler.tell is not None
    begin = format_news(GameBegins(1, "r1t1p1.1", "ann", "bob"))
    bench.scheduler.tell((0.0, (first.key, begin)))
    await deferLater(reactor, 0.01)
    bench.executor.pause()
    assert bench.executor.paused
    first.finish(results(first))
    await deferLater(reactor, 0.05)
    assert bench.scheduler.cancelled == [second]
    assert (len(bench.sink.games), bench.executor.running) == (2, 0)
    bench.executor.resume()
    third = (await bench.submitted(3))[2]
    third.finish(results(third))
    assert await bench.done is StopReason.OVER


@ensureDeferred
async def test_cluster_executor_limits_its_orders_to_the_concurrency_set() -> None:
    bench = start(plan_of(games=6))
    await bench.submitted(QUEUED_PER_THREAD)
    bench.executor.set_concurrency(1)
    assert bench.executor.concurrency == 1
    assert len(await bench.submitted(3)) == 3
    await deferLater(reactor, 0.02)
    assert len(bench.scheduler.cancelled) == QUEUED_PER_THREAD
    assert len(bench.scheduler.futures) == 3
    bench.executor.stop()
    assert await bench.done is StopReason.STOPPED
    assert len(bench.scheduler.aborted) == 1
    assert len(list(bench.executor.tournament.missing())) == 6


@ensureDeferred
async def test_cluster_executor_stops_at_a_crash_under_that_policy() -> None:
    bench = start(plan_of(games=4, on_crash=OnCrash.STOP))
    first = (await bench.submitted(1))[0]
    first.finish(results(first, reason="crash", winner="w", blame="b", score=None))
    assert await bench.done is StopReason.CRASHED
    assert len(bench.sink.games) == 2


def test_play_order_refuses_another_version_or_program() -> None:
    config = plan_of(games=2)
    other = attrs.evolve(config.engine[0], hashes={"/no/such/program": "0"})
    games = Tournament(make_plan(config)).next_pair()
    order = format_order(attrs.evolve(config, engine=(other, config.engine[1])), games)
    with pytest.raises(RunError, match="a worker runs yoddd"):
        play_order(order, "0.0.0", "topic", "key")
    with pytest.raises(ConfigError, match="/no/such/program"):
        play_order(order, __version__, "topic", "key")


@pytest.mark.slow
def test_play_order_refuses_an_engine_that_cannot_play() -> None:
    config = plan_of(games=2)
    wrong = attrs.evolve(config.engine[0], engine="builtin:random", params={"playuts": "1"})
    config = attrs.evolve(config, engine=(wrong, config.engine[1]))
    order = format_order(config, Tournament(make_plan(plan_of(games=2))).next_pair())
    for _ in range(2):
        with pytest.raises(ConfigError, match="refused set_param playuts 1"):
            play_order(order, __version__, "topic", "key")


def test_play_on_cluster_refuses_engines_that_attach(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, TournamentConfig(engine=(EngineConfig(engine="tcp:ann"),)))
    with pytest.raises(ConfigError, match="engines that connect"):
        play_on_cluster(folder, "tcp://127.0.0.1:1", lambda _news: None)
    folder.close()


@ensureDeferred
async def test_cluster_executor_ends_with_an_error_at_output_that_it_cannot_read() -> None:
    bench = start(plan_of(games=2))
    (await bench.submitted(1))[0].finish(["junk"])
    with pytest.raises(ValueError, match="Expecting value"):
        await bench.done
