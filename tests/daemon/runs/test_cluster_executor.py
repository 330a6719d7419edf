"""The executor of a cluster, whose orders a test finishes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import settle
from tests.daemon.runs.conftest import plan_of
from tests.daemon.runs.sinks import Sink
from tests.support.runs import random_record
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import Threads
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.news import GameBegins, GameEnds, News
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.cluster import ClusterExecutor, play_on_cluster
from yoddd.daemon.runs.pair_worker import PairOrder, abort_pairs
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.referee.tournament.config import ConfigError, EngineConfig, TournamentConfig, make_plan
from yoddd.referee.tournament.tournament import ArchiveMismatch, Assignment, Tournament
from yoddd.workers import Cluster, WorkerError, WorkerLost


class ThreadlessClock(Clock):
    """A clock as a reactor to which calls of other threads come when it is advanced."""

    def callFromThread(self, function: Callable[..., object], *args: object) -> None:
        self.callLater(0, function, *args)


class NoThreads:
    """Makes calls at once that would be made in threads."""

    def run(self, work: Callable[[], object]) -> Deferred[Any]:
        return maybeDeferred(work)

    def close(self, patience: float | None = None) -> None: ...


class FakeCluster:
    """Keeps orders until a test finishes them."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.orders: list[PairOrder] = []
        self.futures: list[Future[list[PlayedGame]]] = []
        self.aborted: list[str] = []
        self.tell: Callable[[tuple[int, News]], None] = lambda _told: None

    def count_threads(self) -> int:
        if not self.threads:
            raise WorkerError("the scheduler does not answer")
        return self.threads

    def listen(self, _run: str, receive: Callable[[tuple[int, News]], None]) -> None:
        self.tell = receive

    def submit(self, _function: Any, *args: Any, **_named: Any) -> Future[Any]:
        order, number = args
        self.orders.append(order)
        self.futures.append(Future())
        assert number == len(self.orders)
        return self.futures[-1]

    def run_everywhere(self, function: Any, run: str) -> None:
        assert function is abort_pairs
        self.aborted.append(run)


def played(game: Assignment, **changes: Any) -> PlayedGame:
    """A result of a game of an order."""
    setup = game.setup
    record = random_record(setup.id, *setup.names, seed=setup.seed or 1)
    place = {"pair": setup.pair, "leg": setup.leg, "attempt": setup.attempt}
    return PlayedGame(attrs.evolve(record, **place | changes))


@attrs.define
class Bench:
    clock: Clock
    cluster: FakeCluster
    sink: Sink
    news: list[News]
    executor: ClusterExecutor
    done: Deferred[StopReason]

    def settle(self) -> None:
        settle(self.clock)

    def until(self, look: Callable[[Future[Any]], bool], wanted: list[bool]) -> None:
        """Check that the futures of the orders look as wanted."""
        self.settle()
        assert [look(future) for future in self.cluster.futures] == wanted

    def finish(self, order: int, **changes: Any) -> None:
        """Play the games of an order."""
        self.settle()
        games = [played(game, **changes) for game in self.cluster.orders[order - 1].games()]
        self.cluster.futures[order - 1].set_result(games)
        self.settle()

    def begin(self, order: int) -> GameBegins:
        """Have a worker begin an order."""
        news = GameBegins(1, "r1t1p1.1", "ann", "bob")
        self.cluster.tell((order, news))
        self.settle()
        return news

    async def over(self) -> StopReason:
        self.settle()
        assert self.done.called
        return await self.done

    async def error(self) -> BaseException:
        try:
            await self.over()
        except (RunError, ConfigError, WorkerError) as error:
            return error
        raise AssertionError


