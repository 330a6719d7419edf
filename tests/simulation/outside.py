"""Replaces what costs most of the time of a start, and the memory of the process."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import attrs
from sqlalchemy import URL, Engine, event

from yoddd.daemon import lifecycle
from yoddd.daemon.base.store import journal, lock_watch
from yoddd.daemon.lobby import directory, offers
from yoddd.daemon.lobby.housekeeping import DayClocks
from yoddd.daemon.pages import site
from yoddd.daemon.play import confinement, processes
from yoddd.daemon.runs import run
from yoddd.engine import Budget, MctsSearcher, SearchResult
from yoddd.engine.uniform import UniformSearcher
from yoddd.referee.game import clock
from yoddd.referee.hosted import game as hosted
from yoddd.referee.hosted.game import HostedGame
from yoddd.rules import PositionLike
from yoddd.store import advisory_lock, database, store

MISREAD: Final = [False]
"""Whether the next statement finds that the disk cannot be read."""

DAY: Final = 20.0
"""Seconds of a day of the clocks of games by the day."""

PERIOD: Final = 2.0
"""Seconds after which the time that their turns have taken is stored."""

MEMORY: Final = [0]
"""Bytes of memory that the process of the daemon uses."""


KILL: Final[dict[int, Callable[[], None]]] = {}
"""What ends each program, by its process id: all signals do."""


@functools.cache
def _connect(url: URL, *, writes: bool, size: int = 1) -> Engine:
    """Connect once for all daemons of a store, two at a time."""
    engine = database.connect(url, writes=writes, size=size + 1)
    event.listen(engine, "before_cursor_execute", _read)
    return engine


def _read(*_: object) -> None:
    if MISREAD[0]:
        MISREAD[0] = False
        error = sqlite3.OperationalError("simulated: disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
        raise error


def _analyze(
    _self: MctsSearcher, position: PositionLike, budget: Budget, seed: int, *_: object
) -> SearchResult:
    """Search as the seed decides: what the kernel finds depends on the speed of the machine."""
    result = UniformSearcher().search(position, budget, seed, lambda: True)
    return attrs.evolve(result, playouts=budget.playouts or 1)


_NEW: list[tuple[Any, str, Any]] = [
    (MctsSearcher, "analyze", _analyze),
    (MctsSearcher, "search", _analyze),
    (lifecycle, "resident", lambda: MEMORY[0]),
    (confinement, "has_namespaces", lambda: False),
    (processes, "signal_engine", lambda pid, _number: KILL[pid]()),
    (run, "kill_marked", lambda *_: 0),
    (lifecycle, "_spare_collections", lambda: None),
    (site, "load_assets", functools.cache(site.load_assets)),
    (database, "_head", functools.cache(database._head)),
    (store, "connect", _connect),
    (journal, "migrate", lambda *_: None),
    (journal, "make_private", lambda _url: None),
    (lock_watch, "migrate", lambda *_: None),
    (advisory_lock, "_CHECK", advisory_lock._CHECK.removesuffix(" FOR SHARE")),  # not of SQLite
]


@contextmanager
def replaced(
    handle: Callable[..., Any] = HostedGame.handle, *, returns: float = hosted.RETURN
) -> Iterator[None]:
    """Replace it for a while: other tests of the process need it.

    Args:
        handle: lets a game take an event.
        returns: seconds that humans have to return to a game that a restart has interrupted.
    """

    def handled(*args: Any) -> Any:  # a function, which Python gives the game
        return handle(*args)

    games: list[tuple[Any, str, Any]] = [
        (clock, "DAY", DAY),
        (DayClocks, "period", PERIOD),
        (hosted, "DAY", DAY),
        (hosted, "RETURN", returns),
        *((module, "BY_DAY", directory.LINGER) for module in (directory, offers)),
        (HostedGame, "handle", handled),
    ]
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in (*_NEW, *games)]
    MEMORY[0] = 0
    for owner, name, new in (*_NEW, *games):
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, old in kept:
            setattr(owner, name, old)
