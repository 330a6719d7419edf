"""One tournament on many machines, by dask.distributed.

A pair of games is the unit: a worker plays it and hands the records back; only this process writes
them down. A worker that is lost loses nothing but time: its pairs are played again elsewhere, and a
result that comes twice counts once. While a pair is played its news come as events of a topic that
is this run's own.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
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
from yoddd.daemon.play.match_command import parse_news
from yoddd.daemon.play.match_runner import GameEnds, Watch
from yoddd.daemon.runs.archive import RunError, RunFolder
from yoddd.daemon.runs.arena import Archivist, Ending, ends_run, judged
from yoddd.daemon.runs.pair_play import Played, format_order, parse_order, parse_played
from yoddd.daemon.runs.preparation import check_hashes, is_attached
from yoddd.daemon.runs.tournaments import RunWatch, play_run
from yoddd.referee.config import ConfigError, TournamentConfig
from yoddd.referee.tournament import Assignment, Tournament

AHEAD: Final = 2
"""Pairs that wait in the scheduler for each thread of a worker, so that none is idle."""

LOSSES: Final = 100
"""How often one pair may lose its worker before the run ends."""

CENSUS: Final = 1.0
"""Seconds between two counts of the workers' threads."""

_PLAYING: Final[dict[str, subprocess.Popen[str]]] = {}
"""On a worker: the processes that play, by the key of their order."""


