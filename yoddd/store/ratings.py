"""Ratings: the leaderboards as last computed, and profiles of accounts; in a given transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs
from sqlalchemy import Connection, and_, case, delete, func, insert, or_, select

from yoddd.referee.tournament.ladder import PROVISIONAL
from yoddd.store.accounts import find_account, list_accounts
from yoddd.store.schema import ACCOUNTS, GAMES, RATING_POINTS, RATINGS
from yoddd.store.values import Account, AccountRating, State


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


MOST_NEWS: Final = 30
"""Finished games and offers that are listed for an account."""

_NEWS: Final = (
    *("number", "rated", "game", "board", "clock", "offered", "ended", "winner", "reason"),
    *("black_id", "black_name", "white_name"),
)

MOST_POINTS: Final = 1000
"""Points of the courses of all ratings in a profile; the oldest are left out."""


def profile(connection: Connection, name: str) -> dict[str, Any]:
    """The profile of the account called ``name``, as the API gives it.

    Raises:
        UnknownName: there is none.
    """
    account = find_account(connection, name)
    return {
        "name": account.name,
        "created": account.created,
        "anchor": account.anchor,
        "kind": _kind(connection, account),
        **_results(connection, account),
        "ratings": _ratings(connection, account),
        "course": _course(connection, account),
    }


def news(connection: Connection, account: int) -> list[dict[str, Any]]:
    """The latest finished games of an account, and the offers to it alone, the latest first."""
    seats = ((GAMES.c.black_id, GAMES.c.black_key), (GAMES.c.white_id, GAMES.c.white_key))
    offered = or_(*(and_(seat == account, key.is_(None)) for seat, key in seats))
    wanted = or_(
        and_(GAMES.c.state == State.OVER, or_(*(seat == account for seat, _ in seats))),
        and_(GAMES.c.state == State.OPEN, offered, GAMES.c.engines == ""),
    )
    columns = [GAMES.c[name] for name in _NEWS]
    query = select(*columns).where(wanted).order_by(GAMES.c.number.desc()).limit(MOST_NEWS)
    return [dict(row) for row in connection.execute(query).mappings()]


def _kind(connection: Connection, account: Account) -> str | None:
    """``engine`` or ``human``, by the last rated game; None before the first."""
    seat = case((GAMES.c.black_id == account.id, "b"), else_="w")
    query = select(GAMES.c.engines, seat).where(_over(account))
    row = connection.execute(query.order_by(GAMES.c.number.desc()).limit(1)).first()
    return None if row is None else "engine" if row[1] in row[0] else "human"


def _over(account: Account) -> Any:
    mine = or_(GAMES.c.black_id == account.id, GAMES.c.white_id == account.id)
    return and_(GAMES.c.state == State.OVER, GAMES.c.rated, mine)


def _results(connection: Connection, account: Account) -> dict[str, int]:
    """The numbers of rated games that the account has won and lost; void ones do not count."""
    won = or_(
        and_(GAMES.c.black_id == account.id, GAMES.c.winner == "b"),
        and_(GAMES.c.white_id == account.id, GAMES.c.winner == "w"),
    )
    query = select(func.count(), func.coalesce(func.sum(case((won, 1), else_=0)), 0))
    games, wins = connection.execute(
        query.select_from(GAMES).where(_over(account), GAMES.c.winner.is_not(None))
    ).one()
    return {"games": games, "won": wins, "lost": games - wins}


def _ratings(connection: Connection, account: Account) -> list[dict[str, Any]]:
    columns = [column for column in RATINGS.c if column is not RATINGS.c.account_id]
    query = select(*columns).where(RATINGS.c.account_id == account.id)
    rows = connection.execute(query.order_by(RATINGS.c.games.desc(), RATINGS.c.game))
    return [dict(row._mapping) for row in rows]  # noqa: SLF001 — SQLAlchemy's public name


def _course(connection: Connection, account: Account) -> list[dict[str, Any]]:
    """The ratings as they were computed, oldest first."""
    points = RATING_POINTS.c
    columns = [points.game, points.board, points.games, points.elo, points.error, points.computed]
    query = select(*columns).where(points.account_id == account.id)
    rows = connection.execute(query.order_by(points.computed.desc()).limit(MOST_POINTS)).all()
    return [dict(row._mapping) for row in reversed(rows)]  # noqa: SLF001 — likewise
