"""Accounts and their tokens; every function works in the given transaction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from yoddd.protocol.origin import fold
from yoddd.store.errors import NameTaken, UnknownName
from yoddd.store.schema import ACCOUNTS, TOKENS
from yoddd.store.values import Account, digest

_BATCH: Final = 500
"""The number of digests in one query; SQLite limits that of variables."""

_COLUMNS = (
    ACCOUNTS.c.id,
    ACCOUNTS.c.name,
    ACCOUNTS.c.created,
    ACCOUNTS.c.disabled,
    ACCOUNTS.c.anchor,
)


def add_account(
    connection: Connection, name: str, created: str, anchor: float | None = None
) -> Account:
    """A new account without a token.

    Raises:
        NameTaken: there is one of that name.
    """
    values = {"name": name, "folded": fold(name), "created": created, "anchor": anchor}
    try:
        with connection.begin_nested():
            result = connection.execute(insert(ACCOUNTS).values(disabled=False, **values))
    except IntegrityError:
        raise NameTaken(f"there is an account {name!r} already") from None
    (number,) = result.inserted_primary_key or (0,)
    return Account(number, name, created, anchor=anchor)


def add_token(connection: Connection, name: str, token: str, created: str) -> None:
    """Add a valid ``token`` to an account; only its digest is stored.

    Raises:
        UnknownName: there is no such account.
    """
    account = find_account(connection, name)
    row = {"account_id": account.id, "digest": digest(token), "created": created}
    connection.execute(insert(TOKENS).values(**row))


def revoke_tokens(connection: Connection, name: str, when: str) -> int:
    """Revoke every token of an account; the number of tokens revoked.

    Raises:
        UnknownName: there is no such account.
    """
    account = find_account(connection, name)
    result = connection.execute(
        update(TOKENS)
        .where(TOKENS.c.account_id == account.id, TOKENS.c.revoked.is_(None))
        .values(revoked=when)
    )
    return result.rowcount


def set_disabled(connection: Connection, name: str, *, disabled: bool) -> None:
    """Refuse or allow log-ins.

    Raises:
        UnknownName: there is no such account.
    """
    account = find_account(connection, name)
    connection.execute(
        update(ACCOUNTS).where(ACCOUNTS.c.id == account.id).values(disabled=disabled)
    )


def set_anchor(connection: Connection, name: str, anchor: float | None) -> None:
    """Fix the rating of an account; None to compute it.

    Raises:
        UnknownName: there is no such account.
    """
    account = find_account(connection, name)
    connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == account.id).values(anchor=anchor))


def find_account(connection: Connection, name: str) -> Account:
    """The account called ``name`` in any case; its tokens are not counted.

    Raises:
        UnknownName: there is none.
    """
    row = connection.execute(select(*_COLUMNS).where(ACCOUNTS.c.folded == fold(name))).first()
    if row is None:
        raise UnknownName(f"no account {name!r}")
    return _account(row)


def log_in(connection: Connection, name: str, token: str) -> Account | None:
    """The account, if the token is valid for it and it is not disabled; None otherwise.

    The token is looked up by its digest, so the time taken reveals nothing about it.
    """
    row = connection.execute(
        select(*_COLUMNS)
        .join(TOKENS, TOKENS.c.account_id == ACCOUNTS.c.id)
        .where(
            TOKENS.c.digest == digest(token),
            TOKENS.c.revoked.is_(None),
            ACCOUNTS.c.folded == fold(name),
            ACCOUNTS.c.disabled.is_(False),
        )
    ).first()
    return None if row is None else _account(row)


def invalid_tokens(connection: Connection, digests: Collection[str]) -> set[str]:
    """Those of ``digests`` whose tokens are revoked, or whose accounts are disabled."""
    found = set(digests)
    ordered = sorted(digests)
    for start in range(0, len(ordered), _BATCH):
        some = ordered[start : start + _BATCH]
        rows = connection.execute(
            select(TOKENS.c.digest)
            .join(ACCOUNTS, TOKENS.c.account_id == ACCOUNTS.c.id)
            .where(
                TOKENS.c.digest.in_(some),
                TOKENS.c.revoked.is_(None),
                ACCOUNTS.c.disabled.is_(False),
            )
        )
        found -= {row.digest for row in rows}
    return found


def list_accounts(connection: Connection) -> list[Account]:
    """All accounts by name, with the number of their valid tokens."""
    good = and_(TOKENS.c.account_id == ACCOUNTS.c.id, TOKENS.c.revoked.is_(None))
    rows = connection.execute(
        select(*_COLUMNS, func.count(TOKENS.c.id))
        .outerjoin(TOKENS, good)
        .group_by(*_COLUMNS, ACCOUNTS.c.folded)
        .order_by(ACCOUNTS.c.folded)
    )
    return [_account(row) for row in rows]


def _account(row: Row[*tuple[Any, ...]]) -> Account:
    return Account(*row)
