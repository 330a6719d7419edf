"""One tournament on many machines.

A pair of games is the unit: a worker plays it and returns the records; only this process writes to
the archive.
"""

from __future__ import annotations

import secrets
from concurrent.futures import Future
from functools import partial
from typing import Final

import attrs
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import LoopingCall

from yoddd.daemon.base.world import Threads
from yoddd.daemon.play.executor import SlotExecutor, StopReason
from yoddd.daemon.play.news import News
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.pair_worker import PairOrder, abort_pairs, play_pair
from yoddd.daemon.runs.preparation import is_attached
from yoddd.daemon.runs.run import RunWatch, play_run
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.referee.tournament.config import ConfigError, TournamentConfig
from yoddd.referee.tournament.tournament import Assignment
from yoddd.workers import Cluster, WorkerError

COUNT_INTERVAL: Final = 1.0
"""Seconds between two counts of the workers' threads."""

THREADS: Final = 4
"""Requests to the scheduler that are waited for at once."""


@attrs.define(eq=False)
class _Pair:
    """A pair that is with the cluster.

    Attributes:
        order: its number among the orders.
        future: the games as they were played.
        result: the same in the reactor; cancelled where the pair is taken back.
        begun: whether a worker plays it.
    """

    order: int
    future: Future[list[PlayedGame]]
    result: Deferred[list[PlayedGame]]
    begun: bool = False


@attrs.define(eq=False)
class ClusterExecutor(SlotExecutor):
    """Plays one pair for each thread of a cluster's workers."""

    _cluster: Cluster = attrs.field(kw_only=True)
    _config: TournamentConfig = attrs.field(kw_only=True)
    # The run among those that use the cluster.
    _run: str = attrs.Factory(lambda: f"yoddd-{secrets.token_hex(8)}")
    # Those that wait for the scheduler, which may be gone.
    _threads: Threads = attrs.Factory(
        lambda self: Threads(self._reactor, "cluster", THREADS), takes_self=True
    )
    # What the cluster has, by slot.
    _pairs: dict[int, _Pair] = attrs.Factory(dict)
    # Orders submitted so far; the number of the last.
    _sent: int = 0
    # Whether the concurrency was set, so that it is not that of the threads.
    _limited: bool = False
    # Counts the threads.
    _counting: LoopingCall = attrs.Factory(lambda self: LoopingCall(self._count), takes_self=True)

    async def play(self) -> StopReason:
        """Play until the tournament is over or `stop` is called.

        Raises:
            RunError: a result could not be written.
            WorkerError: the cluster is gone, or cannot play.
            ConfigError: a worker has other engines.
        """
        self._cluster.listen(
            self._run, lambda told: self._reactor.callFromThread(self._on_news, *told)
        )
        self._counting.clock = self._reactor
        self._counting.start(COUNT_INTERVAL)
        return await super().play()

    def pause(self) -> None:
        """Begin no further pair, also none that the cluster has already."""
        super().pause()
        self._take_back(len(self._pairs))

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer pairs at once from now on; no running game is aborted."""
        self._limited = True
        self.concurrency = games
        self._take_back(len(self._pairs) - games)
        self._fill()

    def _take_back(self, count: int) -> None:
        """Cancel ``count`` pairs that have not begun, the last first."""
        waiting = [pair for pair in self._pairs.values() if not pair.begun]
        waiting.sort(key=lambda pair: -pair.order)
        for pair in waiting[: max(0, count)]:
            pair.result.cancel()

    async def _count(self) -> None:
        try:
            threads = await self._threads.run(self._cluster.count_threads)
        except WorkerError as error:
            self.fail(error)
        else:
            if not self._limited:
                super().set_concurrency(max(1, threads))

    # -- slots ------------------------------------------------------------------------------

    def _next(self) -> list[Assignment]:
        return self.tournament.next_pair()

    def _in_play(self) -> int:
        """The number of pairs that workers play; others wait for one."""
        return sum(pair.begun for pair in self._pairs.values())

    async def _play(self, number: int, games: list[Assignment]) -> None:
        try:
            pair = self._pairs[number] = self._submit(games)
            finished = await pair.result
        except CancelledError:
            finished = []
            self._threads.run(pair.future.cancel).addErrback(lambda _: None)
        finally:
            self._pairs.pop(number, None)
            self._running.discard(number)
        await self._take(games, finished)
        self._fill()

    def _submit(self, games: list[Assignment]) -> _Pair:
        self._sent += 1
        places = tuple((game.leg, game.attempt) for game in games)
        order = PairOrder(self._run, self._config, games[0].pair, places)
        pair = _Pair(self._sent, self._cluster.submit(play_pair, order, self._sent), Deferred())

        def settle() -> None:
            if pair.future.cancelled():
                return  # so is the result
            error = pair.future.exception()
            if error is None:
                pair.result.callback(pair.future.result())
            elif isinstance(error, ConfigError | WorkerError):
                pair.result.errback(error)
            else:
                pair.result.errback(RunError(f"{games[0].setup.id}: {error}"))

        pair.future.add_done_callback(lambda _: self._reactor.callFromThread(settle))
        return pair

    def _abort(self, number: int, void: str | None) -> None:
        del void
        self._pairs[number].result.cancel()

    async def _close(self) -> None:
        if self._counting.running:
            self._counting.stop()
        if self._reason is not None:
            await self._threads.run(partial(self._cluster.run_everywhere, abort_pairs, self._run))
        self._threads.close(patience=0)

    def _on_news(self, order: int, news: News) -> None:
        for pair in self._pairs.values():
            if pair.order == order:
                pair.begun = True
                self._watch(news)


def play_on_cluster(folder: RunFolder, address: str, watch: RunWatch) -> StopReason:
    """Play the missing games of a folder on the workers of a scheduler.

    Raises:
        RunError: a result cannot be written.
        WorkerError: the scheduler cannot be reached, or the workers cannot play.
        ConfigError: an engine cannot play there.
        ExtraMissing: the extra ``cluster`` is not installed.
    """
    for engine in folder.config.engine:
        if is_attached(engine):
            raise ConfigError(
                f"{engine.engine}: engines that connect to the run are not on the workers"
            )
    with Cluster(address) as cluster:
        make = partial(ClusterExecutor, cluster=cluster, config=folder.config)
        return play_run(folder, watch, make)
