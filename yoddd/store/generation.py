"""The generation of a PostgreSQL store: the number of the daemon that may write to it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection

from yoddd.store.errors import StoreTaken

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