def play_order(order: str, version: str, topic: str, key: str) -> list[str]:
    """What a worker does: play the games of an order in a process of their own.

    The process ends with its input, so that nothing outlives a worker that is killed.

    Raises:
        RunError: the worker has another version of yoddd, or the games broke off.
        ConfigError: an engine is another program here.
    """
    if version != yoddd.__version__:
        raise RunError(f"a worker runs yoddd {yoddd.__version__}, not {version}")
    config, _ = parse_order(order)
    for engine in config.engine:
        check_hashes(engine)
    worker: Any = get_worker()
    records = []
    with subprocess.Popen(
        [sys.executable, "-m", "yoddd.daemon.runs.pair_play"],
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
        raise RunError(f"the games broke off with exit status {process.returncode}")
    return records


def break_off(topic: str) -> None:
    """On a worker: end what it plays for a run."""
    for key, process in list(_PLAYING.items()):
        if key.startswith(topic) and process.stdin is not None:
            process.stdin.close()


@attrs.define(eq=False)
class _Order:
    """A pair that is with the scheduler.

    Attributes:
        games: what is to be played.
        losses: how often it has lost its worker.
        begun: whether a worker plays it.
        future: of the scheduler.
    """

    games: list[Assignment]
    losses: int = 0
    begun: bool = False
    future: Any = None


class Workers:
    """Plays what is missing of a tournament on the workers of a scheduler; a `Player`.

    Attributes:
        tournament: as it stands.
        paused: whether no further pair is begun.
    """

    def __init__(
        self,
        reactor: Reactor,
        client: Any,  # noqa: ANN401 — distributed has no types
        config: TournamentConfig,
        tournament: Tournament,
        archivist: Archivist,
        watch: Watch,
    ) -> None:
        """Prepare; ``watch`` is told everything as it happens."""
        self.tournament = tournament
        self.paused = False
        self._reactor = reactor
        self._client = client
        self._config = config
        self._archivist = archivist
        self._watch = watch
        self._topic = f"yoddd-{secrets.token_hex(8)}"
        self._orders: dict[str, _Order] = {}
        self._sent = 0
        self._threads = 0
        self._chosen: int | None = None
        self._ending: Ending | None = None
        self._done: Deferred[Ending] = Deferred()

    @property
    def concurrency(self) -> int:
        """How many games are played at once: as many as somebody has set, or all can."""
        return self._chosen or self._threads

    @property
    def running(self) -> int:
        """How many games are being played."""
        return sum(order.begun for order in self._orders.values())

    async def play(self) -> Ending:
        """Play until the tournament is over or somebody stops it.

        Raises:
            RunError: a result could not be kept, the scheduler is gone, or a pair was lost too
                often.
            ConfigError: a worker has other engines.
        """
        self._client.subscribe_topic(
            self._topic, lambda event: self._reactor.callFromThread(self._heard, *event[1])
        )
        census = LoopingCall(self._count)
        census.clock = self._reactor
        census.start(CENSUS)
        try:
            return await self._done
        finally:
            census.stop()
            self._orders.clear()
            await deferToThread(self._leave)

    def pause(self) -> None:
        """Begin no further pair; those that run are played to their end."""
        self.paused = True
        self._take_back(order for order in self._orders.values() if not order.begun)

    def resume(self) -> None:
        """Go on after a pause."""
        self.paused = False
        self._fill()

    def stop(self, ending: Ending = Ending.STOPPED) -> None:
        """Break off: games that run have no result and stay missing."""
        self._ending = self._ending or ending
        self._take_back(self._orders.values())
        self._fill()

    def set_concurrency(self, games: int) -> None:
        """Play more or fewer games at once from now on; none is broken off."""
        self._chosen = games
        self._take_back(order for order in self._orders.values() if not order.begun)
        self._fill()

    # -- the scheduler ----------------------------------------------------------------------

    def _count(self) -> Deferred[None]:
        def counted(threads: dict[str, int]) -> None:
            self._threads = sum(threads.values())
            self._fill()

        def silent(failure: Failure) -> None:
            self._fail(RunError(f"the scheduler does not answer: {failure.getErrorMessage()}"))

        count: Deferred[dict[str, int]] = deferToThread(self._client.nthreads)
        return count.addCallbacks(counted, silent)

    def _leave(self) -> None:
        """In a thread: end what the workers still play for us."""
        self._client.unsubscribe_topic(self._topic)
        if self._ending is not None:
            self._client.run(break_off, self._topic, on_error="ignore")

    def _fill(self) -> None:
        """Hand out pairs until every thread has enough of them."""
        most = self._chosen or AHEAD * max(1, self._threads)
        while self._ending is None and not self.paused and len(self._orders) < most:
            games = self.tournament.next_pair()
            if not games:
                break
            self._send(_Order(games))
        over = self._ending or (Ending.OVER if self.tournament.is_over else None)
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
            # Pairs that come first in the schedule are played first.
            priority=-first.pair.number,
        )
        order.future.add_done_callback(self._finished)

    def _take_back(self, orders: Iterable[_Order]) -> None:
        """Ask for some pairs no more; their games are due again."""
        back = list(orders)
        self._orders = {key: order for key, order in self._orders.items() if order not in back}
        for order in back:
            for game in order.games:
                self.tournament.put_back(game)
        if back:
            futures = [order.future for order in back]
            cancelled: Deferred[object] = deferToThread(self._client.cancel, futures, force=True)
            cancelled.addErrback(_ignore)

    # -- what comes back --------------------------------------------------------------------

    def _heard(self, key: str, line: str) -> None:
        order = self._orders.get(key)
        if order is not None:
            order.begun = True
            self._watch(parse_news(line))

    def _finished(self, future: Any) -> None:  # noqa: ANN401 — distributed has no types
        """In a thread of distributed: fetch the result."""
        found: list[str] | BaseException
        try:
            if future.status == "finished":
                found = future.result()
            else:
                found = future.exception() or RunError(f"the scheduler says {future.status}")
        except BaseException as error:  # noqa: BLE001 — a cancelled future raises no Exception
            found = error
        self._reactor.callFromThread(self._take, future.key, found)

    def _take(self, key: str, found: list[str] | BaseException) -> None:
        order = self._orders.get(key)
        if order is None:
            return
        if isinstance(found, BaseException):
            del self._orders[key]
            self._lost(order, found)
        else:
            kept = Deferred.fromCoroutine(self._keep(key, [parse_played(line) for line in found]))
            kept.addErrback(self._broken)

    def _lost(self, order: _Order, error: BaseException) -> None:
        """A lost worker is no reason to end; everything else is."""
        order.losses += 1
        if isinstance(error, ConfigError) or order.losses > LOSSES:
            self._fail(error)
        elif isinstance(error, KilledWorker | RunError):
            self._send(order)
        else:
            self._fail(RunError(f"{order.games[0].setup.id}: {error}"))

    async def _keep(self, key: str, results: list[Played]) -> None:
        policy = self.tournament.plan.on_crash
        for played in results:
            record = judged(played.record, policy)
            if self.tournament.has(record):
                continue
            await self._archivist.commit(record, played.bundle)
            self.tournament.take(record)
            self._watch(GameEnds(self.tournament.number_of(record), record))
            if ends_run(played.record, policy):
                self._ending = self._ending or Ending.CRASHED
        self._orders.pop(key, None)
        if self._ending is None and self.tournament.is_decided:
            self._ending = Ending.OVER
        if self._ending is not None:
            self._take_back(self._orders.values())
        self._fill()

    def _broken(self, failure: Failure) -> None:
        self._fail(failure.value or RunError("something broke off"))

    def _fail(self, error: BaseException) -> None:
        if not self._done.called:
            self._ending = Ending.STOPPED
            self._done.errback(error)


def _ignore(_failure: Failure) -> None:
    """A scheduler that is gone has nothing left to take back."""


def play_on_cluster(folder: RunFolder, address: str, watch: RunWatch) -> Ending:
    """Play what is missing in a folder on the workers of a scheduler.

    Raises:
        RunError: the scheduler cannot be reached, a result cannot be kept, or a pair was lost too
            often.
        ConfigError: an engine cannot play there.
    """
    for engine in folder.config.engine:
        if is_attached(engine):
            raise ConfigError(f"{engine.engine}: engines that dial in are not on the workers")
    try:
        client: Any = Client(address, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise RunError(f"{address}: {error}") from None

    def workers(
        reactor: Reactor, tournament: Tournament, archivist: Archivist, hear: Watch
    ) -> Workers:
        return Workers(reactor, client, folder.config, tournament, archivist, hear)

    try:
        return play_run(folder, watch, workers)
    finally:
        client.close()
