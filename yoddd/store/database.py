"""Opening the database: its URL, SQLite's settings, and the version of its schema."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from platformdirs import user_data_path
from sqlalchemy import Connection, Engine, create_engine, event, inspect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)

from yoddd.extras import needs_extra
from yoddd.store.errors import (
    StoreAway,
    StoreDamaged,
    StoreError,
    StoreInUse,
    StoreMissing,
    StoreOutdated,
)
from yoddd.store.targets import TABLES, Kind, check_store, free_name

DEFAULT: Final = "default"
"""The word for the file in the platform's data directory."""

_BUSY: Final = 5000
"""Milliseconds that a connection waits for another process's transaction."""

_SQLITE: Final = (3, 35)
"""The oldest version of SQLite that can drop a column, as a migration does."""

_PRIVATE: Final = 0o600
"""The mode of the file of a SQLite store."""

_MIGRATING: Final = 9634
"""The number of PostgreSQL's advisory lock for migrations; an arbitrary one."""

_PATIENCE: Final = {
    "connect_timeout": "5",  # seconds
    "tcp_user_timeout": "10000",  # milliseconds without an acknowledgement
    "keepalives_idle": "10",  # seconds
}
"""libpq's time limits for a host that has vanished; those of a URL take precedence."""

_LEASH: Final = (
    # The server frees the lock of a daemon whose host has vanished after some 15 s,
    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=5 "
    # and the rows of one that was suspended in the middle of a transaction.
    "-c idle_in_transaction_session_timeout=10s"
)
"""The time limits of PostgreSQL itself for a connection that writes; likewise."""

_COMMIT: Final = """
SELECT set_config(name, CASE setting WHEN 'off' THEN 'on' ELSE setting END, false)
FROM pg_settings WHERE name = 'synchronous_commit'
"""
"""Makes a commit durable before it returns, also if the server's configuration changes later."""

_WEAK: Final = """
SELECT 'PostgreSQL runs with ' || name || ' = ' || setting || ': acknowledged turns can be lost'
FROM pg_settings WHERE (name, setting) IN
  (('fsync', 'off'), ('full_page_writes', 'off'), ('zero_damaged_pages', 'on'))
ORDER BY name
"""
"""What only the server's configuration can set."""

_MOMENT: Final = 0.5
"""Seconds for which the lock of another process may be one that passes."""

_STEP: Final = 0.1
"""Seconds between two looks at the sessions of PostgreSQL."""

_OTHERS: Final = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND position('pg_try_advisory_lock' in query) = 0
ORDER BY pid
"""
"""The other sessions that have a PostgreSQL store open."""

_PRAGMAS: Final = {
    "journal_mode": "wal",
    # Per connection: a commit is on the disk before it returns, also through a power cut,
    "synchronous": 2,  # FULL
    "fullfsync": 1,  # which on macOS needs more than an fsync.
    "busy_timeout": _BUSY,
    "foreign_keys": 1,
}

_DAMAGE: Final = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
    "XX001",  # PostgreSQL's data_corrupted
    "XX002",  # and index_corrupted
}
"""The codes of errors that do not pass before a copy is restored, unless the pages are sound."""


def default_path() -> Path:
    """The file in the platform's data directory; on Linux below ``~/.local/share``."""
    return user_data_path("yoddd", appauthor=False) / "yoddd.sqlite3"


