"""Connections of real sockets: those of a daemon that is stopped, and their options."""

from __future__ import annotations

import os
import signal
import socket
import struct

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.defer import maybeDeferred
from twisted.internet.interfaces import IAddress
from twisted.internet.threads import deferToThread

from tests.daemon.conftest import Peer, serving
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory
from yoddd.daemon.net.stream_transport import StreamTransport
from yoddd.protocol.config import SessionConfig

pytestmark = [pytest.mark.process, pytest.mark.gate]

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor


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


class KeepingFactory(ClientFactory):
    """Keeps the transport that it has made."""

    made: StreamTransport

    def buildProtocol(self, addr: IAddress | None) -> StreamTransport:
        self.made = super().buildProtocol(addr)
        return self.made


@pytest_twisted.ensureDeferred
async def test_tcp_connection_has_no_delay_and_keepalive() -> None:
    services = Services(reactor=reactor, session=SessionConfig())
    factory = KeepingFactory(services)
    port = reactor.listenTCP(0, factory, interface="127.0.0.1")
    peer = Peer(port.getHost().port)
    assert await deferToThread(peer.ask, "name") == "= yoddd"
    assert factory.made.transport.getTcpNoDelay()
    assert factory.made.transport.getTcpKeepAlive()
    assert await deferToThread(peer.ask, "quit") == "= "
    peer.close()
    await maybeDeferred(port.stopListening)
    services.pool.close()
