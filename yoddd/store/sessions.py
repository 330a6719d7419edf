"""Sessions of browsers that are logged in to an account; every function works in a transaction."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from yoddd.store.accounts import ACCOUNT_COLUMNS, first_enabled
from yoddd.store.pruning import prune_sessions
from yoddd.store.schema import ACCOUNTS, SESSIONS
from yoddd.store.values import Account, digest, ticket_of


def open_session(
    connection: Connection,
    account: int,
    secret: str,
    now: str,
    expires: str,
    *,
    most: int,
    earlier: str | None = None,
) -> None:
    """Store a session, of which only digests are kept; sessions that have expired are deleted.

    Args:
        connection: the open transaction.
        account: the id of the account.
        secret: the browser's cookie.
        now: the time.
        expires: when the session ends by itself.
        most: the sessions of an account; beyond that, its oldest end.
        earlier: the browser's earlier cookie, whose session ends.
    """
    if earlier is not None:
        close_session(connection, earlier)
    prune_sessions(connection, now)
    own = select(SESSIONS.c.digest).where(SESSIONS.c.account_id == account)
    oldest = own.order_by(SESSIONS.c.expires.desc()).offset(most - 1)
    old = connection.execute(oldest).scalars().all()
    connection.execute(delete(SESSIONS).where(SESSIONS.c.digest.in_(old)))
    row = {"digest": digest(secret), "ticket": digest(ticket_of(secret)), "account_id": account}
    connection.execute(insert(SESSIONS).values(**row, expires=expires))


def close_session(connection: Connection, secret: str) -> None:
    """Delete a session."""
    connection.execute(delete(SESSIONS).where(SESSIONS.c.digest == digest(secret)))


def find_session(connection: Connection, secret: str, now: str) -> Account | None:
    """The account of a session that has not expired and is not disabled; None otherwise."""
    query = select(*ACCOUNT_COLUMNS).join(SESSIONS, SESSIONS.c.account_id == ACCOUNTS.c.id)
    wanted = (SESSIONS.c.digest == digest(secret), SESSIONS.c.expires > now)
    return first_enabled(connection, query.where(*wanted))