def read_url(text: str) -> URL:
    """The URL that ``text`` means: ``default``, a path, or a URL such as ``postgresql://…``.

    A PostgreSQL URL without a driver gets psycopg, version 3.

    Raises:
        StoreError: it is none of these.
    """
    if text == DEFAULT or "://" not in text:
        path = default_path() if text == DEFAULT else Path(text)
        return URL.create("sqlite", database=str(path.absolute()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"{text}: {error}") from None
    if url.drivername in {"postgresql", "postgres"}:
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise StoreError(f"{text}: expected a sqlite or postgresql URL")
    if url.get_backend_name() == "sqlite":
        name = url.database or ":"
        if name.startswith((":", "file:")):
            raise StoreError(f"{text}: a store is a file: give its path")
        url = url.set(database=str(Path(name).absolute()))
    return url


def shown(url: URL) -> str:
    """A URL for messages and logs, without its password."""
    return url.database or "" if is_sqlite(url) else url.render_as_string(hide_password=True)


def is_sqlite(url: URL) -> bool:
    """Whether the database is a file."""
    return url.get_backend_name() == "sqlite"


def connect(url: URL, *, writes: bool, size: int = 1) -> Engine:
    """An SQLAlchemy engine whose transactions begin with the right lock.

    Args:
        url: of the database.
        writes: whether transactions take SQLite's write lock as they begin. One that reads first
            and writes later could otherwise fail with "database is locked" at once.
        size: how many connections it keeps.

    Raises:
        ExtraMissing: the driver is not installed.
        StoreMissing: there is no such driver, or SQLite is too old.
    """
    if is_sqlite(url) and sqlite3.sqlite_version_info < _SQLITE:
        needed = ".".join(map(str, _SQLITE))
        raise StoreMissing(f"SQLite {needed} or newer is needed, not {sqlite3.sqlite_version}")
    if not is_sqlite(url):
        query = {**_PATIENCE, **url.query}
        if writes:
            query["options"] = f"{_LEASH} {url.query.get('options', '')}"
        url = url.set(query=query)
    try:
        with needs_extra("a store in PostgreSQL", "postgres"):
            engine = create_engine(
                url, pool_size=size, max_overflow=0, pool_pre_ping=not is_sqlite(url)
            )
    except NoSuchModuleError as error:
        raise StoreMissing(f"{error}; use a URL that begins with postgresql://") from None
    if is_sqlite(url):
        _set_up_sqlite(engine, "BEGIN IMMEDIATE" if writes else "BEGIN")
    else:
        _set_up_postgres(engine)
    return engine


def _set_up_sqlite(engine: Engine, begin: str) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        # The driver must not begin transactions by itself; see SQLAlchemy's notes on pysqlite.
        connection.isolation_level = None
        for name, value in _PRAGMAS.items():
            connection.execute(f"PRAGMA {name}={value}")
            found = connection.execute(f"PRAGMA {name}").fetchone()
            if found != (value,):
                raise StoreError(
                    f"{shown(engine.url)}: SQLite has {name} {found}, not {value}: "
                    "acknowledged turns could be lost"
                )

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


def _set_up_postgres(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_COMMIT)
            connection.commit()  # a rollback would undo it
            found = cursor.execute("SHOW synchronous_commit").fetchone()
            connection.rollback()
        if found == ("off",):
            raise StoreError(
                f"{shown(engine.url)}: synchronous_commit is off and cannot be set: "
                "acknowledged turns could be lost"
            )


def weak_settings(connection: Connection) -> list[str]:
    """A warning for each setting of a PostgreSQL server that endangers what is committed."""
    if connection.dialect.name == "sqlite":
        return []
    return list(connection.exec_driver_sql(_WEAK).scalars())


@contextmanager
def store_errors(url: URL) -> Iterator[None]:
    """Raise the database's errors as `StoreError`, by their kinds."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        cause = getattr(error, "orig", None) or error
        text = " ".join(str(cause).split())
        code = getattr(cause, "sqlite_errorcode", 0)
        codes = {code, code & 0xFF, getattr(cause, "sqlstate", None)}
        if codes & _DAMAGE or "decode to UTF-8" in text:
            raise _damaged(url, text) from error
        passes = isinstance(error, OperationalError | InterfaceError | sqlite3.OperationalError)
        # A table that is missing, for example, does not come back.
        kind = StoreAway if passes and code != sqlite3.SQLITE_ERROR else StoreError
        raise kind(f"{shown(url)}: {text}") from error


def _damaged(url: URL, reason: str) -> StoreDamaged:
    """The error for a damaged database, with the way back."""
    name, way = shown(url), "restore a copy by pg_restore"
    if is_sqlite(url):
        way = f"run: yoddd store restore COPY --store {shlex.quote(name)} --force"
    return StoreDamaged(f"{name} is damaged: {reason}; stop the daemon and {way}")


def check_pages(url: URL, pragma: str = "quick_check") -> None:
    """Refuse a SQLite store with a damaged page.

    Args:
        url: of the store.
        pragma: ``integrity_check`` to compare the indices with their tables as well.

    Raises:
        StoreDamaged: a page is damaged.
        StoreError: the file cannot be read, or is no store.
    """
    if check_store(Path(url.database or "")) is Kind.DAMAGED:
        raise _damaged(url, "its first page or its whole file is lost")
    with store_errors(url):
        try:
            verdict = _verdict(url, pragma)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
                raise
            # Perhaps a single read has failed.
            verdict = _verdict(url, pragma)
    if verdict != "ok":
        raise _damaged(url, " ".join(verdict.split()))


def _verdict(url: URL, pragma: str) -> str:
    with closing(sqlite3.connect(url.database or "", timeout=_BUSY / 1000)) as connection:
        return str(connection.execute(f"PRAGMA {pragma}(1)").fetchone()[0])


def migrate(url: URL, say: Callable[[str], None] = lambda _: None) -> None:
    """Bring the schema up to date; create the database file and its folder if need be.

    A SQLite file of an older schema is copied first, to a file beside it that ends in the name of
    that schema; ``say`` is called with a line on each migration. Only its owner may read the file,
    which has the digests of the tokens. Its pages are checked first: every program that opens a
    store calls this before. What is no store is left as it is.

    Raises:
        StoreDamaged: a page of the file is damaged.
        StoreInUse: its schema is older, and another process has it open.
        StoreOutdated: its schema is newer than this program.
        StoreError: the database cannot be reached or written.
    """
    if is_sqlite(url):
        make_private(url)
        check_pages(url)
        older = _check_unused(Path(url.database or ""))
        if older is not None:
            say(f"migrating {shown(url)} from {older} to {_head()}; copied to {_copy(url, older)}")
    engine = connect(url, writes=True)
    try:
        with store_errors(url), engine.begin() as connection:
            if not is_sqlite(url):  # SQLite is locked already; several daemons may start at once
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
                _check_tables(connection, url)
                _check_alone(connection, url)
            config = _alembic()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except CommandError as error:  # a migration that this program does not have
        raise StoreOutdated(f"{shown(url)} was made by a newer yoddd: {error}") from None
    finally:
        engine.dispose()


def _copy(url: URL, version: str) -> Path:
    """Copy a SQLite file that no other process has open, so that the older program still runs."""
    path = Path(url.database or "")
    copy = free_name(path.with_name(f"{path.name}.{version}"))
    try:
        shutil.copy2(path, copy)
    except OSError as error:
        raise StoreError(f"{path} to {copy}: {error.strerror or error}") from None
    return copy


def _check_unused(path: Path) -> str | None:
    """The older schema of a file, unless another process has it open; None if it is no older.

    The daemons of the first release hold no lock of their own. SQLite leaves its write-ahead log
    only for a file that no one else has open.

    Raises:
        StoreInUse: another process has it open.
    """
    with closing(sqlite3.connect(path, timeout=_MOMENT, isolation_level=None)) as connection:
        try:
            version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.Error:  # a new file; or none of SQLite's, which the migration reports
            return None
        if version is None or version[0] == _head():
            return None
        try:
            connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError:
            raise StoreInUse(
                f"{path} is of an older yoddd and in use by another process: stop that first"
            ) from None
        known = ScriptDirectory.from_config(_alembic()).walk_revisions()
        return version[0] if version[0] in {one.revision for one in known} else None


def _check_tables(connection: Connection, url: URL) -> None:
    """Refuse a PostgreSQL database of another program.

    Raises:
        StoreError: it has tables, and not those of a store.
    """
    found = inspect(connection).get_table_names()
    if found and not TABLES.issubset(found):
        raise StoreError(
            f"{shown(url)} is not a store of yoddd: it has the tables of another program; "
            "create a database"
        )


def _check_alone(connection: Connection, url: URL) -> None:
    """Refuse a PostgreSQL store of an older schema that another process is connected to.

    Sessions of other users do not count: they are for watching and for backups. Nor do those that
    only wait for the lock of the daemon that serves, or have just taken it.

    Raises:
        StoreInUse: another process is connected.
    """
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None or found == _head():
        return
    others = [""]
    for _ in range(round(_MOMENT / _STEP)):
        connection.exec_driver_sql("SELECT pg_stat_clear_snapshot()")
        others = list(connection.exec_driver_sql(_OTHERS).scalars())
        if not others:
            return
        connection.exec_driver_sql(f"SELECT pg_sleep({_STEP})")
    raise StoreInUse(
        f"{shown(url)} is of an older yoddd and in use by another process "
        f"(PostgreSQL's session {', '.join(map(str, others))}): stop that first"
    )


def make_private(url: URL) -> None:
    """Create the file of a SQLite store if need be, and let only its owner read and write it.

    SQLite gives the files that it makes beside it the same mode. A file of another owner is left as
    it is.

    Raises:
        StoreError: the file or its folder cannot be created, or is no store.
    """
    path = Path(url.database or "")
    check_store(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(_PRIVATE)
        with suppress(PermissionError):
            path.chmod(_PRIVATE)
    except OSError as error:
        raise StoreError(f"{shown(url)}: {error.strerror}") from None


def check_version(connection: Connection) -> None:
    """Refuse a schema of another version than this program's.

    Raises:
        StoreOutdated: it is older or newer, or the database is no store.
    """
    found = MigrationContext.configure(connection).get_current_revision()
    wanted = _head()
    if found != wanted:
        if found is None:
            raise StoreOutdated("the store is empty; run: yoddd store migrate")
        raise StoreOutdated(
            f"the store has schema {found}, this program needs {wanted}; run: yoddd store migrate"
        )


def _head() -> str | None:
    """The version of this program's schema."""
    return ScriptDirectory.from_config(_alembic()).get_current_head()


def _alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", "yoddd.store:migrations")
    config.set_main_option("path_separator", "os")
    return config
