"""One tournament on many machines, by dask.distributed.

A pair of games is the unit: a worker plays it and returns the records; only this process writes to
the archive. The pairs of a lost worker are played again elsewhere, and a result that comes twice
counts once. The news of running games are events of a topic of the scheduler that is this run's.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import Any, Final

import attrs
from distributed import Client, KilledWorker, get_worker
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

import yoddd
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.executor import RecordSink, StopReason, apply_crash_policy, stops_run
from yoddd.daemon.play.match_command import parse_news
from yoddd.daemon.play.news import GameBegins, GameEnds, News, Watch, begins
from yoddd.daemon.play.played_game import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.pair_worker import format_order, parse_order, parse_played
from yoddd.daemon.runs.preparation import check_hashes, introduce_engines, is_attached
from yoddd.daemon.runs.run import RunWatch, play_run
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.referee.config import ConfigError, TournamentConfig
from yoddd.referee.tournament import Assignment, Tournament

QUEUED_PER_THREAD: Final = 2
"""Pairs in the scheduler for each thread of a worker, so that no thread is idle."""

MAX_LOSSES: Final = 100
"""Times that one pair may lose its worker before the run ends."""

COUNT_INTERVAL: Final = 1.0
"""Seconds between two counts of the workers' threads."""

_PLAYING: Final[dict[str, subprocess.Popen[str]]] = {}
"""On a worker: the processes that play, by the key of their order."""


_INTRODUCED: Final[set[str]] = set()
"""On a worker: the topics of the runs whose engines can play here."""

_INTRODUCING: Final = threading.Lock()
"""Held while the engines of a run are introduced, once for all threads of a worker."""


