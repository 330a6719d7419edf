"""The open store: many writes in one commit, and concurrent reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from yoddd.store import games
from yoddd.store.advisory_lock import check_generation
from yoddd.store.database import check_version, connect, store_errors
from yoddd.store.errors import StoreAway, StoreDamaged, StoreError, StoreTaken
from yoddd.store.values import TurnRow, Write

T = TypeVar("T")

READERS: Final = 2
"""The number of concurrent reads."""

BROWSERS: Final = 2
"""The number of concurrent reads of the archive, which may take long."""

WriteResult = object
"""The result of a write, or the exception that it failed with."""


class Store:
    """A database whose schema is up to date; it starts no threads and takes no locks.

    Writes go through one connection: call `write` and `transact` from one thread at a time. Reads
    have connections of their own, `READERS` at most, and those of the archive `BROWSERS`.

    Attributes:
        url: of the database.
    """

    def __init__(self, url: URL, generation: int | None = None) -> None:
        """Open the database.

        Args:
            url: of the database.
            generation: of the daemon that writes; see `yoddd.store.generation`. None for SQLite,
                and for a program that is not the daemon.

        Raises:
            StoreError: it cannot be reached, or its schema has another version.
        """
        self.url = url
        self._generation = generation
        self._writer = connect(url, writes=True)
        self._reader = connect(url, writes=False, size=READERS)
        self._browser = connect(url, writes=False, size=BROWSERS)
        self._writing: Connection | None = None
        try:
            self.read(check_version)
        except StoreError:
            self.close()
            raise

    def read(self, look: Callable[[Connection], T]) -> T:
        """The result of ``look`` in a transaction of its own.

        Raises:
            StoreError: the database fails.
        """
        with store_errors(self.url), self._reader.connect() as connection:
            return look(connection)

    def browse(self, look: Callable[[Connection], T]) -> T:
        """The result of ``look``, as `read`, on connections that are for the archive alone.

        Raises:
            StoreError: the database fails.
        """
        with store_errors(self.url), self._browser.connect() as connection:
            return look(connection)

    def transact(self, do: Callable[[Connection], T]) -> T:
        """The result of ``do``, committed.

        Raises:
            StoreTaken: a later daemon serves the database; it is unchanged.
            StoreError: the database fails; it is unchanged.
        """
        # One connection is kept: taking it from the pool and returning it costs as much as fifty
        # rows. It is replaced after any failure.
        connection, self._writing = self._writing, None
        with store_errors(self.url):
            connection = connection or self._writer.connect()
            try:
                with connection.begin():
                    if self._generation is not None:
                        check_generation(connection, self._generation)
                    result = do(connection)
            except BaseException:
                connection.close()
                raise
        self._writing = connection
        return result

    def write(self, batch: Sequence[Write]) -> list[WriteResult]:
        """Do all writes in one commit, which is on the disk when this returns.

        If one of them fails, they are repeated one by one, so that only that one fails; but all of
        them fail if the database is away, and each would wait for it in vain, damaged or taken
        over.

        Returns:
            The outcome of each.
        """
        try:
            return self.transact(lambda connection: _do_all(connection, batch))
        except (StoreAway, StoreDamaged, StoreTaken) as error:
            return [error] * len(batch)
        except Exception as error:  # noqa: BLE001 — it is the outcome of that write
            if len(batch) == 1:
                return [error]
        return [outcome for one in batch for outcome in self.write([one])]

    def reconnect(self) -> None:
        """Let later reads open new connections: those there are may hold what was read wrong."""
        self._reader.dispose()
        self._browser.dispose()

    def close(self) -> None:
        """Close all connections."""
        if self._writing is not None:
            self._writing.close()
        self._writer.dispose()
        self._reader.dispose()
        self._browser.dispose()


def _do_all(connection: Connection, batch: Sequence[Write]) -> list[WriteResult]:
    """Do a batch; consecutive turns become one statement, which makes large commits cheap."""
    outcomes: list[WriteResult] = []
    for is_turn, group in groupby(batch, lambda one: isinstance(one, TurnRow)):
        if is_turn:
            turns = [one for one in group if isinstance(one, TurnRow)]
            games.add_turns(connection, turns)
            outcomes += [None] * len(turns)
        else:
            outcomes += [one.do(connection) for one in group if not isinstance(one, TurnRow)]
    return outcomes


__all__ = ["BROWSERS", "READERS", "Store", "WriteResult"]
