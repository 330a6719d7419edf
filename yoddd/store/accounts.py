"""Accounts: tokens, sessions of browsers, and solved puzzles, each function in a transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, cast

import attrs
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    select,
    union_all,
    update,
)
from sqlalchemy.exc import IntegrityError

from yoddd.protocol.origin import fold
from yoddd.store.errors import NameTaken, UnknownName
from yoddd.store.pruning import prune_sessions
from yoddd.store.schema import ACCOUNTS, PUZZLE_SCORES, PUZZLES_SOLVED, SESSIONS, TOKENS
from yoddd.store.values import Account, Scores, digest, ticket_of


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


def set_feed(connection: Connection, account: int, secret: str | None) -> None:
    """Give the feed of an account a new secret, or none, so that it has no feed."""
    value = None if secret is None else digest(secret)
    connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == account).values(feed=value))


def has_feed(connection: Connection, account: int) -> bool:
    """Whether an account has a feed."""
    query = select(ACCOUNTS.c.feed).where(ACCOUNTS.c.id == account)
    return connection.scalar(query) is not None


def account_of_feed(connection: Connection, secret: str) -> Account | None:
    """The account whose feed has this secret; None if it has none, or is disabled."""
    wanted = ACCOUNTS.c.feed == digest(secret)
    return first_enabled(connection, select(*ACCOUNT_COLUMNS).where(wanted))


def find_scores(connection: Connection, account: int) -> Scores | None:
    """The figures of an account; None if it has none yet."""
    names = [PUZZLE_SCORES.c[field.name] for field in attrs.fields(Scores)]
    row = connection.execute(
        select(*names).where(PUZZLE_SCORES.c.account_id == account)
    ).one_or_none()
    return None if row is None else Scores(*row)


def find_solved(connection: Connection, account: int) -> Mapping[str, bool]:
    """The puzzles that an account has solved: whether each at the first try."""
    columns = PUZZLES_SOLVED.c
    query = select(columns.puzzle, columns.first_try).where(columns.account_id == account)
    return {row.puzzle: row.first_try for row in connection.execute(query)}


def keep_puzzles(
    connection: Connection, account: int, scores: Scores, solved: Mapping[str, bool]
) -> None:
    """Add puzzles to those that an account has solved, and set its figures.

    Args:
        connection: the open transaction.
        account: the id of the account.
        scores: its figures; what was better before is kept, but for the rating.
        solved: whether each was solved at the first try.
    """
    earlier = find_scores(connection, account)
    values = attrs.asdict(scores if earlier is None else scores.merged(earlier))
    if earlier is None:
        connection.execute(insert(PUZZLE_SCORES).values(account_id=account, **values))
    else:
        own = PUZZLE_SCORES.c.account_id == account
        connection.execute(update(PUZZLE_SCORES).where(own).values(**values))
    known = find_solved(connection, account)
    rows = [
        {"account_id": account, "puzzle": puzzle, "first_try": first_try}
        for puzzle, first_try in solved.items()
        if puzzle not in known
    ]
    if rows:
        connection.execute(insert(PUZZLES_SOLVED), rows)
    columns = PUZZLES_SOLVED.c
    better = [
        puzzle for puzzle, first_try in solved.items() if first_try and not known.get(puzzle, True)
    ]
    if better:
        own = (columns.account_id == account) & columns.puzzle.in_(better)
        connection.execute(update(PUZZLES_SOLVED).where(own).values(first_try=True))


_BATCH: Final = 500
"""The number of digests in one query; SQLite limits that of variables."""

_ALIKE: Final = ((".", ""), ("_", ""), ("-", ""), ("0", "o"), ("1", "l"), ("i", "l"), ("rn", "m"))
"""Texts in folded names that cannot be told from others."""

ACCOUNT_COLUMNS: Final = (
    ACCOUNTS.c.id,
    ACCOUNTS.c.name,
    ACCOUNTS.c.created,
    ACCOUNTS.c.disabled,
    ACCOUNTS.c.anchor,
)


# What a daemon asks most is made once: to make a query takes as long as to ask it.
_NAMED: Final = select(*ACCOUNT_COLUMNS).where(ACCOUNTS.c.folded == bindparam("folded"))
_OF_TOKEN: Final = _NAMED.join(TOKENS, TOKENS.c.account_id == ACCOUNTS.c.id).where(
    TOKENS.c.digest == bindparam("digest"),
    TOKENS.c.revoked.is_(None),
    ACCOUNTS.c.disabled.is_(False),
)


def _enabled(digests: Column[str], account: Column[int]) -> Select[str]:
    """Select the digests among ``some`` that belong to accounts that are not disabled."""
    query = select(digests).join(ACCOUNTS, account == ACCOUNTS.c.id)
    some = digests.in_(bindparam("some", expanding=True))
    return query.where(ACCOUNTS.c.disabled.is_(False), some)


_VALID: Final = union_all(
    _enabled(TOKENS.c.digest, TOKENS.c.account_id).where(TOKENS.c.revoked.is_(None)),
    _enabled(SESSIONS.c.ticket, SESSIONS.c.account_id),
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


def register(
    connection: Connection,
    name: str,
    token: str,
    created: str,
    anchor: float | None = None,
) -> Account:
    """A new account with a valid ``token``; see `add_account` and `add_token`.

    Args:
        connection: of the transaction.
        name: of the account.
        token: its token.
        created: the time.
        anchor: the rating that it keeps.

    Raises:
        NameTaken: there is one of that name, or of one that looks like it.
    """
    other = find_alike(connection, name)
    if other is not None and fold(other) != fold(name):
        raise NameTaken(f"{name} looks like the account {other}")
    account = add_account(connection, name, created, anchor)
    add_token(connection, name, token, created)
    return account


def add_token(connection: Connection, name: str, token: str, created: str) -> None:
    """Add a valid ``token`` to an account; only its digest is stored.

    Raises:
        UnknownName: there is no such account.
    """
    account = find_account(connection, name)
    row = {"account_id": account.id, "digest": digest(token), "created": created}
    connection.execute(insert(TOKENS).values(**row))


def revoke_tokens(connection: Connection, name: str, when: str) -> int:
    """Revoke every token of an account, and end its sessions; the number of tokens revoked.

    Raises:
        UnknownName: there is no such account.
    """
    account = find_account(connection, name)
    connection.execute(delete(SESSIONS).where(SESSIONS.c.account_id == account.id))
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
    row = connection.execute(_NAMED, {"folded": fold(name)}).first()
    if row is None:
        raise UnknownName(f"no account {name!r}")
    return _account(row)


def find_alike(connection: Connection, name: str) -> str | None:
    """The name of an account that ``name`` is, or that it looks like; None if there is none.

    Names are ASCII, and of Unicode's confusables (UTS 39) there these remain: 0 and O, 1, I and l,
    rn and m. Marks between letters make no difference either.
    """
    key, column = fold(name), cast("ColumnElement[str]", ACCOUNTS.c.folded)
    for old, new in _ALIKE:
        key, column = key.replace(old, new), func.replace(column, old, new)
    found = connection.execute(select(ACCOUNTS.c.name).where(column == key)).scalars().all()
    return min(found, key=lambda one: fold(one) != fold(name), default=None)


def log_in(connection: Connection, name: str, token: str) -> Account | None:
    """The account, if the token is valid for it and it is not disabled; None otherwise.

    The token is looked up by its digest, so the time taken reveals nothing about it.
    """
    row = connection.execute(_OF_TOKEN, {"folded": fold(name), "digest": digest(token)}).first()
    return None if row is None else _account(row)


def log_in_by_ticket(connection: Connection, name: str, ticket: str, now: str) -> Account | None:
    """Log in with the ticket of a session that has not expired; see `log_in`."""
    join = SESSIONS.c.account_id == ACCOUNTS.c.id
    wanted = (
        SESSIONS.c.ticket == digest(ticket),
        SESSIONS.c.expires > now,
        ACCOUNTS.c.folded == fold(name),
    )
    return first_enabled(connection, select(*ACCOUNT_COLUMNS).join(SESSIONS, join).where(*wanted))


def first_enabled(connection: Connection, query: Select[Any]) -> Account | None:
    """The first account of a query of `ACCOUNT_COLUMNS` that is not disabled."""
    row = connection.execute(query.where(ACCOUNTS.c.disabled.is_(False))).first()
    return None if row is None else _account(row)


def invalid_tokens(connection: Connection, digests: Collection[str]) -> set[str]:
    """Return the ``digests`` of tokens and tickets that are no longer valid.

    These are revoked, or belong to ended sessions or disabled accounts.
    """
    found = set(digests)
    ordered = sorted(digests)
    for start in range(0, len(ordered), _BATCH):
        some = {"some": ordered[start : start + _BATCH]}
        found -= set(connection.execute(_VALID, some).scalars())
    return found


def list_accounts(connection: Connection) -> list[Account]:
    """All accounts by name, with the number of their valid tokens."""
    good = and_(TOKENS.c.account_id == ACCOUNTS.c.id, TOKENS.c.revoked.is_(None))
    rows = connection.execute(
        select(*ACCOUNT_COLUMNS, func.count(TOKENS.c.id))
        .outerjoin(TOKENS, good)
        .group_by(*ACCOUNT_COLUMNS, ACCOUNTS.c.folded)
        .order_by(ACCOUNTS.c.folded)
    )
    return [_account(row) for row in rows]


def _account(row: Row[*tuple[Any, ...]]) -> Account:
    return Account(*row)
