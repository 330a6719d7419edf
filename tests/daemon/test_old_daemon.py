"""A store of an older release is not migrated under the daemon that has it open."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from tests.daemon.conftest import PATIENCE, YODDD
from tests.support.postgres import database, postgres
from tests.support.programs import Program
from yoddd.store.advisory_lock import AdvisoryLock
from yoddd.store.database import _alembic, read_url

__all__ = ["database", "postgres"]

pytestmark = [pytest.mark.process, pytest.mark.whole]

OLD = sorted((Path(__file__).parents[1] / "store" / "old_stores").glob("*.gz"))
HOLDER = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("PRAGMA journal_mode=WAL")
store.execute("SELECT count(*) FROM games").fetchall()
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The store is open in another process, as in a daemon of the first release, which is idle."""
    with Program([sys.executable, "-c", HOLDER, str(path)], stdin=True) as process:
        assert process.stdout.readline() == "open\n"
        yield
        process.rest()


def yoddd(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*YODDD, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def version(path: Path) -> str:
    with closing(sqlite3.connect(path)) as store:
        return str(store.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_store_that_an_older_daemon_has_open_is_not_migrated(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(gzip.decompress(OLD[0].read_bytes()))
    before = version(path)
    with held(path):
        for words in (["user", "list"], ["store", "migrate"], ["serve", "--set", "http="]):
            said = yoddd(*words, "--store", str(path))
            assert said.returncode == 1
            assert "in use by another process: stop that first" in said.stderr
        assert version(path) == before
    assert "ann" in yoddd("user", "list", "--store", str(path)).stdout
    assert version(path) != before
    with held(path):  # a store of this release is used beside its daemon
        assert "ann" in yoddd("user", "list", "--store", str(path)).stdout


def test_postgresql_store_that_an_older_daemon_has_open_is_not_migrated(database: str) -> None:
    url = read_url(database)
    engine = create_engine(url, pool_size=1)
    with engine.begin() as connection:
        config = _alembic()
        config.attributes["connection"] = connection
        command.upgrade(config, "head-1")
    with engine.connect() as connection:
        older = MigrationContext.configure(connection).get_current_revision()

    def refused() -> bool:
        said = yoddd("user", "list", "--store", database)
        assert not said.returncode or "in use by another process (PostgreSQL's" in said.stderr
        return bool(said.returncode)

    # The pool keeps a session, which is idle as those of a daemon are.
    assert refused()
    with engine.connect() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == older
    engine.dispose()
    waiting = AdvisoryLock(url)
    waiting.acquire()
    assert not refused()
    waiting.close()
