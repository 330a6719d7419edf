"""Bad input over a real socket leaves the daemon and its other connections unharmed."""

from __future__ import annotations

import os
import socket
import struct
import time
from contextlib import suppress

import pytest

from tests.daemon.conftest import PATIENCE, Daemon, Peer, until
from tests.daemon.test_searches import endless_search

pytestmark = [pytest.mark.process, pytest.mark.whole]

LINE_LIMIT = 16 * 1024


@pytest.mark.gate
@pytest.mark.parametrize(("size", "end"), [(LINE_LIMIT + 1, "\n"), (10_000_000, "")])
def test_line_over_limit_closes_connection(daemon: Daemon, peer: Peer, size: int, end: str) -> None:
    try:
        peer.send("x" * size + end)
        answer = peer.rest()
    except ConnectionError:
        answer = b"? syntax error: line over 16384 bytes\n\n"  # closed while we still wrote
    assert answer == b"? syntax error: line over 16384 bytes\n\n"
    daemon.check_alive()


def test_many_commands_in_one_write_are_all_answered(daemon: Daemon, peer: Peer) -> None:
    count = 20_000
    before = daemon.memory()
    peer.socket.setblocking(False)
    data = memoryview(b"name\n" * count)
    received = b""
    other = daemon.peer()
    deadline = time.monotonic() + PATIENCE
    while received.count(b"= yoddd\n\n") < count:
        assert time.monotonic() < deadline, len(received)
        with suppress(BlockingIOError):
            data = data[peer.socket.send(data) :] if data else data
        try:
            received += peer.socket.recv(1 << 20)
        except BlockingIOError:
            assert other.ask("name") == "= yoddd"
    assert received == b"= yoddd\n\n" * count
    assert daemon.memory() - before < 32 * 2**20


def talk_until_it_fails(peer: Peer) -> type[OSError]:
    """Send without reading; return the kind of error that ended it."""
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.socket.settimeout(0.2)
    try:
        for _ in range(10_000):
            peer.send("help\n" * 1000)
    except OSError as error:
        return type(error)
    raise AssertionError("ten million commands went through")


@pytest.mark.gate
def test_peer_that_never_reads_has_to_wait_at_little_memory(daemon: Daemon, peer: Peer) -> None:
    before = daemon.memory()
    assert talk_until_it_fails(peer) is TimeoutError
    daemon.check_alive()
    assert daemon.memory() - before < 32 * 2**20  # of 50 MB of requests, and the replies to them


@pytest.mark.gate
def test_connection_reset_during_search_frees_its_thread(daemon: Daemon, peer: Peer) -> None:
    for _ in range(5):
        rude = endless_search(daemon)
        # Linger of zero: the kernel closes by a reset.
        rude.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        rude.close()
    peer.send("set_param playouts 2\ngenmove b\n")
    assert peer.reply() == "= "
    assert peer.reply().startswith("= ")


@pytest.mark.gate
def test_half_closed_client_gets_all_answers(peer: Peer) -> None:
    peer.send("1 name\n2 game yodd hex3\n3 set_param playouts 5\n4 genmove b\n5 position\n6 na")
    peer.socket.shutdown(socket.SHUT_WR)
    answers = peer.rest().decode().split("\n\n")
    assert [answer[:2] for answer in answers] == ["=1", "=2", "=3", "=4", "=5", ""]


@pytest.mark.gate
def test_closed_connections_leave_no_file_descriptors(daemon: Daemon) -> None:
    folder = f"/proc/{daemon.process.pid}/fd"
    daemon.check_alive()
    before = len(os.listdir(folder))  # noqa: PTH208 — /proc is no place for globbing
    for _ in range(50):
        daemon.check_alive()
    until(lambda: len(os.listdir(folder)) <= before)  # noqa: PTH208 — as above
