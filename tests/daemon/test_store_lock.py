"""The store of real daemons: whose it is, when it is away, and stores of older releases."""

from __future__ import annotations

import gzip
import http.client
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from tests.daemon.conftest import PATIENCE, YODDD, serving
from tests.daemon.stores import TOKENS, make_store
from tests.support.postgres import database, postgres
from tests.support.programs import Program
from yoddd.store.advisory_lock import AdvisoryLock
from yoddd.store.database import _alembic, read_url

pytestmark = [pytest.mark.process, pytest.mark.whole]


def start_second(store: Path) -> subprocess.CompletedProcess[bytes]:
    command = [*YODDD, "serve", "--listen", "tcp:0:interface=127.0.0.1", "--http", ""]
    return subprocess.run(
        [*command, "--store", str(store)], capture_output=True, timeout=PATIENCE, check=False
    )


@pytest.mark.gate
def test_store_second_daemon_is_refused_and_the_game_of_the_first_goes_on(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    store.chmod(0o644)
    link = tmp_path / "link"
    link.symlink_to(store)
    with serving("--store", str(store)) as daemon:
        ann, bob = daemon.peer(), daemon.peer()
        ann.ask(f"login ann {TOKENS['ann']}")
        bob.ask(f"login bob {TOKENS['bob']}")
        game, key = ann.ask("seek ann board=hex2 seat=b rated=yes").removeprefix("= ").split()
        assert bob.ask(f"accept {game} bob").startswith("= ")
        second = start_second(link)
        assert second.returncode != 0
        told = f"is in use by another daemon (process {daemon.process.pid})"
        assert told in second.stderr.decode()
        assert ann.ask(f"put {key} 1a1") == "= "
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("s*")} == {0o600}
        daemon.hang_up()


# -- away ----------------------------------------------------------------------------------


__all__ = ["database", "postgres"]


def ask(address: str, path: str = "/readyz") -> tuple[int, str]:
    with closing(http.client.HTTPConnection(address, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()


def test_readyz_and_api_answer_503_until_the_store_is_back(database: str, postgres: str) -> None:
    make_store(database)
    name = database.partition("?")[0].rpartition("/")[2]
    http_port = ("--http", "tcp:0:interface=127.0.0.1")
    with serving(*http_port, "--store", database) as daemon:
        address = f"127.0.0.1:{daemon.ports[0]}"
        assert ask(address) == (200, "ok\n")
        with psycopg.connect(postgres, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
            # Not the session that holds the lock of the store: the daemon would end without it.
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
                " AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')",
                [name],
            )
            try:
                assert ask(address) == (503, "store away\n")
                for path in ("/api/ladder", "/api/games", "/api/game/r1"):
                    assert ask(address, path) == (503, '{"error": "the store is away"}')
            finally:
                admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
        assert ask(address) == (200, "ok\n")
        assert ask(address, "/api/ladder") == (200, '{"ladders": []}')


# -- older releases; see tests/store/test_upgrade.py ------------------------------------------


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


@pytest.mark.parametrize("old", OLD, ids=lambda path: path.name.removesuffix(".sqlite3.gz"))
def test_game_of_an_old_store_is_resumed_and_finished(old: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.write_bytes(gzip.decompress(old.read_bytes()))
    with serving("--store", str(store)) as daemon:
        users = {name: daemon.peer() for name in ("ann", "bob")}
        keys = {}
        for name, peer in users.items():
            assert peer.ask(f"login {name} token-of-{name}") == "= "
            assert "r3" in peer.ask("resume").split()
            keys[name] = peer.ask("resume r3").removeprefix("= ")
        assert users["ann"].ask(f"put {keys['ann']} 1c4,2c2") == "= "
        assert users["bob"].ask(f"put {keys['bob']} resign") == "= "
        watcher = daemon.peer()
        watcher.send("observe r3\n")
        record = watcher.reply().splitlines()[-1].replace(" ", "")
        assert '"winner":"b","reason":"resign"' in record
        assert watcher.ask("leaderboard yodd hex3").startswith("= 1 ann")
        daemon.hang_up()
