"""HTTP while the store of a running daemon is away, and after it is back."""

from __future__ import annotations

import http.client
from contextlib import closing

import psycopg
import pytest

from tests.daemon.conftest import PATIENCE, serving
from tests.daemon.stores import make_store
from tests.support.postgres import database, postgres

__all__ = ["database", "postgres"]

pytestmark = [pytest.mark.process, pytest.mark.whole]


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
