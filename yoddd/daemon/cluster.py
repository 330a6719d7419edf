"""One tournament on many machines, by dask.distributed.

A pair of games is the unit: a worker plays it and hands the records back; only this process writes
them down. A worker that is lost loses nothing but time: its pairs are played again elsewhere, and a
result that comes twice counts once.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs
from distributed import Client, KilledWorker, as_completed

import yoddd
from yoddd.daemon.archive import RunError, RunFolder
from yoddd.daemon.arena import Ending
from yoddd.daemon.clock import monotonic
from yoddd.daemon.organise import check_hashes, is_attached
from yoddd.daemon.pairplay import Played, format_order, parse_order, parse_played
from yoddd.daemon.series import GameEnds
from yoddd.daemon.tournaments import RunBegins, RunEnds, RunStands, RunWatch, restore
from yoddd.referee.config import ConfigError
from yoddd.referee.progress import Pace, Progress, progress_of
from yoddd.referee.tournament import Assignment, Tournament

AHEAD: Final = 2
"""Pairs that wait in the scheduler for each thread of a worker, so that none is idle."""

LOSSES: Final = 100
"""How often one pair may lose its worker before the run ends."""


def play_order(order: str, version: str) -> list[str]:
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
    command = [sys.executable, "-m", "yoddd.daemon.pairplay"]
    with subprocess.Popen(  # noqa: S603 — our own program
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RunError("no pipes")
        process.stdin.write(order + "\n")
        process.stdin.flush()
        lines = process.stdout.readlines()
    if process.returncode:
        raise RunError(f"the games broke off with exit status {process.returncode}")
    return lines


@attrs.define
class _Order:
    """A pair that is being played somewhere."""

    games: list[Assignment]
    losses: int = 0


class Cluster:
    """A run whose games are played by the workers of a scheduler."""

    def __init__(self, folder: RunFolder, address: str, watch: RunWatch) -> None:
        """Connect to the scheduler at ``address``.

        Raises:
            RunError: it cannot be reached, or the archive is not of this tournament.
            ConfigError: an engine cannot play on another machine.
        """
        for engine in folder.config.engine:
            if is_attached(engine):
                raise ConfigError(f"{engine.engine}: engines that dial in are not on the workers")
        self._folder = folder
        self._watch = watch
        self._tournament: Tournament = restore(folder)
        self._began, self._at_start = monotonic(), self._tournament.finished
        self._orders: dict[str, _Order] = {}
        try:
            self._client: Any = Client(address, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise RunError(f"{address}: {error}") from None

    def play(self) -> Ending:
        """Play what is missing.

        Raises:
            RunError: a result cannot be kept, or a pair was lost too often.
            ConfigError: a worker has other engines.
        """
        self._watch(RunBegins(self._progress(), self._folder.torn, 0, None))
        try:
            ending = self._play()
        except KeyboardInterrupt:
            ending = Ending.STOPPED
        finally:
            self._client.close()
        self._watch(RunEnds(self._progress(), ending))
        return ending

    def _play(self) -> Ending:
        running: Any = as_completed(list(self._submit()), loop=self._client.loop)
        for future in running:
            order = self._orders.pop(future.key)
            if future.status == "error":
                self._note_loss(order, future.exception())
                running.add(self._send(order))
                continue
            for line in future.result():
                self._keep(parse_played(line))
            for further in self._submit():
                running.add(further)
            if self._tournament.is_over:
                break
        return Ending.OVER

    def _submit(self) -> Iterator[Any]:
        """Hand out pairs until every thread has enough of them."""
        threads = sum(self._client.nthreads().values())
        while len(self._orders) < AHEAD * max(1, threads):
            games = self._tournament.next_pair()
            if not games:
                return
            yield self._send(_Order(games))

    def _send(self, order: _Order) -> Any:  # noqa: ANN401 — a future of distributed, which has no types
        first = order.games[0]
        key = f"{self._folder.path.resolve()}/{first.setup.id}/{order.losses}"
        self._orders[key] = order
        text = format_order(self._folder.config, order.games)
        # Priorities: pairs that come first in the schedule are played first.
        return self._client.submit(
            play_order,
            text,
            yoddd.__version__,
            key=key,
            pure=False,
            priority=-first.pair.number,
        )

    def _note_loss(self, order: _Order, error: BaseException) -> None:
        """A lost worker is no reason to end; everything else is."""
        order.losses += 1
        if isinstance(error, ConfigError) or order.losses > LOSSES:
            raise error
        if not isinstance(error, KilledWorker | RunError):
            raise RunError(f"{order.games[0].setup.id}: {error}") from error

    def _keep(self, played: Played) -> None:
        if self._tournament.knows(played.record):
            return
        self._folder.append([played.record])
        self._folder.derive(played.record, played.bundle)
        self._tournament.take(played.record)
        number = self._tournament.number_of(played.record)
        self._watch(GameEnds(number, played.record))
        self._watch(RunStands(self._progress()))

    def _progress(self) -> Progress:
        seconds = monotonic() - self._began
        rate = (self._tournament.finished - self._at_start) / seconds if seconds > 0 else 0.0
        running = sum(len(order.games) for order in self._orders.values())
        pace = Pace(running=running, concurrency=running, rate=rate)
        return progress_of(self._tournament, pace)


def play_on_cluster(folder: RunFolder, address: str, watch: Callable[..., None]) -> Ending:
    """Play what is missing in a folder on the workers of a scheduler.

    Raises:
        RunError: the scheduler cannot be reached, a result cannot be kept, or a pair was lost too
            often.
        ConfigError: an engine cannot play there.
    """
    return Cluster(folder, address, watch).play()
