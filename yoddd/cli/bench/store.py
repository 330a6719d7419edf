"""Durable writes: many writers, each of which waits for its last turn to be on the disk."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

import attrs
from twisted.internet.defer import Deferred, DeferredList

from yoddd.cli.bench.measure import Figure
from yoddd.daemon.base.clock import Reactor, wall
from yoddd.daemon.base.group_commit import GroupCommit
from yoddd.daemon.base.reactor_runner import run
from yoddd.extras import needs_extra
from yoddd.store.values import NewGame, TurnRow, Write

with needs_extra("yoddd bench store", "store"):
    from yoddd.store.store import Store

WRITERS: Final = 50
TURNS: Final = 400
"""Turns of each writer, after one round to warm up."""


@attrs.define
class _Load:
    """Writers in closed loops, in one store on the disk of the temporary folder."""

    waits: list[float] = attrs.Factory(list)
    seconds: float = 0.0
    processor: float = 0.0

    def run(self, writers: int) -> None:
        from yoddd.store.database import migrate, read_url  # noqa: PLC0415 — an extra

        with tempfile.TemporaryDirectory(prefix="yoddd-bench-") as folder:
            url = read_url(str(Path(folder) / "store"))
            migrate(url)
            store = Store(url)
            run(partial(self._program, store, writers))
            store.close()

    async def _program(self, store: Store, writers: int, reactor: Reactor) -> int:
        games = _make_games(store, writers)
        group: GroupCommit[Write] = GroupCommit(reactor, "store", store.write)
        await DeferredList([group.commit(TurnRow(game, 0, "pass", 0.0)) for game in games])
        start, used = time.perf_counter(), time.process_time()
        loops = [Deferred.fromCoroutine(self._write(group, game)) for game in games]
        await DeferredList(loops, fireOnOneErrback=True, consumeErrors=True)
        self.seconds = time.perf_counter() - start
        self.processor = time.process_time() - used
        group.close()
        return 0

    async def _write(self, group: GroupCommit[Write], game: int) -> None:
        for number in range(1, TURNS + 1):
            start = time.perf_counter()
            await group.commit(TurnRow(game, number, "1d4,2e5", 1.5))
            self.waits.append(time.perf_counter() - start)


def _make_games(store: Store, writers: int) -> list[int]:
    from yoddd.store import accounts, games  # noqa: PLC0415 — an extra

    store.transact(lambda connection: accounts.add_account(connection, "ann", wall()))
    offer = NewGame("yodd", "hex8", "none", "ann", None, wall())
    return [store.transact(partial(games.add_game, game=offer)) for _ in range(writers)]


@cache
def _measured(writers: int) -> _Load:
    load = _Load()
    load.run(writers)
    return load


def _rate() -> Figure:
    load = _measured(WRITERS)
    return Figure("store.acknowledged", len(load.waits) / load.seconds, "turns/s")


def _processor() -> Figure:
    """CPU time of a turn, which does not depend on the load of the machine."""
    load = _measured(WRITERS)
    return Figure("store.processor", load.processor / len(load.waits) * 1e6, "us/turn")


def _wait(name: str, percent: int) -> Figure:
    quantiles = statistics.quantiles(_measured(WRITERS).waits, n=100)
    return Figure(name, quantiles[percent - 1] * 1000, "ms")


def _sync() -> Figure:
    """Median time of one row appended to a file and synced: the disk alone."""
    with tempfile.TemporaryFile(prefix="yoddd-bench-", buffering=0) as file:
        times = []
        for _ in range(200):
            start = time.perf_counter()
            file.write(b"1d4,2e5\n" * 8)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return Figure("store.disk.sync", statistics.median(times) * 1000, "ms")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    "store.acknowledged": _rate,
    "store.processor": _processor,
    "store.wait.p50": partial(_wait, "store.wait.p50", 50),
    "store.wait.p99": partial(_wait, "store.wait.p99", 99),
    "store.disk.sync": _sync,
}
