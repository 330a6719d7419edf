"""Answers over HTTP that are not read, or slowly."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.daemon.conftest import PATIENCE, Daemon, serving

pytestmark = [pytest.mark.process, pytest.mark.whole]

HTTP = ("--http", "tcp:0:interface=127.0.0.1")
LARGE = b"GET /puzzles.jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def client(daemon: Daemon) -> Iterator[socket.socket]:
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
        made.settimeout(PATIENCE)
        made.connect(("127.0.0.1", daemon.ports[0]))
        yield made


def is_cut(one: socket.socket, seconds: float) -> bool:
    """Whether the daemon closes the connection within so many seconds; nothing is read."""
    poll = select.poll()
    poll.register(one, select.POLLRDHUP)
    return bool(poll.poll(1000 * seconds))


@pytest.mark.parametrize("is_last", [pytest.param(False, marks=pytest.mark.gate), True])
def test_answers_that_are_not_read_are_cut(*, is_last: bool) -> None:
    with serving(*HTTP, "--set", "limits.unread_time=1") as daemon, client(daemon) as one:
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
