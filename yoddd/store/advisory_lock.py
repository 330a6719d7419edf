"""The lock of a PostgreSQL store, which one daemon at a time holds while it serves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from yoddd.store.database import connect, store_errors
from yoddd.store.errors import StoreError, StoreTaken

_RAISE: Final = """
    INSERT INTO generation (id, number) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET number = generation.number + 1 RETURNING number
"""
_CHECK: Final = "SELECT number FROM generation FOR SHARE"


def raise_generation(connection: Connection) -> int:
    """The next generation; from now on `check_generation` refuses every earlier one.

    It waits for the transactions that have been checked already.
    """
    return int(connection.exec_driver_sql(_RAISE).scalar_one())


def check_generation(connection: Connection, generation: int) -> None:
    """Refuse to write in this transaction if a later daemon serves the store.

    The row stays locked until the transaction ends, so that a takeover reads what it has written.

    Raises:
        StoreTaken: there is a later generation.
    """
    if connection.exec_driver_sql(_CHECK).scalar() != generation:
        raise StoreTaken("another daemon has taken over the store")


T = TypeVar("T")

_SERVING: Final = 9635
"""The number of PostgreSQL's advisory lock for the daemon that serves; an arbitrary one."""


class AdvisoryLock:
    """A session-level advisory lock, on a connection of its own.

    PostgreSQL frees the lock when that connection ends, however it does.
    """

    def __init__(self, url: URL) -> None:
        """Create it for a store; `acquire` connects.

        Raises:
            ExtraMissing: the driver is not installed.
            StoreMissing: there is no such driver.
        """
        self._url = url
        self._engine = connect(url, writes=True)
        # The session that has the lock or asks for it; None before, and after a failure.
        self._session: Connection | None = None

    def acquire(self) -> bool:
        """Take the lock unless another daemon holds it; whether it is taken.

        Raises:
            StoreError: the database fails.
        """
        return self._call(
            lambda session: bool(
                session.exec_driver_sql(f"SELECT pg_try_advisory_lock({_SERVING})").scalar()
            )
        )

    def take_over(self) -> int:
        """Begin the generation of this daemon, which holds the lock; its number.

        Raises:
            StoreError: the database fails.
        """
        return self._call(raise_generation)

    def check(self) -> None:
        """Make sure that the session still exists, and with it the lock.

        Raises:
            StoreError: it is lost.
        """
        self._call(lambda session: session.exec_driver_sql("SELECT 1").scalar())

    def close(self) -> None:
        """End the session, which frees the lock."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
        self._engine.dispose()

    def _call(self, do: Callable[[Connection], T]) -> T:
        """The result of ``do``; a failure ends the session, so that it is never a new one."""
        try:
            with store_errors(self._url):
                if self._session is None:
                    self._session = self._engine.connect()
                    self._session.execution_options(isolation_level="AUTOCOMMIT")
                return do(self._session)
        except StoreError:
            self.close()
            raise
