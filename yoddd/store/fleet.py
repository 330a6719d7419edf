"""Daemons that share a store: who is alive, and which of them has which game.

A process holds a lease that it renews; every game in play belongs to one process and has a fencing
number. A process whose lease has run out is struck off, and whoever takes its games raises their
numbers, so that whatever the old owner still writes is refused: the number is part of the condition
of each write, see `yoddd.store.games`.

The clock is the database's, so that those of the machines need not agree. Every function works in
the transaction that it is given.
"""

from __future__ import annotations

from typing import Final

import attrs
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.sql.expression import literal_column, text

from yoddd.store.schema import GAMES, PROCESSES
from yoddd.store.values import State

CHANNEL: Final = "yoddd"
"""Where PostgreSQL tells of changes; what it tells is the number of a process and nothing else."""

_NOW: Final = {
    "postgresql": "extract(epoch from clock_timestamp())::float8",
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
}


@attrs.frozen
class Process:
    """A daemon that is alive.

    Attributes:
        number: what it is called, for as long as it runs.
        address: where the others reach it, a client's endpoint string.
        secret: what they have to say there.
        directory: what it has to offer, as JSON that the daemons understand.
    """

    number: int
    address: str
    secret: str = attrs.field(repr=False)
    directory: str


@attrs.frozen
class Beat:
    """What a process finds when it renews its lease.

    Attributes:
        alive: every process, the oldest first.
        taken: the fencing numbers of games that it has taken over just now.
    """

    alive: tuple[Process, ...]
    taken: dict[int, int]


def join(
    connection: Connection, address: str, secret: str, lease: float, number: int | None = None
) -> int:
    """A process begins, or begins anew after it was struck off; its number.

    What games it had before are nobody's now.
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
    _tell(connection, int(found))
    return int(found)


def beat(connection: Connection, number: int, lease: float, directory: str | None) -> Beat | None:
    """Renew a lease, say what is new, strike off the dead; the oldest process takes their games.

    Args:
        connection: the open transaction.
        number: the process's.
        lease: seconds for which it is alive from now on.
        directory: what it has to offer; None if that is as it was.

    Returns:
        None if it has been struck off itself: its games are others' by now.
    """
    values: dict[str, object] = {"expires": _now(connection) + lease}
    if directory is not None:
        values["directory"] = directory
    mine = PROCESSES.c.id == number
    if connection.execute(update(PROCESSES).where(mine).values(values)).rowcount != 1:
        return None
    struck = connection.execute(delete(PROCESSES).where(PROCESSES.c.expires < _now(connection)))
    if directory is not None or struck.rowcount:
        _tell(connection, number)
    found = alive(connection)
    is_oldest = bool(found) and found[0].number == number
    return Beat(found, take_over(connection, number) if is_oldest else {})


def alive(connection: Connection) -> tuple[Process, ...]:
    """Every process whose lease has not run out, the oldest first."""
    columns = (PROCESSES.c.id, PROCESSES.c.address, PROCESSES.c.secret, PROCESSES.c.directory)
    rows = connection.execute(
        select(*columns).where(PROCESSES.c.expires >= _now(connection)).order_by(PROCESSES.c.joined)
    )
    return tuple(Process(*row) for row in rows)


def take_over(connection: Connection, number: int) -> dict[int, int]:
    """Make games in play that are nobody's those of a process; offers of the dead are forgotten.

    Returns:
        The new fencing number of each.
    """
    orphaned = GAMES.c.owner.is_(None) | GAMES.c.owner.not_in(select(PROCESSES.c.id))
    connection.execute(delete(GAMES).where(GAMES.c.state == State.OPEN, orphaned))
    rows = connection.execute(
        update(GAMES)
        .where(GAMES.c.state == State.PLAYING, orphaned)
        .values(owner=number, fence=GAMES.c.fence + 1)
        .returning(GAMES.c.number, GAMES.c.fence)
    )
    return {int(game): int(fence) for game, fence in rows}


def fences(connection: Connection, number: int) -> dict[int, int]:
    """The fencing number of each game in play that a process has."""
    mine = (GAMES.c.owner == number) & (GAMES.c.state == State.PLAYING)
    rows = connection.execute(select(GAMES.c.number, GAMES.c.fence).where(mine))
    return {int(game): int(fence) for game, fence in rows}


def leave(connection: Connection, number: int) -> None:
    """A process ends; its games are taken over at once."""
    _disown(connection, number)
    connection.execute(delete(PROCESSES).where(PROCESSES.c.id == number))
    _tell(connection, number)


def _disown(connection: Connection, number: int) -> None:
    connection.execute(update(GAMES).where(GAMES.c.owner == number).values(owner=None))


def _now(connection: Connection) -> ColumnElement[float]:
    """Seconds since 1970 by the database's clock."""
    return literal_column(_NOW[connection.dialect.name])


def _tell(connection: Connection, number: int) -> None:
    """Wake the others once this is committed; SQLite has nobody to wake."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_notify(:channel, :number)"),
            {"channel": CHANNEL, "number": str(number)},
        )
