"""Peers that do not read, reset or half-close their connection, and a daemon that is stopped."""

from __future__ import annotations

import os
import signal
import socket
import struct

import pytest

from tests.daemon.conftest import Daemon, Peer, serving, until

pytestmark = [pytest.mark.process, pytest.mark.gate]


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


def test_peer_that_never_reads_has_to_wait_at_little_memory(daemon: Daemon, peer: Peer) -> None:
    before = daemon.memory()
    assert talk_until_it_fails(peer) is TimeoutError
    daemon.check_alive()
    assert daemon.memory() - before < 32 * 2**20  # of 50 MB of requests, and the replies to them


def test_connection_reset_during_search_frees_its_thread() -> None:
    with serving("--searches", "1") as daemon:
        rude = daemon.peer()
        rude.send("game yodd hex6\nset_param playouts 10000000\ngenmove_analyze b 5\n")
        assert [rude.reply(), rude.reply(), rude.line()] == ["= ", "= ", "= "]
        assert rude.line().startswith("info move ")
        # Linger of zero: the kernel closes by a reset.
        rude.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        rude.close()
        peer = daemon.peer()
        peer.send("set_param playouts 2\ngenmove b\n")
        assert peer.reply() == "= "
        assert peer.reply().startswith("= ")
        daemon.hang_up()


def test_half_closed_client_gets_all_answers(peer: Peer) -> None:
    peer.send("1 name\n2 game yodd hex3\n3 set_param playouts 5\n4 genmove b\n5 position\n6 na")
    peer.socket.shutdown(socket.SHUT_WR)
    answers = peer.rest().decode().split("\n\n")
    assert [answer[:2] for answer in answers] == ["=1", "=2", "=3", "=4", "=5", ""]


def test_closed_connections_leave_no_file_descriptors(daemon: Daemon) -> None:
    folder = f"/proc/{daemon.process.pid}/fd"
    daemon.check_alive()
    before = len(os.listdir(folder))  # noqa: PTH208 — /proc is no place for globbing
    for _ in range(50):
        daemon.check_alive()
    until(lambda: len(os.listdir(folder)) <= before)  # noqa: PTH208 — as above


def test_connections_made_while_daemon_is_stopped_are_served() -> None:
    with serving() as daemon:
        os.kill(daemon.process.pid, signal.SIGSTOP)
        try:
            peers = [daemon.peer() for _ in range(200)]
        finally:
            os.kill(daemon.process.pid, signal.SIGCONT)
        assert [peer.ask("name") for peer in peers] == ["= yoddd"] * 200
        for peer in peers:  # close by reset, which leaves no port in TIME_WAIT
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        daemon.hang_up()
