"""Durable writes, and lists of a large archive.

Many writers wait, each for its last turn to be on the disk.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred, DeferredList

from yoddd.cli.bench.measure import Figure
from yoddd.daemon.base.clock import Reactor, wall
from yoddd.daemon.base.group_commit import GroupCommit
from yoddd.daemon.base.reactor_runner import run
from yoddd.extras import needs_extra
from yoddd.store.values import GameSearch, NewGame, TurnRow, Write

with needs_extra("yoddd bench store", "store"):
    from sqlalchemy import Connection

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
        from yoddd.store.database import migrate, read_url

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
    from yoddd.store import accounts, games

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


ARCHIVE: Final = 300_000
"""Finished games in the store whose lists are measured."""

_ACCOUNTS: Final = 100


@cache
def _archive() -> dict[str, float]:
    """Median milliseconds of each list of a large store, by the arguments of the query."""
    from yoddd.store.database import migrate, read_url
    from yoddd.store.store import Store

    with tempfile.TemporaryDirectory(prefix="yoddd-bench-") as folder:
        url = read_url(str(Path(folder) / "store"))
        migrate(url)
        store = Store(url)
        store.transact(_fill)
        found = {
            "player": _list_time(store, player="p7"),
            "absent": _list_time(store, player="p99"),
            "board": _list_time(store, board="hex5"),
            "game": _list_time(store, game="odd"),
        }
        store.close()
    return found


def _fill(connection: Connection) -> None:
    """Store accounts, the last without a game, and games of a size like that of real ones."""
    from sqlalchemy import insert

    from yoddd.store import accounts
    from yoddd.store.schema import GAMES

    for number in range(_ACCOUNTS):
        accounts.add_account(connection, f"p{number}", wall())
    record, now = "x" * 400, wall()
    for start in range(0, ARCHIVE, 10_000):
        rows = [
            {
                "game": "yodd",
                "board": "hex8",
                "clock": "60",
                "black_id": 1 + number % (_ACCOUNTS - 1),
                "white_id": 1 + (number + 1) % (_ACCOUNTS - 1),
                "engines": "",
                "state": "over",
                "offered": now,
                "winner": "b",
                "reason": "groups",
                "record": record,
            }
            for number in range(start, start + 10_000)
        ]
        connection.execute(insert(GAMES), rows)


def _list_time(store: Store, **arguments: Any) -> float:
    from yoddd.store import games

    times = []
    for _ in range(20):
        start = time.perf_counter()
        store.browse(lambda connection: games.finished_games(connection, GameSearch(**arguments)))
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def _list(name: str, arguments: str) -> Figure:
    return Figure(name, _archive()[arguments], "ms")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    "store.acknowledged": _rate,
    "store.processor": _processor,
    "store.wait.p50": partial(_wait, "store.wait.p50", 50),
    "store.wait.p99": partial(_wait, "store.wait.p99", 99),
    "store.disk.sync": _sync,
    **{
        f"store.games.{one}": partial(_list, f"store.games.{one}", one)
        for one in ("player", "absent", "board", "game")
    },
}
