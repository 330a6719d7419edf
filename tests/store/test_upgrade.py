"""Stores that older versions of the program have made; ``make.py`` of commit cda9ed87 made them."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

from yoddd.notation.records import load_record, replay
from yoddd.store import accounts, games, ratings
from yoddd.store.database import migrate, read_url
from yoddd.store.schema import METADATA
from yoddd.store.store import Store
from yoddd.store.values import GameRow, State, TurnRow

pytestmark = pytest.mark.gate

OLD = sorted(Path(__file__).with_name("old_stores").glob("*.gz"))

FINISHED = [2, 1]
IN_PLAY = 3


@pytest.fixture(params=OLD, ids=lambda path: path.name.removesuffix(".sqlite3.gz"))
def upgraded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "yoddd.sqlite3"
    old = gzip.decompress(request.param.read_bytes())
    path.write_bytes(old)
    url = read_url(str(path))
    said: list[str] = []
    migrate(url, said.append)
    (copy,) = set(tmp_path.glob("yoddd.sqlite3.a00?"))
    with closing(sqlite3.connect(copy)) as kept:  # the older program can go back to it
        assert kept.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (copy.suffix[1:],)
        ]
    assert f"copied to {copy}" in said[0]
    migrate(url, said.append)
    assert len(said) == 1
    store = Store(url)
    yield store
    store.close()


def test_upgrade_of_an_old_store_gives_the_schema_of_a_new_one(upgraded: Store) -> None:
    def compare(connection: Connection) -> object:
        return compare_metadata(MigrationContext.configure(connection), METADATA)

    assert upgraded.read(compare) == []
    assert upgraded.read(lambda c: c.execute(text("PRAGMA foreign_key_check")).all()) == []
    assert upgraded.read(lambda c: c.execute(text("PRAGMA integrity_check")).scalar()) == "ok"


def test_upgrade_of_an_old_store_keeps_finished_games_and_ratings(upgraded: Store) -> None:
    found = upgraded.read(games.finished_games)
    assert [game.number for game in found] == FINISHED
    assert [game.reason for game in found] == ["resign", "groups"]
    for game in found:
        assert game.record is not None
        record = load_record(game.record)
        turns = upgraded.read(partial(games.turns_of, number=game.number))
        assert [row.token for row in turns] == list(record.turns)
        replay(record)
    standings = upgraded.read(lambda c: ratings.standings(c, "yodd", "hex3"))
    assert [(one.name, one.games, one.won) for one in standings] == [("ann", 2, 2), ("bob", 2, 0)]
    account = upgraded.read(lambda c: accounts.log_in(c, "ann", "token-of-ann"))
    assert account is not None


def test_upgrade_of_an_old_store_continues_the_games_in_play(upgraded: Store) -> None:
    def rated(rows: list[GameRow]) -> GameRow:
        return next(row for row in rows if row.number == IN_PLAY)

    game = rated(upgraded.read(games.games_in_play))
    assert (game.settled.black, game.settled.white, game.settled.rated) == ("ann", "bob", True)
    assert game.state is State.PLAYING
    assert [turn.number for turn in game.turns] == [1, 2, 3, 4]
    assert upgraded.write([TurnRow(IN_PLAY, 5, "1c4,2c2", 0.5)]) == [None]
    assert len(rated(upgraded.read(games.games_in_play)).turns) == 5
