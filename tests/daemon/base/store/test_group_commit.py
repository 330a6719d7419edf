"""The journal of a store, and the commits that its thread groups."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_twisted import blockon, ensureDeferred
from sqlalchemy import event
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import deferLater
from twisted.logger import LogLevel, capturedLogs

from tests.support.postgres import database, postgres
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_share import BURST, ReactorShare
from yoddd.daemon.base.store.group_commit import GroupCommit
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.base.world import World
from yoddd.store import accounts
from yoddd.store.database import migrate, read_url, store_errors
from yoddd.store.errors import StoreAway, StoreDamaged, StoreError
from yoddd.store.values import TurnRow

reactor = cast("Reactor", installed)


class Group(GroupCommit[int]):
    """Writes batches by a function."""

    def __init__(self, write: Callable[[list[int]], list[object]]) -> None:
        super().__init__(World(reactor), "test")
        self._do = write

    def write(self, batch: list[int]) -> list[object]:
        return self._do(batch)


class Writer:
    """Writes batches once `go` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.groups: list[GroupCommit[int]] = []

    def group(self) -> GroupCommit[int]:
        self.groups.append(Group(self.write))
        return self.groups[-1]

    def write(self, batch: list[int]) -> list[object]:
        self.go.wait(20)
        return [item * 2 for item in batch]


@pytest.fixture
def writer() -> Iterator[Writer]:
    """Sets `go` at the end: a thread that waits would keep the process alive."""
    writer = Writer()
    yield writer
    writer.go.set()
    for group in writer.groups:
        group.close()


@ensureDeferred
async def test_commit_charges_the_addresses_of_its_items_in_equal_parts() -> None:
    def write(batch: list[int]) -> list[object]:
        begun = time.thread_time()
        while time.thread_time() < begun + 3 * BURST:
            pass
        return list[object](batch)

    group = Group(write)
    shares = [ReactorShare(lambda: 0.1, lambda: 0.0) for _ in range(2)]
    done: list[Deferred[object]] = []
    for share in (*shares, shares[0]):
        share.run(lambda: done.append(group.commit(1)))
    free = group.commit(1)
    await DeferredList([*done, free])
    waits = [share.wait() for share in shares]
    # Of four items, two are the first one's: 1.5 bursts, and three quarters of one.
    assert waits[0] == pytest.approx(0.5 * BURST / 0.1, rel=0.2)
    assert waits[1] == 0
    assert not shares[1].is_idle
    group.close()


@ensureDeferred
async def test_close_waits_for_the_batch_that_is_written(writer: Writer) -> None:
    group = writer.group()
    done = group.commit(1)
    while group.pending:
        await deferLater(reactor, 0)
    threading.Timer(0.05, writer.go.set).start()
    writer.groups.pop().close()
    assert await done == 2


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
        for look in (journal.read, journal.read_charged, journal.browse):
            with pytest.raises(StoreDamaged, match=r"store\.db is damaged"):
                await look(accounts.find_account, "ann")
    assert [event["log_level"] for event in logs] == [LogLevel.critical]
    journal.close()


@pytest.mark.parametrize("code", ["SQLITE_IOERR_READ", "SQLITE_CORRUPT", "SQLITE_NOTADB"])
@ensureDeferred
async def test_journal_whose_read_fails_once_goes_on_with_a_sound_store(
    code: str, journal: Journal
) -> None:
    store, left = journal._store, [0]
    assert store is not None

    def fail(*_: object) -> None:
        if left[0]:
            left[0] -= 1
            error = sqlite3.DatabaseError("planned")
            error.sqlite_errorcode = getattr(sqlite3, code)
            raise error

    for engine in (store._writer, store._reader, store._browser):
        event.listen(engine, "before_cursor_execute", fail)
    await journal.do(accounts.add_account, "ann", WHEN)
    with capturedLogs() as logs:
        left[0] = 1
        with pytest.raises(StoreAway, match="a read has failed: planned"):
            await journal.do(accounts.add_account, "bob", WHEN)
        await journal.do(accounts.add_account, "bob", WHEN)
        for look in (journal.read, journal.read_charged, journal.browse):
            left[0] = 1
            assert (await look(accounts.find_account, "bob")).name == "bob"
        left[0] = 2
        with pytest.raises(StoreAway):
            await journal.read(accounts.find_account, "bob")
        assert (await journal.read(accounts.find_account, "ann")).name == "ann"
    assert journal.failed_reads == 6
    assert [event["log_level"] for event in logs] == [LogLevel.warn] * 6


@ensureDeferred
async def test_journal_whose_read_fails_at_the_start_opens_a_sound_store(tmp_path: Path) -> None:
    url = read_url(str(tmp_path / "store.db"))
    migrate(url)
    journal, failures = Journal(World(cast("Reactor", installed)), url), [1]
    connect = journal._connect

    def fail(generation: int | None) -> None:
        if failures and failures.pop():
            with store_errors(url):
                error = sqlite3.OperationalError("planned")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
                raise error
        connect(generation)

    cast("Any", journal)._connect = fail
    await journal.open()
    assert journal.failed_reads == 1
    journal.close()
