"""Two daemons on one PostgreSQL store: one serves, the other takes over with every game."""

from __future__ import annotations

import functools
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import attrs
import psycopg
import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Peer, until
from tests.daemon.stores import make_store
from tests.support.postgres import database, postgres
from tests.support.programs import Program
from yoddd.notation.records import load_record, replay
from yoddd.store import games
from yoddd.store.database import read_url
from yoddd.store.store import Store
from yoddd.store.values import GameRow, State

__all__ = ["database", "postgres"]

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.invariant]

PAIRS = 20
TURNS = ("1d4", "1e2,2a2", "2d1,2d3", "1b2,2c5", "1c4,2c2", "2a1,2e3", "pass", "pass")
"""A whole game on hex3."""

LOST = (OSError, EOFError)


@attrs.define(eq=False)
class Server:
    """A daemon as a process; it says its port once it serves, ``http`` is there from the start."""

    process: Program
    http: Path
    peers: list[Peer] = attrs.Factory(list)

    @functools.cached_property
    def port(self) -> int:
        line = self.process.stdout.readline()
        return int(line.split(":")[1])

    def peer(self) -> Peer:
        self.peers.append(Peer(self.port))
        return self.peers[-1]

    def ask(self, path: str) -> tuple[int, str]:
        """The status and the text of a page; 0 while there is none."""
        with suppress(OSError, HTTPException), closing(HTTPConnection("localhost")) as c:
            c.sock = socket.socket(socket.AF_UNIX)
            c.sock.settimeout(PATIENCE)
            c.sock.connect(str(self.http))
            c.request("GET", path)
            reply = c.getresponse()
            return reply.status, reply.read().decode().strip()
        return 0, ""

    def wait_for(self, state: str) -> None:
        until(lambda: self.ask("/readyz")[1] == state)


@contextmanager
def started(store: str, http: Path) -> Iterator[Server]:
    options = ["--listen", "tcp:0:interface=127.0.0.1", "--http", f"unix:{http}"]
    with Program([*YODDD, "serve", *options, "--store", store]) as process:
        server = Server(process, http)
        try:
            yield server
        finally:
            for peer in server.peers:
                peer.close()
            sys.stdout.write(process.error_text())  # pytest shows it if the test fails


@pytest.fixture
def servers(database: str, tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    """The daemon that serves, and the standby."""
    make_store(database, tuple(f"p{number}" for number in range(2 * PAIRS)))
    with ExitStack() as stack:
        holder = stack.enter_context(started(database, tmp_path / "holder"))
        holder.wait_for("ok")
        standby = stack.enter_context(started(database, tmp_path / "standby"))
        standby.wait_for("standby")
        yield holder, standby


@attrs.define
class Human:
    """A user who plays one game, at whichever daemon serves."""

    name: str
    key: str = ""
    peer: Peer | None = None

    def ask(self, request: str) -> str:
        assert self.peer is not None
        return self.peer.ask(request)

    def log_in(self, server: Server) -> None:
        self.peer = server.peer()
        assert self.ask(f"login {self.name} token-of-{self.name}") == "= "


@attrs.define
class Pair:
    """A rated game of two users.

    Attributes:
        acknowledged: the turns whose reply has come.
    """

    black: Human
    white: Human
    game: str = ""
    acknowledged: int = 0

    @classmethod
    def begin(cls, server: Server, number: int) -> Pair:
        pair = cls(Human(f"p{2 * number}"), Human(f"p{2 * number + 1}"))
        for one in (pair.black, pair.white):
            one.log_in(server)
        offer = f"seek {pair.black.name} against={pair.white.name} rated=yes board=hex3 seat=b"
        pair.game, pair.black.key = pair.black.ask(offer).removeprefix("= ").split()
        accepted = pair.white.ask(f"accept {pair.game} {pair.white.name}")
        pair.white.key = accepted.removeprefix("= ")
        return pair

    @property
    def next(self) -> tuple[Human, str]:
        """The user who plays the next turn, and the request."""
        human = (self.black, self.white)[self.acknowledged % 2]
        return human, f"put {human.key} {TURNS[self.acknowledged]} {self.acknowledged + 1}"

    def play(self) -> None:
        """Play the next turn; it counts once it is acknowledged."""
        human, request = self.next
        reply = human.ask(request)
        assert reply == "= ", reply
        self.acknowledged += 1

    def go_on(self, server: Server) -> None:
        """Resume the game at another daemon, and play it to its end."""
        for one in (self.black, self.white):
            one.log_in(server)
            assert self.game in one.ask("resume").split()
            one.key = one.ask(f"resume {self.game}").removeprefix("= ")
        while self.acknowledged < len(TURNS):
            human, request = self.next
            reply = human.ask(request)
            # The last turn before the kill may be stored without its acknowledgement.
            assert reply == "= " or "is next" in reply, reply
            self.acknowledged += 1


def row(store: Store, game: str) -> GameRow:
    found = store.read(lambda c: games.find_game(c, int(game[1:])))
    assert found is not None
    return found


def check_finished(database: str, pairs: list[Pair]) -> None:
    store = Store(read_url(database))
    for pair in pairs:
        until(lambda: row(store, pair.game).state is State.OVER)  # noqa: B023 — at once
        found = row(store, pair.game)
        assert tuple(turn.token for turn in found.turns) == TURNS
        assert [turn.number for turn in found.turns] == list(range(1, len(TURNS) + 1))
        assert found.record is not None
        replay(load_record(found.record))
    store.close()


def end_lock_session(database: str) -> None:
    """End the connection that holds the lock of the store."""
    with psycopg.connect(database, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        ).fetchall()
        assert ended == [(True,)]


def test_kill_in_the_middle_of_twenty_games_loses_no_acknowledged_turn(
    servers: tuple[Server, Server], database: str
) -> None:
    holder, standby = servers
    assert holder.ask("/readyz") == (200, "ok")
    for path, reply in (
        ("/readyz", (503, "standby")),
        ("/healthz", (200, "ok")),
        ("/api/games", (503, "standby")),
    ):
        assert standby.ask(path) == reply
    pairs = [Pair.begin(holder, number) for number in range(PAIRS)]
    for number, pair in enumerate(pairs):
        for _ in range(number % 5):
            pair.play()
    for pair in pairs:  # a turn of each is on its way
        human, request = pair.next
        assert human.peer is not None
        human.peer.send(f"{request}\n")
    holder.process.kill()
    for pair in pairs:
        human, _ = pair.next
        assert human.peer is not None
        with suppress(*LOST):
            pair.acknowledged += human.peer.reply() == "= "
    store = Store(read_url(database))
    stored = [len(row(store, pair.game).turns) for pair in pairs]
    store.close()
    assert all(pair.acknowledged <= found for pair, found in zip(pairs, stored, strict=True))
    standby.wait_for("ok")
    for pair in pairs:
        pair.go_on(standby)
    check_finished(database, pairs)


def test_holder_that_loses_its_lock_stops_serving_at_once(
    servers: tuple[Server, Server], database: str
) -> None:
    holder, standby = servers
    pair = Pair.begin(holder, 0)
    pair.play()
    end_lock_session(database)
    assert holder.process.wait(PATIENCE) == 1
    assert "the lock of the store is lost: " in holder.process.error_text()
    assert "Traceback" not in holder.process.error_text()
    standby.wait_for("ok")
    pair.go_on(standby)
    check_finished(database, [pair])
