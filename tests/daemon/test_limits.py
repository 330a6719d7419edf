"""Connections of real sockets to a daemon that is stopped."""

from __future__ import annotations

import os
import signal
import socket
import struct

import pytest

from tests.daemon.conftest import serving

pytestmark = [pytest.mark.process, pytest.mark.gate]


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
