"""A store with accounts for the daemons of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection

from yoddd.store import accounts
from yoddd.store.database import migrate, read_url
from yoddd.store.store import Store

TOKENS: Final = {name: f"token-of-{name}" for name in ("ann", "bob", "cid", "bot", "box")}

T = TypeVar("T", Path, str)


def make_store(where: T, more: tuple[str, ...] = ()) -> T:
    """A store in a file or behind a URL; the token of NAME is ``token-of-NAME``."""
    url = read_url(str(where))
    migrate(url)
    store = Store(url)
    now = "2026-11-21T12:00:00.000Z"

    def add(connection: Connection) -> None:
        for name in (*TOKENS, *more):
            accounts.add_account(connection, name, now)
            accounts.add_token(connection, name, f"token-of-{name}", now)

    store.transact(add)
    store.close()
    return where
