"""Asynchronous access to the store: writes in group commits, reads in their own threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.engine import URL
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.group_commit import GroupCommit
from yoddd.store.database import is_sqlite, make_private, migrate, read_url
from yoddd.store.errors import StoreError
from yoddd.store.lock import StoreLock
from yoddd.store.store import BROWSERS, READERS, Store
from yoddd.store.values import TurnRow, Work, Write

T = TypeVar("T")


class Journal:
    """An open store; a write is on disk when its Deferred fires.

    It has threads of its own, because those of the reactor resolve host names and those of the
    search pool are busy.
    """

    def __init__(self, reactor: Reactor, store: Store, lock: StoreLock | None = None) -> None:
        """Start the threads of an open store; `close` frees its ``lock``."""
        self._reactor = reactor
        self._store = store
        self._lock = lock
        self._group: GroupCommit[Write] = GroupCommit(reactor, "store", store.write)
        self._readers = ThreadPool(1, READERS, name="store-read")
        self._readers.start()
        self._browsers = ThreadPool(0, BROWSERS, name="store-browse")
        self._browsers.start()

    def turn(self, turn: TurnRow) -> Deferred[object]:
        """Store a turn."""
        return self._group.commit(turn)

    def do(self, change: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """Call ``change`` with the open transaction and the arguments; fires with its result."""
        done: Deferred[Any] = self._group.commit(
            Work(lambda connection: change(connection, *args, **words))
        )
        return done

    def read(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """Call ``look`` with a connection for reading and the arguments; fires with its result."""
        work = partial(self._read, look, args, words)
        found: Deferred[T] = deferToThreadPool(self._reactor, self._readers, work)
        return found

    def browse(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """As `read`, for queries of the archive: log-ins and games never wait behind them."""

        def work() -> T:
            return self._store.browse(lambda connection: look(connection, *args, **words))

        return deferToThreadPool(self._reactor, self._browsers, work)

    def _read(self, look: Callable[..., T], args: tuple[Any, ...], words: dict[str, Any]) -> T:
        return self._store.read(lambda connection: look(connection, *args, **words))

    def close(self) -> None:
        """End the threads; writes that are not acknowledged may be lost."""
        self._readers.stop()
        self._browsers.stop()
        self._group.close()
        self._store.close()
        if self._lock is not None:
            self._lock.release()


def open_journal(reactor: Reactor, text: str) -> Journal:
    """Open a store, for this process alone if it is a file, and migrate its schema.

    Args:
        reactor: Twisted's.
        text: ``default``, a path or a URL.

    Raises:
        StoreError: the store cannot be opened.
    """
    url = read_url(text)
    lock = _lock(url)
    try:
        migrate(url)
        return Journal(reactor, Store(url), lock)
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def _lock(url: URL) -> StoreLock | None:
    """Take the lock of a SQLite store; None for PostgreSQL."""
    if not is_sqlite(url):
        return None
    make_private(url)
    try:
        return StoreLock(Path(url.database or ""))
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}") from None
