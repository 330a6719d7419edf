"""The leaderboards as last computed; every function works in the given transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from sqlalchemy import Connection, delete, func, insert, select

from yoddd.referee.tournament.ladder import PROVISIONAL
from yoddd.store.accounts import list_accounts
from yoddd.store.schema import ACCOUNTS, RATING_POINTS, RATINGS
from yoddd.store.values import AccountRating


def set_standings(
    connection: Connection, game: str, board: str, standings: Sequence[AccountRating], when: str
) -> None:
    """Replace a leaderboard as a whole, unless it follows from more games than ``standings``.

    Several daemons that share a store may compute it at the same time. The course of each rating
    has a point at ``when``, if the account has played meanwhile.
    """
    here = (RATINGS.c.game == game, RATINGS.c.board == board)
    if connection.dialect.name == "postgresql":  # SQLite lets only one write at a time
        connection.exec_driver_sql("LOCK TABLE ratings IN SHARE ROW EXCLUSIVE MODE")
    stored = connection.execute(select(func.sum(RATINGS.c.games)).where(*here)).scalar() or 0
    if standings and stored > sum(standing.games for standing in standings):
        return
    connection.execute(delete(RATINGS).where(*here))
    numbers = {account.name: account.id for account in list_accounts(connection)}
    rows = [
        {
            "game": game,
            "board": board,
            "account_id": numbers[standing.name],
            "elo": standing.elo,
            "error": standing.error,
            "games": standing.games,
            "won": standing.won,
        }
        for standing in standings
    ]
    if rows:
        connection.execute(insert(RATINGS), rows)
        _add_points(connection, rows, when)


def _add_points(connection: Connection, rows: Sequence[Mapping[str, Any]], when: str) -> None:
    """Add the ratings that follow from more games than the last point of the account."""
    points = RATING_POINTS.c
    here = (points.game == rows[0]["game"], points.board == rows[0]["board"])
    query = select(points.account_id, func.max(points.games)).where(*here)
    last = {row[0]: row[1] for row in connection.execute(query.group_by(points.account_id))}
    fresh = [
        {name: value for name, value in row.items() if name != "won"} | {"computed": when}
        for row in rows
        if row["games"] > last.get(row["account_id"], 0)
    ]
    if fresh:
        connection.execute(insert(RATING_POINTS), fresh)


def standings(connection: Connection, game: str, board: str) -> list[AccountRating]:
    """A leaderboard, the best first; disabled accounts are left out."""
    rows = connection.execute(
        select(
            ACCOUNTS.c.name,
            RATINGS.c.elo,
            RATINGS.c.error,
            RATINGS.c.games,
            RATINGS.c.won,
            ACCOUNTS.c.anchor.is_not(None),
        )
        .join(ACCOUNTS, ACCOUNTS.c.id == RATINGS.c.account_id)
        .where(RATINGS.c.game == game, RATINGS.c.board == board, ACCOUNTS.c.disabled.is_(False))
        .order_by(RATINGS.c.elo.desc(), ACCOUNTS.c.name)
    )
    return [attrs.evolve(AccountRating(*row), provisional=row.error > PROVISIONAL) for row in rows]
