"""Counts of all that a store holds, and the deletion of old rows; a transaction each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from yoddd.store.schema import ACCOUNTS, GAMES, PUZZLES_SOLVED, SESSIONS, TOKENS, TURNS
from yoddd.store.values import State

BATCH: Final = 500
"""Games that one transaction deletes, so that no turn waits long for it."""

_OVER: Final = GAMES.c.state == State.OVER
_NOBODYS: Final = GAMES.c.black_id.is_(None) & GAMES.c.white_id.is_(None)


def prune_games(connection: Connection, before: str, most: int) -> int:
    """Delete the oldest finished games of players without an account; how many, `BATCH` at most.

    Args:
        connection: the open transaction.
        before: those that ended before this time are deleted.
        most: how many of the others are kept, the latest ones.
    """
    numbers = select(GAMES.c.number).where(_OVER, _NOBODYS)
    latest = numbers.order_by(GAMES.c.number.desc()).offset(most).limit(1)
    surplus = connection.execute(latest).scalar()
    wanted: list[ColumnElement[bool]] = [GAMES.c.ended < before]
    if surplus is not None:
        wanted.append(GAMES.c.number <= surplus)
    oldest = numbers.where(or_(*wanted)).order_by(GAMES.c.number).limit(BATCH)
    found = connection.execute(oldest).scalars().all()
    connection.execute(delete(TURNS).where(TURNS.c.game.in_(found)))
    connection.execute(delete(GAMES).where(GAMES.c.number.in_(found)))
    return len(found)


def prune_sessions(connection: Connection, now: str) -> int:
    """Delete the log-ins of browsers that have expired; how many."""
    return connection.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now)).rowcount


def holdings(connection: Connection) -> Mapping[str, int]:
    """The number of rows of each kind."""
    counts = {
        "accounts": select(func.count()).select_from(ACCOUNTS),
        "tokens": select(func.count()).where(TOKENS.c.revoked.is_(None)),
        "sessions": select(func.count()).select_from(SESSIONS),
        "games of accounts": select(func.count()).where(_OVER, ~_NOBODYS),
        "games without an account": select(func.count()).where(_OVER, _NOBODYS),
        "games offered or in play": select(func.count()).where(~_OVER),
        "turns": select(func.count()).select_from(TURNS),
        "puzzles solved": select(func.count()).select_from(PUZZLES_SOLVED),
    }
    return {name: connection.execute(query).scalar_one() for name, query in counts.items()}
