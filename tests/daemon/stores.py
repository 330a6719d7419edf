"""A store with accounts for the daemons of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection

from tests.support.runs import random_record
from yoddd.store import accounts, games
from yoddd.store.database import migrate, read_url
from yoddd.store.store import Store
from yoddd.store.values import NewGame

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


def add_rated_game(
    store: Store, black: str = "ann", white: str = "bob", board: str = "hex2"
) -> None:
    """Add a game of two accounts that is over."""
    now = "2030-01-31T12:00:00Z"
    offer = NewGame("yodd", board, "60", black, white, now)
    number = store.transact(lambda c: games.add_game(c, offer))
    store.transact(lambda c: games.begin_game(c, number, black, white, now))
    record = random_record(f"r{number}", black, white, number)
    store.transact(lambda c: games.end_game(c, number, record))
