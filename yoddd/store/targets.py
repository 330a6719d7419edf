"""Decides whether a file may be written: what it is, which file it is, and who holds it.

Nothing here changes, locks or creates a file, but for the last check of a store that is going to be
replaced. It needs no library of the extra ``store``.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterable
from contextlib import closing
from enum import Enum, auto
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from yoddd.store.errors import StoreError, StoreInUse, TargetRefused
from yoddd.store.lock import StoreLock, check_lock, is_lock, lock_of

TABLES: Final = frozenset({"alembic_version", "accounts", "tokens", "games", "turns"})
"""Those that every version of the schema has."""

_DATABASE: Final = b"SQLite format 3\0"
_PARTS: Final = (
    b"\x37\x7f\x06\x82",  # a write-ahead log, in either order of its checksums
    b"\x37\x7f\x06\x83",
    bytes.fromhex("d9d505f920a163d7"),  # a rollback journal
    (3007000).to_bytes(4, sys.byteorder),  # the index of a write-ahead log, by its version
)
"""The first bytes of the files that SQLite writes."""

_ENDS: Final = ("-wal", "-shm", "-journal", ".lock")
"""The ends of the names of the files beside a database."""

_HEAD: Final = 1 << 20
"""Bytes in which the schema of a store is looked for whose first page is damaged."""


class Kind(Enum):
    """The kinds of files, as a store sees them."""

    ABSENT = auto()
    """There is none, or an empty one: neither has anything to lose."""
    STORE = auto()
    DAMAGED = auto()
    """A store that cannot be read, or that has lost its file but not its write-ahead log."""
    DATABASE = auto()
    """A SQLite database of another program."""
    OTHER = auto()


def kind_of(path: Path) -> Kind:
    """The kind of the file at ``path``.

    Raises:
        StoreError: it cannot be looked at.
    """
    try:
        found = _status(path)
        if found is not None and not stat.S_ISREG(found.st_mode):
            return Kind.OTHER
        if _database_beside(path) is not None:
            return Kind.OTHER
        if found is None or not found.st_size:
            return Kind.DAMAGED if _has_log(path) else Kind.ABSENT
        with path.open("rb") as file:
            head = file.read(_HEAD)
        traces = b"\0" in head and b"alembic_version" in head and b"turns" in head
        damaged = Kind.DAMAGED if traces or is_lock(lock_of(path)) else Kind.OTHER
        return _of_database(path, damaged) if head.startswith(_DATABASE) else damaged
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from None


def _of_database(path: Path, unreadable: Kind) -> Kind:
    try:
        # Immutable: SQLite makes no file beside a database that may be another program's.
        names = _names(path, "?mode=ro&immutable=1")
        if not names and _has_log(path):  # that has all there is
            with TemporaryDirectory(prefix="yoddd-") as folder:
                copy = Path(folder, "copy")
                for end in ("", "-wal"):
                    shutil.copyfile(f"{_real(path)}{end}", f"{copy}{end}")
                names = _names(copy)
    except sqlite3.Error:
        return unreadable
    return Kind.STORE if names >= TABLES else Kind.DATABASE if names else Kind.ABSENT


def _names(path: Path, how: str = "") -> set[str]:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}{how}", uri=True)) as one:
        return {name for (name,) in one.execute("SELECT name FROM sqlite_master")}


def _has_log(path: Path) -> bool:
    found = _status(Path(f"{_real(path)}-wal"))
    return found is not None and found.st_size > 0


def _status(path: Path) -> os.stat_result | None:
    """The status of a file; None if there is none, or if it cannot be reached."""
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _real(path: Path) -> Path:
    """The path without symbolic links; unlike `Path.resolve` it takes a loop of these."""
    return Path(os.path.realpath(path))


def _database_beside(path: Path) -> Path | None:
    """The database that a file belongs to by its name."""
    real = _real(path)
    for end in _ENDS:
        owner = Path(str(real).removesuffix(end))
        if owner != real and owner.is_file():
            with owner.open("rb") as file:
                if file.read(len(_DATABASE)) == _DATABASE or is_lock(lock_of(owner)):
                    return owner
    return None


def check_store(path: Path) -> Kind:
    """Refuse a file that is neither a store nor absent; what it is.

    Raises:
        StoreInUse: a process has the store open by another of its names.
        StoreError: it is something else, which must not be changed.
    """
    kind = kind_of(path)
    if kind in (Kind.DATABASE, Kind.OTHER):
        what = "it is a folder; " if path.is_dir() else ""
        raise StoreError(f"{path} is not a store of yoddd: {what}name another file")
    check_lock(path)
    # SQLite takes the log of a file by its name: two names at once destroy the database.
    if kind is Kind.STORE and path.stat().st_nlink > 1 and not _is_locked(path):
        try:
            _check_unheld(path)
        except StoreInUse:
            raise StoreInUse(f"{path} is in use by another of its names (hard links)") from None
    return kind


def check_target(target: Path, sources: Iterable[Path] = (), *, force: bool | None = None) -> None:
    """Refuse to write a file that is read, or that a database would lose.

    Args:
        target: the file to be written, by any of its names.
        sources: the files that are read for it.
        force: whether a copy of a store replaces a file that exists, if need be a store that no
            process holds; None for any other output, which replaces files but no database.

    Raises:
        TargetRefused: the target is one of the sources, belongs to a database, or is a loop.
        StoreInUse: a process holds the store that would be replaced.
        StoreError: it exists without ``force``, or cannot be looked at.
    """
    try:
        _check_other(target, sources)
        if not target.is_file():
            if _real(target).is_symlink():
                raise TargetRefused(f"{target} is a loop of symbolic links: name another file")
            if force is None or not target.exists():
                return
            raise TargetRefused(f"{target} is no regular file: name another one")
        with target.open("rb") as file:
            head = file.read(len(_DATABASE))
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror or error}") from None
    if force is None or head.startswith(_PARTS) or kind_of(target) is Kind.DATABASE:
        if head.startswith((_DATABASE, *_PARTS)) or is_lock(lock_of(target)):
            raise TargetRefused(f"{target} is a database, or a part of one: name another file")
    elif not force:
        raise StoreError(f"{target} exists; add --force to replace it")
    else:
        if is_lock(lock_of(target)):
            StoreLock(target).release()
        if head.startswith(_DATABASE):
            _check_unheld(target)


def _check_other(target: Path, sources: Iterable[Path]) -> None:
    """Refuse a target that is one of the sources, or that belongs to a database by its name."""
    found, real = _status(target), _real(target)
    for source in sources if found is None or stat.S_ISREG(found.st_mode) else ():
        read = _status(source)
        if os.path.samestat(found, read) if found and read else _real(source) == real:
            raise TargetRefused(f"{target} is the same file as {source}: name another one")
    owner = _database_beside(target)
    if owner is not None:
        raise TargetRefused(f"{target} belongs to the database {owner}: name another file")


def free_name(path: Path) -> Path:
    """``path``, or the first that is free of those that continue it by a number."""
    others = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(one for one in chain((path,), others) if not os.path.lexists(one))


def _is_locked(path: Path) -> bool:
    if not lock_of(path).exists():
        return False
    try:
        StoreLock(path).release()
    except StoreInUse:
        return True
    return False


def _check_unheld(path: Path) -> None:
    """Refuse a store that a process has open, which an exclusive lock detects.

    SQLite moves what is in its write-ahead log into it, and removes that.
    """
    with closing(sqlite3.connect(path, timeout=0)) as store:
        try:
            store.execute("PRAGMA locking_mode=EXCLUSIVE")
            store.execute("BEGIN EXCLUSIVE")
            store.rollback()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                raise StoreInUse(f"{path} is in use; stop the daemon first") from None
