"""Asynchronous access to the store: writes in group commits, reads in their own threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from sqlite3 import SQLITE_IOERR
from threading import Lock
from typing import Any, Final, TypeVar

from sqlalchemy.engine import URL
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from yoddd.daemon.base.process.reactor_share import charge_later
from yoddd.daemon.base.store.group_commit import GroupCommit
from yoddd.daemon.base.world import World
from yoddd.notation.text import describe_error
from yoddd.store.database import check_pages, is_sqlite, make_private, migrate, weak_settings
from yoddd.store.errors import StoreAway, StoreDamaged, StoreError, StoreTaken
from yoddd.store.lock import StoreLock
from yoddd.store.store import BROWSERS, READERS, Store, WriteResult
from yoddd.store.values import Work, Write

T = TypeVar("T")

_CHECKED: Final = "the store is being checked"

LARGE: Final = 64 * 2**20
"""Bytes of a file whose check may take more than a second: 17 ms a MB, if no page is cached."""


class Journal(GroupCommit[Write]):
    """The store of a daemon; a write is on disk when its Deferred fires.

    It has threads of its own, because those of the reactor resolve host names and those of the
    search pool are busy.

    Attributes:
        url: of the store.
        world: gives the threads, and the times of what is stored.
    """

    log = Logger()

    def __init__(self, world: World, url: URL) -> None:
        """Create it for a store that `open` opens."""
        super().__init__(world, "store")
        self.url = url
        self.world = world
        # Both are set by `open`; there is no lock of this kind for PostgreSQL.
        self._store: Store | None = None
        self._lock: StoreLock | None = None
        # Receives the text of the refusal once another daemon has taken over; set by `open`.
        self._taken: Callable[[str], None] = lambda _text: None
        # The error that the store is damaged, once one was and a check of the file has confirmed
        # it; no request uses the store any more, since each write could spread the damage.
        self._damage = ""
        # Held by the thread that checks the file; the requests of others are refused meanwhile.
        self._checking = Lock()
        # The reads that have failed of a file that the check found to be sound.
        self.failed_reads = 0
        # The threads start with the first request.
        self._readers = world.threads("store-read", READERS)
        self._browsers = world.threads("store-browse", BROWSERS)

    def open(
        self, taken: Callable[[str], None] = lambda _text: None, generation: int | None = None
    ) -> Deferred[None]:
        """Check and open the store in a thread; fails with a `StoreError` if it cannot be opened.

        Args:
            taken: is called once writes are refused, because another daemon has taken over.
            generation: of this daemon, which holds the lock of a PostgreSQL store and has brought
                its schema up to date; None for SQLite, which is locked and migrated here.
        """
        self._taken = taken
        return self._readers.run(partial(self._open, generation))

    def _open(self, generation: int | None) -> None:
        self._lock = _lock(self.url) if generation is None else None
        try:
            try:
                self._connect(generation)
            except StoreDamaged as error:
                self._check(error)
                self._connect(generation)
        except BaseException:
            self._release()
            raise

    def _connect(self, generation: int | None) -> None:
        if generation is None:
            migrate(self.url, lambda text: self.log.info("{text}", text=text))
        self._store = Store(self.url, generation)
        for warning in self._store.read(weak_settings):
            self.log.warn("{warning}", warning=warning)

    @property
    def is_large(self) -> bool:
        """Whether the store is a file whose check at the start takes long."""
        path = Path(self.url.database or "")
        return is_sqlite(self.url) and path.is_file() and path.stat().st_size >= LARGE

    def do(self, change: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """Call ``change`` with the open transaction and the arguments; fires with its result."""
        return self.commit(Work(lambda connection: change(connection, *args, **words)))

    def read(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """Call ``look`` with a connection for reading and the arguments; fires with its result."""
        return self._readers.run(partial(self._read, look, args, words))

    def read_charged(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """Read for the request of a client, whose address is charged for the time."""
        return self._readers.run(partial(self._read, look, args, words), charge_later())

    def browse(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        """Read for a query of the archive; log-ins and games never wait behind these."""

        def work(store: Store) -> T:
            return store.browse(lambda connection: look(connection, *args, **words))

        return self._browsers.run(partial(self._look, work), charge_later())

    def _read(self, look: Callable[..., T], args: tuple[Any, ...], words: dict[str, Any]) -> T:
        return self._look(
            lambda store: store.read(lambda connection: look(connection, *args, **words))
        )

    def _look(self, look: Callable[[Store], T]) -> T:
        """The result of a read, which is repeated if the disk fails once."""
        failed = self.failed_reads
        try:
            with self._use() as store:
                return look(store)
        except StoreAway:
            if self.failed_reads == failed:
                raise
        with self._use() as store:
            return look(store)

    def close(self) -> None:
        """End the threads; writes that are not acknowledged may be lost."""
        self._readers.close()
        self._browsers.close()
        super().close()
        if self._store is not None:
            self._store.close()
        self._release()

    @contextmanager
    def _use(self) -> Iterator[Store]:
        """The open store, unless it has been found to be damaged.

        Raises:
            StoreAway: a read has failed, and the file is sound, or still being checked.
            StoreDamaged: the file is damaged.
        """
        if self._store is None:
            raise StoreAway("the store is not open")
        if self._damage:
            raise StoreDamaged(self._damage)
        if self._checking.locked():
            raise StoreAway(_CHECKED)
        try:
            yield self._store
        except StoreDamaged as error:
            if not self._checking.acquire(blocking=False):
                raise StoreAway(_CHECKED) from None
            try:
                if not self._damage:
                    self._check(error)
            except StoreDamaged as damage:
                self._damage = str(damage)
                self.log.critical("{error}", error=self._damage)
                raise
            finally:
                self._checking.release()
            if self._damage:
                raise
            self._store.reconnect()
            raise StoreAway(f"a read has failed: {_cause(error)}") from None

    def _check(self, error: StoreDamaged) -> None:
        """Return if the file is sound although an error says that it is damaged.

        Raises:
            StoreDamaged: it is damaged.
            StoreError: it cannot be checked.
        """
        cause = _cause(error)
        code = getattr(cause, "sqlite_errorcode", 0)
        if not code:  # PostgreSQL's, or a text that is none, which no check finds
            raise error
        # An index that contradicts its table is what the quick check leaves out.
        failed = code & 0xFF == SQLITE_IOERR
        check_pages(self.url, "quick_check" if failed else "integrity_check")
        self.failed_reads += 1
        self.log.warn(
            "a read of the store has failed: {cause}; its file is sound, so the daemon goes on: "
            "check the disk",
            cause=cause,
        )

    def write(self, batch: list[Write]) -> Sequence[WriteResult]:
        """Write turns and changes in one transaction."""
        with self._use() as store:
            outcomes = store.write(batch)
            for one in outcomes:
                if isinstance(one, StoreDamaged):
                    raise one
        refused = next((one for one in outcomes if isinstance(one, StoreTaken)), None)
        if refused is not None:
            self.world.reactor.callFromThread(self._taken, str(refused))
        return outcomes

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()


def _cause(error: StoreDamaged) -> BaseException | None:
    """The error of the database."""
    return getattr(error.__cause__, "orig", None) or error.__cause__


def _lock(url: URL) -> StoreLock | None:
    """Take the lock of a SQLite store; None for PostgreSQL, see `yoddd.store.advisory_lock`."""
    if not is_sqlite(url):
        return None
    make_private(url)
    try:
        return StoreLock(Path(url.database or ""))
    except OSError as error:
        raise StoreError(describe_error(error)) from None