def play_order(order: str, version: str, topic: str, key: str) -> list[str]:
    """On a worker: play the games of an order in a process of their own.

    The process ends with its input, so that nothing outlives a worker that is killed.

    Raises:
        RunError: the worker has another version of yoddd, or the games were aborted.
        ConfigError: an engine is another program here, or cannot play.
    """
    if version != yoddd.__version__:
        raise RunError(f"a worker runs yoddd {yoddd.__version__}, not {version}")
    config, _ = parse_order(order)
    for engine in config.engine:
        check_hashes(engine)
    with _INTRODUCING:
        if topic not in _INTRODUCED:
            introduce_engines(config)
            _INTRODUCED.add(topic)
    worker: Any = get_worker()
    records = []
    with subprocess.Popen(
        [sys.executable, "-m", "yoddd.daemon.runs.pair_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RunError("no pipes")
        _PLAYING[key] = process
        process.stdin.write(order + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("{"):
                records.append(line)
            else:
                worker.log_event(topic, (key, line.rstrip()))
        del _PLAYING[key]
    if process.returncode:
        raise RunError(f"the games were aborted with exit status {process.returncode}")
    return records


def abort_orders(topic: str) -> None:
    """On a worker: abort the games of a run."""
    for key, process in list(_PLAYING.items()):
        if key.startswith(topic) and process.stdin is not None:
            process.stdin.close()


@attrs.define(eq=False)
class _Order:
    """A pair that is with the scheduler.

    Attributes:
        games: what is to be played.
        losses: times that it has lost its worker.
        begun: whether a worker plays it.
        future: the scheduler's handle of it.
    """

    games: list[Assignment]
    losses: int = 0
    begun: bool = False
    future: Any = None


def _named(news: News, order: _Order) -> News:
    """News of a worker with what its line leaves out."""
    if not isinstance(news, GameBegins):
        return news
    return next(begins(news.number, one.setup) for one in order.games if one.setup.id == news.id)


class ClusterExecutor:
    """An `Executor` that plays on the workers of a scheduler.

    Attributes:
        tournament: as it stands.
        paused: whether no further pair is begun.
    """

    def __init__(
        self,
        reactor: Reactor,
        client: Any,
        config: TournamentConfig,
        tournament: Tournament,
        sink: RecordSink,
        watch: Watch,
    ) -> None:
        """Prepare; ``watch`` is called with all news of the games."""
        self.tournament = tournament
        self.paused = False
        self._reactor = reactor
        self._client = client
        self._config = config
        self._sink = sink
        self._watch = watch
        self._topic = f"yoddd-{secrets.token_hex(8)}"
        # What the scheduler has, by key.
        self._orders: dict[str, _Order] = {}
        # Orders submitted so far; makes their keys unique.
        self._sent = 0
        # Threads of all workers, counted every `COUNT_INTERVAL` seconds.
        self._threads = 0
        # Orders in the scheduler at once at most; None for as many as the threads can use.
        self._limit: int | None = None
        # Set once, when no further pair may begin; None while games are played.
        self._reason: StopReason | None = None
        # Fires when no order is left.
        self._done: Deferred[StopReason] = Deferred()

    @property
    def concurrency(self) -> int:
        """The most games at once: the number set, or that of all threads."""
        return self._limit or self._threads

    @property
    def running(self) -> int:
        """The number of games in play."""
        return sum(order.begun for order in self._orders.values())

    async def play(self) -> StopReason:
        """Play until the tournament is over or `stop` is called.

        Raises:
            RunError: a result could not be written, the scheduler is gone, or a pair was lost too
                often.
            ConfigError: a worker has other engines.
        """
        self._client.subscribe_topic(
            self._topic, lambda event: self._reactor.callFromThread(self._on_news, *event[1])
        )
        counting = LoopingCall(self._count)
        counting.clock = self._reactor
        counting.start(COUNT_INTERVAL)
        try:
            return await self._done
        finally:
            counting.stop()
            self._orders.clear()
            await deferToThread(self._unsubscribe)

    def pause(self) -> None:
        """Begin no further pair; running pairs are played to their end."""
        self.paused = True
        self._take_back(order for order in self._orders.values() if not order.begun)

    def resume(self) -> None:
        """Begin pairs again after a pause."""
        self.paused = False
        self._fill()

    def stop(self, reason: StopReason = StopReason.STOPPED) -> None:
        """Abort the games that run; they have no result and stay missing."""
        self._reason = self._reason or reason
        self._take_back(self._orders.values())
        self._fill()

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer games at once from now on; no running game is aborted."""
        self._limit = games
        self._take_back(order for order in self._orders.values() if not order.begun)
        self._fill()

    # -- the scheduler ----------------------------------------------------------------------

    def _count(self) -> Deferred[None]:
        def counted(threads: dict[str, int]) -> None:
            self._threads = sum(threads.values())
            self._fill()

        def silent(failure: Failure) -> None:
            self.fail(RunError(f"the scheduler does not answer: {failure.getErrorMessage()}"))

        count: Deferred[dict[str, int]] = deferToThread(self._client.nthreads)
        return count.addCallbacks(counted, silent)

    def _unsubscribe(self) -> None:
        """In a thread: abort what the workers still play for this run."""
        self._client.unsubscribe_topic(self._topic)
        if self._reason is not None:
            self._client.run(abort_orders, self._topic, on_error="ignore")

    def _fill(self) -> None:
        """Submit pairs until every thread has enough of them."""
        most = self._limit or QUEUED_PER_THREAD * max(1, self._threads)
        while self._reason is None and not self.paused and len(self._orders) < most:
            games = self.tournament.next_pair()
            if not games:
                break
            self._send(_Order(games))
        over = self._reason or (StopReason.OVER if self.tournament.is_over else None)
        if over and not self._orders and not self._done.called:
            self._done.callback(over)

    def _send(self, order: _Order) -> None:
        first = order.games[0]
        self._sent += 1
        key = f"{self._topic}-{first.setup.id}-{self._sent}"
        order.begun = False
        self._orders[key] = order
        order.future = self._client.submit(
            play_order,
            format_order(self._config, order.games),
            yoddd.__version__,
            self._topic,
            key,
            key=key,
            pure=False,
            # Earlier pairs of the schedule are played first.
            priority=-first.pair.number,
        )
        order.future.add_done_callback(self._on_done)

    def _take_back(self, orders: Iterable[_Order]) -> None:
        """Cancel some orders; their games are due again."""
        back = list(orders)
        self._orders = {key: order for key, order in self._orders.items() if order not in back}
        for order in back:
            for game in order.games:
                self.tournament.put_back(game)
        if back:
            futures = [order.future for order in back]
            cancelled: Deferred[object] = deferToThread(self._client.cancel, futures, force=True)
            cancelled.addErrback(_ignore)

    # -- results ----------------------------------------------------------------------------

    def _on_news(self, key: str, line: str) -> None:
        order = self._orders.get(key)
        if order is not None:
            order.begun = True
            self._watch(_named(parse_news(line), order))

    def _on_done(self, future: Any) -> None:
        """In a thread of distributed: fetch the result of an order."""
        found: list[str] | BaseException
        try:
            if future.status == "finished":
                found = future.result()
            else:
                found = future.exception() or RunError(f"the scheduler says {future.status}")
        except BaseException as error:  # noqa: BLE001 — a cancelled future raises no Exception
            found = error
        self._reactor.callFromThread(self._on_result, future.key, found)

    def _on_result(self, key: str, found: list[str] | BaseException) -> None:
        order = self._orders.get(key)
        if order is None:
            return
        if isinstance(found, BaseException):
            del self._orders[key]
            self._on_error(order, found)
        else:
            committed = Deferred.fromCoroutine(self._commit(key, found))
            committed.addErrback(self._on_failure)

    def _on_error(self, order: _Order, error: BaseException) -> None:
        """Submit the order again if its worker was lost; any other error ends the run."""
        order.losses += 1
        if isinstance(error, ConfigError) or order.losses > MAX_LOSSES:
            self.fail(error)
        elif isinstance(error, KilledWorker | RunError):
            self._send(order)
        else:
            self.fail(RunError(f"{order.games[0].setup.id}: {error}"))

    async def _commit(self, key: str, lines: list[str]) -> None:
        policy = self.tournament.plan.on_crash
        for played in map(parse_played, lines):
            record = apply_crash_policy(played.record, policy)
            if self.tournament.has(record):
                continue
            await self._sink.commit(PlayedGame(record, played.bundle))
            self.tournament.take(record)
            self._watch(GameEnds(self.tournament.number_of(record), record))
            if stops_run(played.record, policy):
                self._reason = self._reason or StopReason.CRASHED
        self._orders.pop(key, None)
        if self._reason is None and self.tournament.is_decided:
            self._reason = StopReason.OVER
        if self._reason is not None:
            self._take_back(self._orders.values())
        self._fill()

    def _on_failure(self, failure: Failure) -> None:
        self.fail(failure.value or RunError("unknown error"))

    def fail(self, error: BaseException) -> None:
        """Abort the games that run as `stop` does, and let `play` raise ``error``."""
        if not self._done.called:
            self._reason = StopReason.STOPPED
            self._done.errback(error)


def _ignore(_failure: Failure) -> None:
    """A scheduler that is gone has no orders to cancel."""


def play_on_cluster(folder: RunFolder, address: str, watch: RunWatch) -> StopReason:
    """Play what is missing in a folder on the workers of a scheduler.

    Raises:
        RunError: the scheduler cannot be reached, a result cannot be written, or a pair was lost
            too often.
        ConfigError: an engine cannot play there.
    """
    for engine in folder.config.engine:
        if is_attached(engine):
            raise ConfigError(
                f"{engine.engine}: engines that connect to the run are not on the workers"
            )
    try:
        client: Any = Client(address, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise RunError(f"{address}: {error}") from None

    def workers(
        reactor: Reactor, tournament: Tournament, sink: RecordSink, watch_games: Watch
    ) -> ClusterExecutor:
        return ClusterExecutor(reactor, client, folder.config, tournament, sink, watch_games)

    try:
        return play_run(folder, watch, workers)
    finally:
        client.close()
