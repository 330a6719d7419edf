"""Two daemons on one PostgreSQL store: one serves, the other takes over with every game."""

from __future__ import annotations

import re
import socket
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

import attrs
import psycopg
import pytest

from tests.daemon.conftest import PATIENCE, YODDD, until
from tests.daemon.test_kills import Server, check, play_and_kill
from tests.support.postgres import database, postgres
from tests.support.programs import Program
from yoddd import load_game
from yoddd.rules.games import BUILT_IN

__all__ = ["database", "postgres"]

ELEA: Final = Path(__file__).parents[2] / "docs" / "examples" / "games" / "elea.toml"

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.invariant]


def ask(http: Path, path: str) -> tuple[int, str]:
    """The status and the text of a page."""
    with closing(HTTPConnection("localhost")) as connection:
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(PATIENCE)
        connection.sock.connect(str(http))
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode().strip()


@attrs.define
class Pair(Server):
    """A daemon that serves, and a standby.

    Attributes:
        folder: of their pages.
        loses_lock: whether it loses the lock of the store, instead of being killed.
        standby: which is next.
    """

    folder: Path = Path()
    loses_lock: bool = False
    standby: Program | None = None
    count: int = 0

    def start(self) -> None:
        """Let the standby serve, and start the next one."""
        self.process = self.standby or self._launch()
        self.port = int(self.process.stdout.readline().split(":")[1])
        standby = self.standby = self._launch()
        until(lambda: "standby: another daemon serves the store" in standby.error_text())
        until(self.http.is_socket)
        replies = [ask(self.http, path) for path in ("/readyz", "/healthz", "/api/games")]
        assert replies == [(503, "standby"), (200, "ok"), (503, "standby")]

    def _launch(self) -> Program:
        self.count += 1
        where = ["--listen", "tcp:0:interface=127.0.0.1", "--http", f"unix:{self.http}"]
        described = () if self.game in BUILT_IN else ("--game-file", str(ELEA))
        return Program([*YODDD, *described, "serve", *where, "--store", self.store])

    @property
    def http(self) -> Path:
        """The socket of the pages of the latest one."""
        return self.folder / str(self.count)

    def kill(self) -> None:
        if not self.loses_lock:
            super().kill()
            return
        with psycopg.connect(self.store, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        assert self.process is not None
        with self.process as process:
            assert process.wait(PATIENCE) == 1
            # It notices by a look at the lock, or by a write that is refused.
            ends = "the lock of the store is lost: |another daemon has taken over the store"
            assert re.search(ends, process.error_text())
            assert "Traceback" not in process.error_text()


@pytest.mark.parametrize(("game", "loses_lock"), [("elea", False), ("yodd", True)])
def test_standby_takes_over_with_every_acknowledged_turn(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, *, loses_lock: bool
) -> None:
    load_game(ELEA)
    monkeypatch.delenv("YODDD_RULES_elea")  # each daemon reads the file
    pair = Pair(database, game, folder=tmp_path, loses_lock=loses_lock)
    try:
        play_and_kill(pair, pairs=10, kills=1)
    finally:
        if pair.standby is not None:
            with pair.standby:
                pass  # its end kills it
    check(database, pair.players)
