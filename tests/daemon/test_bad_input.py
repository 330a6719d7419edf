"""Bad input over a real socket harms nobody."""

from __future__ import annotations

import os
import random
import socket
import struct
import time
from contextlib import suppress

import pytest

from tests.daemon.conftest import Daemon, Peer, serving, until
from tests.daemon.test_searches import think_for_ever

pytestmark = pytest.mark.process

LINE_LIMIT = 16 * 1024


def test_line_at_the_limit_is_served(peer: Peer) -> None:
    comment = "x" * (LINE_LIMIT - len("name #"))
    assert peer.ask(f"name #{comment}") == "= yoddd"


@pytest.mark.parametrize("size", [LINE_LIMIT + 1, 10_000_000])
@pytest.mark.parametrize("end", ["\n", ""])
def test_line_over_the_limit_closes_the_connection(
    daemon: Daemon, peer: Peer, size: int, end: str
) -> None:
    try:
        peer.send("x" * size + end)
        answer = peer.rest()
    except ConnectionError:
        answer = b"? syntax error: line over 16384 bytes\n\n"  # closed while we still wrote
    assert answer == b"? syntax error: line over 16384 bytes\n\n"
    daemon.check_alive()


def test_binary_input_is_answered_line_by_line(daemon: Daemon, peer: Peer) -> None:
    peer.send(b"\x00\xff\xfe\x80junk\x01\nna\x00me\n")
    assert peer.reply().startswith("? unknown command")
    assert peer.reply() == "= yoddd"
    daemon.check_alive()


def test_random_bytes_do_not_end_the_daemon(daemon: Daemon) -> None:
    rng = random.Random(1)
    for _ in range(30):
        peer = daemon.peer()
        peer.send(rng.randbytes(rng.randrange(1, 5000)))
        peer.close()
    daemon.check_alive()


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        ("boardsize 1000", "? unacceptable size"),
        ("position yodd hex4 b3/5/6/3b3/6/5/4 w 0 2", "? syntax error: column 11: 2 groups, even"),
        ("play w 1a1", "? illegal move: black to move"),
        ("undo", "? cannot undo"),
        ("frobnicate", "? unknown command"),
        ("play b 9z9", "? syntax error"),
    ],
)
def test_refusals_name_the_error(peer: Peer, request_line: str, answer: str) -> None:
    before = peer.ask("position")
    reply = peer.ask(request_line)
    assert reply.startswith(answer)
    assert peer.ask("position") == before


def test_hundred_thousand_commands_in_one_write_are_answered(daemon: Daemon, peer: Peer) -> None:
    count = 100_000
    before = daemon.memory()
    peer.socket.setblocking(False)
    data = memoryview(b"name\n" * count)
    received = b""
    slowest = 0.0
    other = daemon.peer()
    deadline = time.monotonic() + 60
    while received.count(b"= yoddd\n\n") < count and time.monotonic() < deadline:
        with suppress(BlockingIOError):
            data = data[peer.socket.send(data) :] if data else data
        try:
            received += peer.socket.recv(1 << 20)
        except BlockingIOError:
            start = time.monotonic()
            assert other.ask("name") == "= yoddd"
            slowest = max(slowest, time.monotonic() - start)
    assert received == b"= yoddd\n\n" * count
    assert slowest < 2.0
    assert daemon.memory() - before < 32 * 2**20


def talk_until_it_fails(peer: Peer) -> type[OSError]:
    """Send and never read; say what ended it."""
    try:
        for _ in range(10_000):
            peer.send("help\n" * 1000)
    except OSError as error:
        return type(error)
    raise AssertionError("ten million commands went through")


@pytest.mark.slow
def test_client_that_never_reads_is_cut_off_and_takes_little_memory() -> None:
    with serving("--set", "limits.unread_time=1.5") as daemon:
        deaf = daemon.peer()
        deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        before = daemon.memory()
        deaf.socket.settimeout(1.0)
        assert talk_until_it_fails(deaf) is TimeoutError
        daemon.check_alive()
        assert daemon.memory() - before < 16 * 2**20
        deadline = time.monotonic() + 40  # until the system's own buffers are full, too
        while not issubclass(talk_until_it_fails(deaf), ConnectionError):
            assert time.monotonic() < deadline
        daemon.check_alive()
        daemon.hang_up()


def test_client_that_disconnects_in_a_search_frees_its_thread(daemon: Daemon, peer: Peer) -> None:
    for _ in range(5):
        rude = think_for_ever(daemon)
        # Linger of zero: the kernel sends a reset instead of a polite end.
        rude.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        rude.close()
    peer.send("set_param playouts 2\ngenmove b\n")
    assert peer.reply() == "= "
    assert peer.reply().startswith("= ")


def test_half_closed_client_gets_all_replies(peer: Peer) -> None:
    peer.send("1 name\n2 game yodd hex3\n3 set_param playouts 5\n4 genmove b\n5 position\n6 na")
    peer.socket.shutdown(socket.SHUT_WR)
    answers = peer.rest().decode().split("\n\n")
    assert [answer[:2] for answer in answers] == ["=1", "=2", "=3", "=4", "=5", ""]


def test_quit_is_the_last_request_served(peer: Peer) -> None:
    peer.send("1 name\n2 quit\n3 name\n")
    assert peer.rest() == b"=1 yoddd\n\n=2 \n\n"


def test_interrupt_ends_a_search_with_a_turn(peer: Peer) -> None:
    peer.ask("game yodd hex3")
    peer.ask("set_param playouts 10000000")
    peer.send("genmove b\nposition\n# interrupt\n")
    assert peer.reply().startswith("= ")
    assert peer.reply().startswith("= yodd hex3")
    assert peer.ask("history") != "= "


def test_many_searches_are_served_in_turn_and_quit_at_once(daemon: Daemon) -> None:
    peers = [daemon.peer() for _ in range(40)]
    for peer in peers:
        peer.send("game yodd hex3\nset_param playouts 20\ngenmove b\n")
    other = daemon.peer()
    start = time.monotonic()
    assert other.ask("quit") == "= "
    assert time.monotonic() - start < 2.0
    for peer in peers:
        assert [peer.reply()[:2] for _ in range(3)] == ["= "] * 3
        peer.close()


def test_http_on_the_text_port_is_refused(peer: Peer) -> None:
    peer.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nquit\n")
    assert peer.rest() == b"? unknown command: this port does not speak HTTP\n\n"


def test_connections_do_not_leak_file_descriptors(daemon: Daemon) -> None:
    folder = f"/proc/{daemon.process.pid}/fd"
    daemon.check_alive()
    before = len(os.listdir(folder))  # noqa: PTH208 — /proc is no place for globbing
    for _ in range(50):
        daemon.check_alive()
    until(lambda: len(os.listdir(folder)) <= before)  # noqa: PTH208 — as above


def test_connection_above_the_limit_is_refused_with_its_reason() -> None:
    with serving("--connections", "2") as daemon:
        first, second, third = (daemon.peer() for _ in range(3))
        assert first.ask("name") == second.ask("name") == "= yoddd"
        assert third.rest() == b"? busy: too many connections\n\n"
        first.close()
        assert second.ask("name") == "= yoddd"
        daemon.check_alive()
        daemon.hang_up()
