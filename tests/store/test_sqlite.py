"""SQLite only: settings, URLs and backups."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from yoddd.store import accounts, database
from yoddd.store.backup import back_up, restore
from yoddd.store.database import connect, default_path, migrate, read_url, shown
from yoddd.store.errors import StoreDamaged, StoreError, StoreInUse, StoreMissing
from yoddd.store.lock import StoreLock
from yoddd.store.store import Store

pytestmark = pytest.mark.gate

NOW = "2026-11-21T12:00:00.000Z"


def store_at(path: Path, *names: str) -> Store:
    url = read_url(str(path))
    migrate(url)
    store = Store(url)
    for name in names:
        store.transact(lambda c: accounts.add_account(c, name, NOW))  # noqa: B023 — runs at once
    return store


def names_in(path: Path) -> list[str]:
    store = Store(read_url(str(path)))
    names = [account.name for account in store.read(accounts.list_accounts)]
    store.close()
    return names


def test_connect_sets_durability_and_busy_timeout(tmp_path: Path) -> None:
    store = store_at(tmp_path / "s")
    for writes in (True, False):
        engine = connect(store.url, writes=writes)
        with engine.connect() as connection:
            said = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in (
                    *("journal_mode", "synchronous", "fullfsync", "busy_timeout", "foreign_keys"),
                )
            ]
            assert said == ["wal", 2, 1, 5000, 1]
        engine.dispose()
    store.close()


def test_connect_setting_that_sqlite_does_not_take_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_at(tmp_path / "s").close()
    monkeypatch.setitem(database._PRAGMAS, "page_size", 8192)
    with pytest.raises(StoreError, match=r"SQLite has page_size .4096,., not 8192"):
        Store(read_url(str(tmp_path / "s")))


PAGE = 4096
BTREES = {2: "index interior", 5: "table interior", 10: "index leaf", 13: "table leaf"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, int]]:
    """A store with every type of page, and the number of the last page of each type."""
    path = tmp_path_factory.mktemp("pages") / "s"
    store_at(path).close()
    with closing(sqlite3.connect(path)) as connection:
        rows = [(f"p{number}", f"p{number:0500}") for number in range(400)]
        insert = "INSERT INTO accounts (name, folded, created, disabled) VALUES (?, ?, '', 0)"
        connection.executemany(insert, rows)
        connection.execute("DELETE FROM accounts WHERE id BETWEEN 100 AND 200")
        connection.commit()
        connection.execute("PRAGMA journal_mode=DELETE")
    whole = path.read_bytes()
    starts = {number: whole[(number - 1) * PAGE] for number in range(2, len(whole) // PAGE + 1)}
    found = {name: number for number, kind in starts.items() if (name := BTREES.get(kind, ""))}
    return whole, {"header": 1, "freelist": int.from_bytes(whole[32:36], "big"), **found}


@pytest.mark.parametrize("fill", [0, 0xA5])
@pytest.mark.parametrize("kind", ["header", "freelist", *BTREES.values()])
def test_damaged_page_is_refused_at_each_start_and_a_copy_restored(
    tmp_path: Path, pages: tuple[bytes, dict[str, int]], kind: str, fill: int
) -> None:
    whole, numbers = pages
    (tmp_path / "copy").write_bytes(whole)
    end = numbers[kind] * PAGE
    store = tmp_path / "s"
    store.write_bytes(whole[: end - PAGE] + bytes([fill]) * PAGE + whole[end:])
    url = read_url(str(store))
    way = f"{store} is damaged.*run: yoddd store restore COPY --store {store} --force"
    for use in (migrate, lambda url: back_up(url, tmp_path / "no")):
        with pytest.raises(StoreDamaged, match=way):
            use(url)
    restore(tmp_path / "copy", url, force=True)
    assert len(names_in(store)) == 299
    assert (tmp_path / "s.damaged").read_bytes()[end - PAGE : end] == bytes([fill]) * PAGE


def test_restore_damaged_store_in_use_by_a_daemon_is_refused(tmp_path: Path) -> None:
    store = store_at(tmp_path / "s")
    back_up(store.url, tmp_path / "copy")
    store.close()
    (tmp_path / "s").write_bytes(b"nonsense" * 512)
    lock = StoreLock(tmp_path / "s")
    with pytest.raises(StoreInUse, match="in use by another daemon"):
        restore(tmp_path / "copy", store.url, force=True)
    lock.release()


def test_error_that_does_not_pass_is_not_away(tmp_path: Path) -> None:
    store = store_at(tmp_path / "s", "ann")
    with pytest.raises(StoreError, match="no such table") as caught:
        store.read(lambda c: c.exec_driver_sql("SELECT * FROM lost"))
    assert caught.type is StoreError
    with pytest.raises(StoreDamaged, match="UTF-8"):
        store.read(lambda c: c.exec_driver_sql("SELECT CAST(x'ff' AS TEXT)").all())
    store.close()


def test_connect_writer_takes_the_lock_at_begin(tmp_path: Path) -> None:
    store = store_at(tmp_path / "s")
    other = sqlite3.connect(tmp_path / "s", timeout=0, isolation_level=None)

    def look(_: object) -> None:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    store.transact(look)
    store.read(lambda _: other.execute("BEGIN IMMEDIATE"))
    other.close()
    store.close()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("default", str(default_path())),
        ("/srv/a.db", "/srv/a.db"),
        ("sqlite:////srv/a.db", "/srv/a.db"),
        ("postgresql://u:secret@db/x", "postgresql+psycopg://u:***@db/x"),
        ("postgres://db/x", "postgresql+psycopg://db/x"),
    ],
)
def test_read_url_path_or_url_is_shown_without_password(text: str, meant: str) -> None:
    assert shown(read_url(text)) == meant


@pytest.mark.parametrize(
    "text", ["mysql://db/x", "sqlite://", "sqlite:///:memory:", "a://[x", "://"]
)
def test_read_url_invalid_text_is_refused(text: str) -> None:
    with pytest.raises(StoreError):
        read_url(text)


def test_migrate_unwritable_or_missing_store_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file"):
        migrate(read_url(str(tmp_path / "file" / "s")))
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(StoreError, match="is not a store of yoddd"):
        migrate(read_url(str(tmp_path / "text")))


def test_back_up_in_use_is_whole_and_restores(tmp_path: Path) -> None:
    store, copy = store_at(tmp_path / "s", "ann"), tmp_path / "copy"
    back_up(store.url, copy)
    with pytest.raises(StoreError, match="add --force"):
        back_up(store.url, copy)
    back_up(store.url, copy, force=True)
    store.transact(lambda c: accounts.add_account(c, "bob", NOW))
    assert names_in(copy) == ["ann"]
    with pytest.raises(StoreError, match="add --force"):
        restore(copy, store.url)
    with pytest.raises(StoreError, match="in use; stop the daemon first"):
        restore(copy, store.url, force=True)
    store.close()
    restore(copy, store.url, force=True)
    assert names_in(tmp_path / "s") == ["ann"]
    restore(copy, read_url(str(tmp_path / "new" / "s")))
    assert names_in(tmp_path / "new" / "s") == ["ann"]
    assert {path.name for path in tmp_path.iterdir() if "partial" in path.name} == set()


def test_back_up_or_restore_from_or_to_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    store = store_at(tmp_path / "s", "ann")
    store.close()
    (tmp_path / "text").write_text("no database " * 100)
    sqlite3.connect(tmp_path / "empty").close()
    for name in ("text", "empty", "missing"):
        with pytest.raises(StoreError):
            restore(tmp_path / name, store.url, force=True)
        assert names_in(tmp_path / "s") == ["ann"]
    with pytest.raises(StoreError, match="does not exist"):
        back_up(read_url(str(tmp_path / "missing")), tmp_path / "copy")
    with pytest.raises(StoreError, match="copy"):
        back_up(store.url, tmp_path / "missing" / "copy")
    with pytest.raises(StoreError, match="pg_dump"):
        back_up(read_url("postgresql://db/x"), tmp_path / "copy")


def test_connect_with_an_old_sqlite_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(StoreMissing, match=r"SQLite 3\.35 or newer is needed"):
        migrate(read_url(str(tmp_path / "store")))
