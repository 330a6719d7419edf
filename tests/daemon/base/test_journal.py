"""The asynchronous store, with a database in a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_twisted import blockon, ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred
from twisted.logger import LogLevel, capturedLogs

from tests.support.postgres import database, postgres
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.base.reactor_share import ReactorShare
from yoddd.daemon.base.world import World
from yoddd.store import accounts
from yoddd.store.advisory_lock import AdvisoryLock
from yoddd.store.database import migrate, read_url
from yoddd.store.errors import StoreAway, StoreDamaged, StoreError, StoreTaken, UnknownName
from yoddd.store.values import TurnRow

__all__ = ["database", "postgres"]

WHEN = "2026-11-21T12:00:00.000Z"
TURN = TurnRow(1, 1, "1a1", 1.0)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(World(cast("Reactor", installed)), read_url(str(tmp_path / "store.db")))
    blockon(journal.open())
    yield journal
    journal.close()


@ensureDeferred
async def test_write_is_visible_to_a_read_once_it_has_fired(journal: Journal) -> None:
    with pytest.raises(UnknownName):
        await journal.read(accounts.find_account, "ann")
    await journal.do(accounts.add_account, "ann", WHEN)
    assert (await journal.read(accounts.find_account, "ann")).name == "ann"


@ensureDeferred
async def test_journal_that_is_not_open_fails_every_request(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(
        World(cast("Reactor", installed)), read_url(str(tmp_path / "file" / "store.db"))
    )
    for request in (journal.read, journal.do):
        with pytest.raises(StoreAway, match="not open"):
            await request(accounts.find_account, "ann")
    with pytest.raises(StoreError):
        await journal.open()
    journal.close()


@ensureDeferred
async def test_queries_are_charged_to_the_address_that_asks(journal: Journal) -> None:
    share = ReactorShare(lambda: 0.1, lambda: 0.0)
    done: list[Deferred[Any]] = []
    share.run(lambda: done.append(journal.browse(accounts.find_alike, "ann")))
    await done[0]
    assert not share.is_idle


@ensureDeferred
async def test_journal_that_finds_damage_uses_the_store_no_more(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    journal = Journal(World(cast("Reactor", installed)), read_url(str(path)))
    await journal.open()
    await journal.do(accounts.add_account, "ann", WHEN)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = path.read_bytes()
    path.write_bytes(b"nonsense" * (len(pages) // 8))
    with capturedLogs() as logs:
        with pytest.raises(StoreDamaged, match="yoddd store restore COPY"):
            await journal.do(accounts.add_account, "bob", WHEN)
        path.write_bytes(pages)
        for request in (journal.do(accounts.add_account, "bob", WHEN), journal.commit(TURN)):
            with pytest.raises(StoreDamaged, match="yoddd store restore COPY"):
                await request
        for look in (journal.read, journal.ask, journal.browse):
            with pytest.raises(StoreDamaged, match=r"store\.db is damaged"):
                await look(accounts.find_account, "ann")
    assert [event["log_level"] for event in logs] == [LogLevel.critical]
    journal.close()


@pytest.mark.process
@pytest.mark.whole
@ensureDeferred
async def test_write_after_a_takeover_is_reported_once_and_refused(database: str) -> None:
    url = read_url(database)
    told: list[str] = []
    migrate(url)
    lock = AdvisoryLock(url)
    assert lock.acquire()
    journal = Journal(World(cast("Reactor", installed)), url)
    await journal.open(told.append, lock.take_over())
    await journal.do(accounts.add_account, "ann", WHEN)
    lock.take_over()
    with pytest.raises(StoreTaken, match="another daemon has taken over the store"):
        await journal.do(accounts.add_account, "bob", WHEN)
    assert (await journal.read(accounts.find_account, "ann")).name == "ann"
    assert told == ["another daemon has taken over the store"]
    journal.close()
    lock.close()
