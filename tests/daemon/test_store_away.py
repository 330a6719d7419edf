"""HTTP while the store of a running daemon is away, and after it is back."""

from __future__ import annotations

import http.client
from pathlib import Path

import psycopg
import pytest

from tests.daemon.conftest import PATIENCE, serving
from tests.daemon.stores import make_store
from tests.daemon.test_http_api import get
from tests.support.postgres import database, postgres

__all__ = ["database", "postgres"]

pytestmark = [pytest.mark.process, pytest.mark.whole]


def ready(address: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.request("GET", "/readyz")
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply.status, body


def test_readyz_and_api_answer_503_until_the_store_is_back(database: str, postgres: str) -> None:
    make_store(database)
    name = database.partition("?")[0].rpartition("/")[2]
    http_port = ("--http", "tcp:0:interface=127.0.0.1")
    with serving(*http_port, "--store", database) as daemon:
        address = f"127.0.0.1:{daemon.ports[0]}"
        assert ready(address) == (200, b"ok\n")
        with psycopg.connect(postgres, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
            # Not the session that holds the lock of the store: the daemon would end without it.
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
                " AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')",
                [name],
            )
            try:
                assert ready(address) == (503, b"store away\n")
                for path in ("/api/ladder", "/api/games", "/api/game/r1"):
                    reply, values = get(address, path)
                    assert (reply.status, values) == (503, {"error": "the store is away"})
                    assert reply.headers["Retry-After"] == "5"
            finally:
                admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
        assert ready(address) == (200, b"ok\n")
        assert get(address, "/api/ladder")[1] == {"ladders": []}


def test_readyz_is_503_when_the_file_is_no_store(tmp_path: Path) -> None:
    path = make_store(tmp_path / "store.sqlite")
    http_port = ("--http", "tcp:0:interface=127.0.0.1")
    with serving(*http_port, "--store", str(path)) as daemon:
        address = f"127.0.0.1:{daemon.ports[0]}"
        assert ready(address) == (200, b"ok\n")
        # In place, and not the index of the log, which is mapped into the daemon's memory.
        for name in ("store.sqlite", "store.sqlite-wal"):
            with (tmp_path / name).open("r+b") as file:
                file.write(b"nonsense" * 4096)
        assert ready(address) == (503, b"store away\n")
        assert get(address, "/api/ladder")[0].status == 503
