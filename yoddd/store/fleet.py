"""Daemons that share a store: leases of the processes, and ownership of the games.

A process holds a lease that it renews; every game in play belongs to one process and has a fencing
number. A process whose lease has expired is deleted, and the process that takes its games raises
their numbers, so that writes of the old owner are refused: the number is part of the condition of
each write, see `yoddd.store.games`.

The clock is the database's, so that those of the machines need not agree. Every function works in
the given transaction.
"""

from __future__ import annotations

from typing import Final

import attrs
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.sql.expression import literal_column, text

from yoddd.store.games import LASTING
from yoddd.store.schema import GAMES, PROCESSES
from yoddd.store.values import State

CHANNEL: Final = "yoddd"
"""PostgreSQL's notification channel; the payload is the number of the changed process."""

_NOW: Final = {
    "postgresql": "extract(epoch from clock_timestamp())::float8",
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
}


@attrs.frozen
class Process:
    """A daemon with a valid lease.

    Attributes:
        number: identifies it for as long as it runs.
        address: a client's endpoint string, for the other daemons.
        secret: authenticates them there.
        directory: its games and engines, as JSON of the daemons.
    """

    number: int
    address: str
    secret: str = attrs.field(repr=False)
    directory: str


@attrs.frozen
class Beat:
    """The result of renewing a lease.

    Attributes:
        alive: every process with a valid lease, the oldest first.
        taken: the fencing numbers of the games that this process has taken over.
    """

    alive: tuple[Process, ...]
    taken: dict[int, int]


def join(
    connection: Connection, address: str, secret: str, lease: float, number: int | None = None
) -> int:
    """Register a process, or register it again after its lease expired; its number.

    Games that it owned before have no owner afterwards.
    """
    youngest = select(func.coalesce(func.max(PROCESSES.c.joined), 0) + 1).scalar_subquery()
    values: dict[str, object] = {
        "address": address,
        "secret": secret,
        "directory": "{}",
        "joined": youngest,
    }
    if number is not None:
        values["id"] = number
        _disown(connection, number)
    expires = _now(connection) + lease
    result = connection.execute(insert(PROCESSES).values(expires=expires, **values))
    (found,) = result.inserted_primary_key or (0,)
    _notify(connection, int(found))
    return int(found)


def beat(connection: Connection, number: int, lease: float, directory: str | None) -> Beat | None:
    """Renew a lease, publish changes, delete expired ones; the oldest process takes their games.

    Args:
        connection: the open transaction.
        number: the process's.
        lease: seconds from now until the lease expires.
        directory: its games and engines; None if unchanged.

    Returns:
        None if its own lease has expired: other processes own its games.
    """
    values: dict[str, object] = {"expires": _now(connection) + lease}
    if directory is not None:
        values["directory"] = directory
    mine = PROCESSES.c.id == number
    if connection.execute(update(PROCESSES).where(mine).values(values)).rowcount != 1:
        return None
    expired = connection.execute(delete(PROCESSES).where(PROCESSES.c.expires < _now(connection)))
    if directory is not None or expired.rowcount:
        _notify(connection, number)
    found = alive(connection)
    is_oldest = bool(found) and found[0].number == number
    return Beat(found, take_over(connection, number) if is_oldest else {})


def alive(connection: Connection) -> tuple[Process, ...]:
    """Every process with a valid lease, the oldest first."""
    columns = (PROCESSES.c.id, PROCESSES.c.address, PROCESSES.c.secret, PROCESSES.c.directory)
    rows = connection.execute(
        select(*columns).where(PROCESSES.c.expires >= _now(connection)).order_by(PROCESSES.c.joined)
    )
    return tuple(Process(*row) for row in rows)


def take_over(connection: Connection, number: int) -> dict[int, int]:
    """Give games in play and invites without a live owner to a process; delete other such offers.

    Returns:
        The new fencing number of each.
    """
    orphaned = GAMES.c.owner.is_(None) | GAMES.c.owner.not_in(select(PROCESSES.c.id))
    connection.execute(delete(GAMES).where(GAMES.c.state == State.OPEN, ~LASTING, orphaned))
    rows = connection.execute(
        update(GAMES)
        .where(LASTING, orphaned)
        .values(owner=number, fence=GAMES.c.fence + 1)
        .returning(GAMES.c.number, GAMES.c.fence)
    )
    return {int(game): int(fence) for game, fence in rows}


def fences(connection: Connection, number: int) -> dict[int, int]:
    """The fencing number of each game in play and invite that a process owns."""
    mine = (GAMES.c.owner == number) & LASTING
    rows = connection.execute(select(GAMES.c.number, GAMES.c.fence).where(mine))
    return {int(game): int(fence) for game, fence in rows}


def leave(connection: Connection, number: int) -> None:
    """Delete a process; its games can be taken over at once."""
    _disown(connection, number)
    connection.execute(delete(PROCESSES).where(PROCESSES.c.id == number))
    _notify(connection, number)


def _disown(connection: Connection, number: int) -> None:
    connection.execute(update(GAMES).where(GAMES.c.owner == number).values(owner=None))


def _now(connection: Connection) -> ColumnElement[float]:
    """Seconds since 1970 by the database's clock."""
    return literal_column(_NOW[connection.dialect.name])


def _notify(connection: Connection, number: int) -> None:
    """Notify the other processes at the commit; SQLite has no notifications."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_notify(:channel, :number)"),
            {"channel": CHANNEL, "number": str(number)},
        )
