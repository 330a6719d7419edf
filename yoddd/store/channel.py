"""Notifications of PostgreSQL, over a connection of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from yoddd.store.database import connect, is_sqlite, shown, store_errors
from yoddd.store.errors import StoreError
from yoddd.store.fleet import CHANNEL


class Channel:
    """A LISTEN connection; callers wait for `fileno` to become readable, no method blocks."""

    def __init__(self, url: URL) -> None:
        """Connect.

        Raises:
            StoreError: the database cannot be reached, or is SQLite, which has no notifications.
        """
        if is_sqlite(url):
            raise StoreError(f"{shown(url)}: only PostgreSQL tells of changes")
        self._url = url
        self._engine = connect(url, writes=False)
        try:
            with store_errors(url), self._driver_errors():
                pooled = self._engine.raw_connection()
                self._connection = _driver(pooled.driver_connection)
                pooled.detach()
                self._connection.autocommit = True
                self._connection.execute(f"LISTEN {CHANNEL}")
        except StoreError:
            self._engine.dispose()
            raise

    def fileno(self) -> int:
        """The file descriptor of the socket."""
        return int(self._connection.fileno())

    def read(self) -> list[int]:
        """The numbers of the notifications received.

        Raises:
            StoreError: the connection is lost.
        """
        raw = self._connection.pgconn
        found = []
        with self._driver_errors():
            raw.consume_input()
            while (notice := raw.notifies()) is not None:
                found.append(int(notice.extra))
        return found

    @contextmanager
    def _driver_errors(self) -> Iterator[None]:
        """Raise the driver's errors as `StoreError`."""
        try:
            yield
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise StoreError(f"{shown(self._url)}: {' '.join(str(error).split())}") from None

    def close(self) -> None:
        """Close the connection."""
        with suppress(SQLAlchemyError, OSError):
            self._connection.close()
        self._engine.dispose()


def _driver(connection: Any) -> Any:  # noqa: ANN401 — psycopg's own, which may not be installed
    return connection
