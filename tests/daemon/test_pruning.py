"""A real daemon deletes the games that strangers have left in its store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select

from tests.daemon.conftest import serving, until
from tests.daemon.stores import make_store
from yoddd.store.database import read_url
from yoddd.store.pruning import holdings
from yoddd.store.schema import GAMES, TURNS
from yoddd.store.store import Store

pytestmark = [pytest.mark.process, pytest.mark.whole]

OLD, NEW = "2020-01-31T12:00:00.000Z", "2099-01-31T12:00:00.000Z"


def fill(path: Path, count: int, ended: str | None, black: int | None = None) -> None:
    """Add games with a turn each, which are in play if they have not ended."""
    values: dict[str, object] = {"game": "yodd", "board": "hex8", "clock": "60", "engines": ""}
    values |= {"offered": OLD, "rated": False}
    values |= {"state": "over" if ended else "open"}
    with closing(Store(read_url(str(path)))) as store:
        games = [{**values, "ended": ended, "black_id": black}] * count
        store.transact(lambda connection: connection.execute(insert(GAMES), games))
        last = store.read(lambda c: c.execute(select(func.max(GAMES.c.number))).scalar_one())
        numbers = range(last - count + 1, last + 1)
        turns = [{"game": one, "number": 1, "token": "1a1", "seconds": 0} for one in numbers]
        store.transact(lambda connection: connection.execute(insert(TURNS), turns))


def held(path: Path) -> Mapping[str, int]:
    with closing(Store(read_url(str(path)))) as store:
        return store.read(holdings)


def test_old_games_of_strangers_are_deleted_and_those_of_accounts_stay(tmp_path: Path) -> None:
    path = make_store(tmp_path / "s")
    fill(path, 1200, OLD)
    fill(path, 7, OLD, black=1)
    fill(path, 3, NEW)
    with serving("--store", str(path)):
        until(lambda: held(path)["games without an account"] == 3)
    assert held(path)["games of accounts"] == 7
    assert held(path)["turns"] == 10


def test_games_of_strangers_beyond_the_most_are_deleted_oldest_first(tmp_path: Path) -> None:
    path = make_store(tmp_path / "s")
    fill(path, 20, NEW)
    with serving("--store", str(path), "--set", "limits.most_games=4"):
        until(lambda: held(path)["games without an account"] == 4)
    with closing(Store(read_url(str(path)))) as store:
        least = store.read(lambda c: c.execute(select(func.min(GAMES.c.number))).scalar_one())
    assert least == 17
