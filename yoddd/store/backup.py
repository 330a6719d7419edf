"""Copies of a SQLite store, taken while it is in use."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from sqlalchemy.engine import URL

from yoddd.store.database import check_pages, is_sqlite, make_private, migrate, read_url, shown
from yoddd.store.errors import StoreDamaged, StoreError, StoreMissing
from yoddd.store.lock import StoreLock
from yoddd.store.targets import Kind, check_store, check_target, free_name, kind_of
from yoddd.system import sync

_ABSENT = "File {!r} does not exist."
_PARTS: Final = ("-wal", "-shm", "-journal")
_POSTGRES = "a PostgreSQL store is backed up by pg_dump and restored by pg_restore"


def back_up(url: URL, target: Path, *, force: bool = False) -> None:
    """Copy the store to a file while a daemon uses it; the copy appears whole or not at all.

    Raises:
        TargetRefused: the target is the store, or belongs to another database.
        StoreError: not SQLite, a file that cannot be read or written, or one that exists and
            ``force`` is not given.
    """
    source = _file(url)
    check_target(target, [source], force=force)
    check_pages(url)
    try:
        handle, name = mkstemp(prefix=".backup-", dir=target.parent)
        os.close(handle)
        partial = Path(name)
        try:
            with closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as from_store:
                with closing(sqlite3.connect(partial)) as copy:
                    from_store.backup(copy)
                    copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a WAL beside it
                _check(partial)
            sync(partial)
            check_target(target, [source], force=force)  # the copy may have taken long
            if kind_of(target) is Kind.DAMAGED:  # its log would change the copy
                for end in _PARTS:
                    Path(f"{target}{end}").unlink(missing_ok=True)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{shown(url)} to {target}: {_reason(error)}") from None


def restore(source: Path, url: URL, *, force: bool = False) -> None:
    """Replace the store by a copy and bring its schema up to date; no daemon may use the store.

    Args:
        source: the copy.
        url: the store.
        force: whether an existing store is replaced; a damaged one is kept beside it, with
            ``.damaged`` in its name.

    Raises:
        TargetRefused: the copy is the store.
        StoreError: not SQLite, no sound copy, a daemon has the store open, or a store exists and
            ``force`` is not given.
    """
    target = _file(url, must_exist=False)
    try:
        if not source.is_file():
            raise StoreMissing(_ABSENT.format(str(source)))
        _check(source)
        check_store(target)
        check_target(target, [source], force=force)
        make_private(url)
        lock = StoreLock(target)
        try:
            _copy(source, url, target.resolve())
        finally:
            lock.release()
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{source} to {target}: {_reason(error)}") from None
    migrate(url)


def _copy(source: Path, url: URL, target: Path) -> None:
    try:
        check_pages(url)
    except StoreDamaged:  # SQLite cannot copy into it
        whole = free_name(target.with_name(target.name + ".restored"))
        back_up(read_url(str(source)), whole)
        kept = free_name(target.with_name(target.name + ".damaged"))
        for end in (*_PARTS, ""):
            with suppress(FileNotFoundError):
                Path(f"{target}{end}").replace(f"{kept}{end}")
        whole.replace(target)
        sync(target.parent)
        return
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
    if check_store(path) is Kind.ABSENT:
        raise StoreError(f"{path} is not a store of yoddd: it is empty")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as copy:
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path}: {verdict}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
