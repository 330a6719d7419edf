"""The lock and the generation of a PostgreSQL store, with a real server."""

from __future__ import annotations

import threading
from functools import partial

import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL

from tests.daemon.conftest import until
from tests.support.postgres import database, postgres
from tests.support.programs import PATIENCE
from yoddd.store import accounts, games
from yoddd.store.advisory_lock import AdvisoryLock, raise_generation
from yoddd.store.database import connect, migrate, read_url, weak_settings
from yoddd.store.errors import StoreAway, StoreError, StoreTaken
from yoddd.store.store import Store
from yoddd.store.values import NewGame, TurnRow

__all__ = ["database", "postgres"]

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.invariant]

NOW = "2026-11-21T12:00:00.000Z"


@pytest.fixture
def url(database: str) -> URL:
    found = read_url(database)
    migrate(found)
    return found


def begun(store: Store) -> int:
    offer = NewGame("yodd", "hex4", "60+1", "ann", "bob", NOW, rated=False)
    number = store.transact(partial(games.add_game, game=offer))
    store.transact(partial(games.begin_game, number=number, black="ann", white="bob", started=NOW))
    return number


def test_database_of_another_program_is_no_store(database: str) -> None:
    url = read_url(database)
    with psycopg.connect(database) as other:
        other.execute("CREATE TABLE alembic_version (version_num text)")
    with pytest.raises(StoreError, match="is not a store of yoddd"):
        migrate(url)


def test_write_of_an_earlier_generation_is_refused_with_its_whole_batch(url: URL) -> None:
    former, other = Store(url, 1), Store(url)
    assert other.transact(raise_generation) == 1
    game = begun(former)
    assert former.write([TurnRow(game, 1, "1d4", 0.5)]) == [None]
    assert other.transact(raise_generation) == 2
    turns = [TurnRow(game, number, "pass", 0.5) for number in (2, 3)]
    assert [type(one) for one in former.write(turns)] == [StoreTaken, StoreTaken]
    with pytest.raises(StoreTaken, match="another daemon has taken over"):
        former.transact(partial(accounts.add_account, name="cid", created=NOW))
    successor = Store(url, 2)
    assert successor.write(turns[:1]) == [None]
    assert [row.number for row in other.read(partial(games.turns_of, number=game))] == [1, 2]
    for store in (former, other, successor):
        store.close()


def test_takeover_waits_for_a_write_in_progress_and_reads_it(url: URL) -> None:
    other = Store(url)
    other.transact(raise_generation)
    former, read = Store(url, 1), list[int]()
    game = begun(former)

    def take_over() -> None:
        other.transact(raise_generation)
        read.extend(row.number for row in other.read(partial(games.turns_of, number=game)))

    taking = threading.Thread(target=take_over)

    def keep(connection: Connection) -> None:
        games.add_turns(connection, [TurnRow(game, 1, "1d4", 0.5)])
        taking.start()
        wait_for_lock(former)
        assert read == []

    former.transact(keep)
    taking.join(PATIENCE)
    assert read == [1]
    former.close()
    other.close()


def wait_for_lock(store: Store) -> None:
    """Wait until one transaction waits for another."""
    query = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    until(lambda: bool(store.read(lambda c: c.execute(query).scalar())))


def test_lock_is_held_by_one_until_its_session_ends(url: URL) -> None:
    first, second = AdvisoryLock(url), AdvisoryLock(url)
    assert first.acquire()
    assert not second.acquire()
    assert first.take_over() == 1
    first.close()
    until(second.acquire)  # the server frees it a moment after its session has closed
    assert second.take_over() == 2
    second.close()


def test_lock_whose_session_is_ended_fails_its_check(url: URL) -> None:
    lock, other = AdvisoryLock(url), Store(url)
    assert lock.acquire()
    lock.check()
    query = text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    other.transact(lambda c: c.execute(query))
    with pytest.raises(StoreError, match=r"terminating|closed|lost"):
        lock.check()
    until(lock.acquire)  # in a new session, once it is asked for
    lock.close()
    other.close()


def test_lock_of_a_server_that_is_away_may_be_asked_for_again() -> None:
    lock = AdvisoryLock(read_url("postgresql://yoddd@127.0.0.1:1/none"))
    for _ in range(2):
        with pytest.raises(StoreAway, match="connection"):
            lock.acquire()


def test_writing_session_has_the_limits_of_a_suspended_daemon(url: URL) -> None:
    store, query = Store(url), text("SHOW idle_in_transaction_session_timeout")
    assert store.transact(lambda c: c.execute(query).scalar()) == "10s"
    assert store.read(lambda c: c.execute(query).scalar()) == "0"
    store.close()


def test_postgres_connection_commits_durably_whatever_is_configured(database: str) -> None:
    options = "&options=-c%20synchronous_commit%3D"
    for url in (database, f"{database}{options}off", f"{database}{options}local"):
        engine = connect(read_url(url), writes=True)
        with engine.connect() as connection:
            name = connection.exec_driver_sql("SELECT current_database()").scalar()
            connection.exec_driver_sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
            connection.commit()
        engine.dispose()
        for writes in (True, False):
            engine = connect(read_url(url), writes=writes)
            with engine.connect() as connection:
                connection.rollback()
                found = connection.exec_driver_sql("SHOW synchronous_commit").scalar()
                assert found == ("local" if url.endswith("local") else "on")
                limit = connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout")
                assert limit.scalar() == ("10s" if writes else "0")
                # The server of the tests has nothing to lose.
                assert weak_settings(connection) == [
                    "PostgreSQL runs with fsync = off: acknowledged turns can be lost"
                ]
            engine.dispose()
