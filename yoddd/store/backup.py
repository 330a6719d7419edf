"""Copies of a SQLite store, taken while it is in use."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy.engine import URL

from yoddd.store.database import check_pages, is_sqlite, make_private, migrate, read_url, shown
from yoddd.store.errors import StoreDamaged, StoreError, StoreMissing
from yoddd.store.lock import StoreLock

_ABSENT = "File {!r} does not exist."
_POSTGRES = "a PostgreSQL store is backed up by pg_dump and restored by pg_restore"


def back_up(url: URL, target: Path, *, force: bool = False) -> None:
    """Copy the store to a file while a daemon uses it; the copy appears whole or not at all.

    Raises:
        StoreError: not SQLite, a file that cannot be read or written, or one that exists and
            ``force`` is not given.
    """
    source = _file(url)
    if target.exists() and not force:
        raise StoreError(f"{target} exists; add --force to replace it")
    check_pages(url)
    partial = target.with_name(target.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        with closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as from_store:
            partial.touch(0o600)
            with closing(sqlite3.connect(partial)) as copy:
                from_store.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a WAL beside it
            _check(partial)
        _sync(partial)
        partial.replace(target)
        _sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{shown(url)} to {target}: {error}") from None


def restore(source: Path, url: URL, *, force: bool = False) -> None:
    """Replace the store by a copy and bring its schema up to date; no daemon may use the store.

    Args:
        source: the copy.
        url: the store.
        force: whether an existing store is replaced; a damaged one is kept beside it, with
            ``.damaged`` in its name.

    Raises:
        StoreError: not SQLite, no sound copy, a daemon has the store open, or a store exists and
            ``force`` is not given.
    """
    target = _file(url, must_exist=False)
    try:
        if not source.is_file():
            raise StoreMissing(_ABSENT.format(str(source)))
        _check(source)
        if target.exists() and not force:
            raise StoreError(f"{target} exists; add --force to replace it")
        make_private(url)
        lock = StoreLock(target)
        try:
            _copy(source, url, target)
        finally:
            lock.release()
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{source} to {target}: {error}") from None
    migrate(url)


def _copy(source: Path, url: URL, target: Path) -> None:
    try:
        check_pages(url)
    except StoreDamaged:  # SQLite cannot copy into it
        whole = target.with_name(target.name + ".restored")
        back_up(read_url(str(source)), whole, force=True)
        for end in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                Path(f"{target}{end}").replace(f"{target}.damaged{end}")
        whole.replace(target)
        _sync(target.parent)
        return
    _refuse_in_use(target)
    # SQLite copies into the existing file, so that no WAL of another database remains.
    with closing(sqlite3.connect(source)) as copy, closing(sqlite3.connect(target)) as store:
        copy.backup(store)


def _file(url: URL, *, must_exist: bool = True) -> Path:
    if not is_sqlite(url):
        raise StoreError(_POSTGRES)
    path = Path(url.database or "")
    if must_exist and not path.is_file():
        raise StoreMissing(_ABSENT.format(str(path)))
    return path


def _check(path: Path) -> None:
    """Refuse a file that is no sound store."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as copy:
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            raise StoreError(f"{path}: {verdict}")
        if not copy.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        ).fetchone():
            raise StoreError(f"{path}: not a store of yoddd")


def _refuse_in_use(path: Path) -> None:
    """Refuse a store that another process has open, which an exclusive lock detects."""
    with closing(sqlite3.connect(path, timeout=0)) as store:
        try:
            store.execute("PRAGMA locking_mode=EXCLUSIVE")
            store.execute("BEGIN EXCLUSIVE")
            store.rollback()
        except sqlite3.OperationalError:
            raise StoreError(f"{path} is in use; stop the daemon first") from None


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