def start(config: TournamentConfig, threads: int = 1, sink: Sink | None = None) -> Bench:
    clock, cluster = ThreadlessClock(), FakeCluster(threads)
    sink, news = sink or Sink(), list[News]()
    reactor = cast("Reactor", clock)
    tournament = Tournament(make_plan(config))
    executor = ClusterExecutor(
        reactor,
        tournament,
        sink.commit,
        news.append,
        cluster=cast("Cluster", cluster),
        config=config,
        threads=cast("Threads", NoThreads()),
    )
    done = Deferred.fromCoroutine(executor.play())
    settle(clock)
    return Bench(clock, cluster, sink, news, executor, done)


@ensureDeferred
async def test_cluster_executor_archives_the_results_of_all_pairs() -> None:
    bench = start(plan_of(games=6), threads=2)
    assert (bench.executor.concurrency, len(bench.cluster.futures)) == (2, 2)
    bench.begin(99)
    assert bench.executor.running == 0
    begins = bench.begin(1)
    assert bench.executor.running == 1
    for order in range(1, 4):
        bench.finish(order)
    assert await bench.over() is StopReason.OVER
    assert len(bench.sink.games) == 6
    assert bench.news[0] == begins
    assert sum(isinstance(news, GameEnds) for news in bench.news) == 6
    assert not bench.cluster.aborted


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ConfigError("another program"), ConfigError, "another program"),
        (WorkerLost("too many workers were lost"), WorkerError, "too many workers were lost"),
        (OSError("no memory"), RunError, "r1t1p1.1: no memory"),
    ],
)
@ensureDeferred
async def test_cluster_executor_ends_with_the_error_of_a_worker(
    error: Exception, kind: type[Exception], text: str
) -> None:
    bench = start(plan_of(games=4), threads=2)
    assert len(bench.cluster.futures) == 2
    bench.cluster.futures[0].set_exception(error)
    found = await bench.error()
    assert isinstance(found, kind)
    assert str(found) == text
    bench.settle()
    assert bench.cluster.futures[1].cancelled()


@ensureDeferred
async def test_cluster_executor_that_is_paused_takes_back_what_has_not_begun() -> None:
    bench = start(plan_of(games=4), threads=2)
    assert len(bench.cluster.futures) == 2
    bench.begin(1)
    bench.executor.pause()
    assert bench.executor.paused
    bench.finish(1)
    assert bench.cluster.futures[1].cancelled()
    assert (len(bench.sink.games), bench.executor.running) == (2, 0)
    bench.executor.resume()
    bench.finish(3)
    assert await bench.over() is StopReason.OVER


@ensureDeferred
async def test_cluster_executor_limits_its_orders_to_the_concurrency_set() -> None:
    bench = start(plan_of(games=8), threads=3)
    assert len(bench.cluster.futures) == 3
    bench.begin(2)
    bench.executor.set_concurrency(1)
    assert bench.executor.concurrency == 1
    bench.until(lambda one: one.cancelled(), [True, False, True])
    bench.executor.set_concurrency(2)
    bench.settle()
    assert len(bench.cluster.futures) >= 4
    bench.finish(2)
    assert len(bench.cluster.futures) >= 5
    assert bench.cluster.orders[3].pair == bench.cluster.orders[0].pair
    bench.executor.stop()
    assert await bench.over() is StopReason.STOPPED
    assert len(bench.cluster.aborted) == 1
    assert len(list(bench.executor.tournament.missing())) == 6
    bench.until(lambda one: one.done(), [True] * 5)


@ensureDeferred
async def test_cluster_executor_ends_with_an_error_at_a_game_of_another_tournament() -> None:
    bench = start(plan_of(games=2))
    bench.finish(1, pair="r9t9p9")
    with pytest.raises(ArchiveMismatch):
        await bench.over()


def test_play_on_cluster_refuses_engines_that_attach(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, TournamentConfig(engine=(EngineConfig(engine="tcp:ann"),)))
    with pytest.raises(ConfigError, match="engines that connect"):
        play_on_cluster(folder, "tcp://127.0.0.1:1", lambda _news: None)
    folder.close()
