"""Answers over HTTP that are not read, and the time that requests take of the store's threads."""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert

from tests.daemon.conftest import PATIENCE, Daemon, serving
from tests.daemon.stores import make_store
from tests.support.runs import write_archive
from yoddd.store.database import read_url
from yoddd.store.schema import GAMES
from yoddd.store.store import Store

pytestmark = [pytest.mark.process, pytest.mark.whole]

HTTP = ("--http", "tcp:0:interface=127.0.0.1")
LARGE = b"GET /puzzles.jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with serving(*HTTP, "--set", "limits.unread_time=1") as daemon:
        yield daemon


@contextmanager
def client(daemon: Daemon, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
        made.settimeout(PATIENCE)
        made.bind((source, 0))
        made.connect(("127.0.0.1", daemon.ports[0]))
        yield made


def is_cut(one: socket.socket, seconds: float) -> bool:
    """Whether the daemon closes the connection within so many seconds; nothing is read."""
    poll = select.poll()
    poll.register(one, select.POLLRDHUP)
    return bool(poll.poll(1000 * seconds))


@pytest.mark.parametrize("is_last", [pytest.param(False, marks=pytest.mark.gate), True])
def test_answers_that_are_not_read_are_cut(daemon: Daemon, *, is_last: bool) -> None:
    with client(daemon) as one:
        one.sendall(LARGE * 100)
        if is_last:
            one.sendall(LARGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert is_cut(one, PATIENCE)


def test_answers_that_are_read_slowly_are_not_cut() -> None:
    with serving(*HTTP, "--set", "limits.unread_time=5") as daemon, client(daemon) as one:
        one.sendall(LARGE * 400)
        for _ in range(28):
            assert not is_cut(one, 0.25)
            got = 0
            while got < 16 * 1024:
                got += len(one.recv(4096))


# -- threads of the store ---------------------------------------------------------------------


def processor_time(daemon: Daemon) -> float:
    """Seconds of the processor that the daemon has used, in all its threads."""
    words = Path(f"/proc/{daemon.process.pid}/stat").read_text(encoding="ascii").split(") ")[1]
    user, system = words.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def fill_archive(store: Store, count: int) -> None:
    """Add finished games of two accounts."""
    row = {"game": "yodd", "board": "hex8", "clock": "60", "black_id": 1, "white_id": 2}
    row |= {"engines": "", "state": "over", "winner": "b", "reason": "groups", "record": "x"}
    row |= {"offered": "2030-01-31T12:00:00Z", "ended": "2030-01-31T12:00:00Z"}
    store.transact(lambda connection: connection.execute(insert(GAMES), [row] * count))


@pytest.mark.parametrize("path", ["/api/games?limit=200", "/api/runs/cup"])
def test_queries_of_one_address_stay_within_its_share(tmp_path: Path, path: str) -> None:
    path_of_store, runs = make_store(tmp_path / "store"), tmp_path / "runs"
    with closing(Store(read_url(str(path_of_store)))) as store:
        fill_archive(store, 5000)
    write_archive(runs / "cup")
    exempt = ("--set", "limits.exempt=127.0.0.1/32")
    with (
        serving(*HTTP, "--store", str(path_of_store), "--runs", str(runs), *exempt) as daemon,
        ExitStack() as stack,
    ):
        hostile = [stack.enter_context(client(daemon, "127.0.0.9")) for _ in range(4)]
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        begun, used = time.monotonic(), processor_time(daemon)
        for one in hostile:
            one.sendall(request * 200)
        while time.monotonic() < begun + 4:
            for one in select.select(hostile, [], [], 0.2)[0]:
                one.recv(1 << 20)
        part = (processor_time(daemon) - used) / (time.monotonic() - begun)
    assert part < 0.25, "limits.share is 0.1"
