"""Every limit of the settings over a real socket, set small where the default would take long."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.defer import maybeDeferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.threads import deferToThread

from tests.daemon.conftest import PATIENCE, Daemon, Peer, make_certificate, serving, until
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory, ListenError, endpoint, listen_at
from yoddd.daemon.net.stream_transport import StreamTransport
from yoddd.daemon.runs.control import ask_socket
from yoddd.protocol.config import SessionConfig

pytestmark = [pytest.mark.process, pytest.mark.whole]

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor

STRICT = {
    "exempt": "[]",
    "new_per_address": 1000,
    "line": 1024,
    "message": 512,
    "burst": 5,
    "rate": 20,
    "errors": 3,
    "error_delay": 0.05,
    "error_pardon": 1000,
    "unread": 2048,
    "unread_time": 50,
    "queue": 3,
    "close": 0.2,
}


def options(limits: dict[str, object]) -> list[str]:
    return [word for key, value in limits.items() for word in ("--set", f"limits.{key}={value}")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("strict")
    make_certificate(where)
    return where


HTTP = ("--http", "tcp:0:interface=127.0.0.1", "--origin", "https://yodd.example")


@pytest.fixture(scope="module")
def daemon(folder: Path) -> Iterator[Daemon]:
    """A daemon with small limits; ``ports`` has that of HTTP."""
    more = ["--set", f"admin={folder}/admin", "--set", "drain=1"]
    with serving("--listen", f"unix:{folder}/socket", *HTTP, *more, *options(STRICT)) as daemon:
        yield daemon


# -- what is sent ---------------------------------------------------------------------------


def test_http_request_with_body_is_refused(daemon: Daemon) -> None:
    for head in (b"Content-Length: 1000000", b"Transfer-Encoding: chunked"):
        with socket.create_connection(("127.0.0.1", daemon.ports[-1]), PATIENCE) as stream:
            stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n5\r\n")
            assert stream.recv(100).startswith(b"HTTP/1.1 413 ")


# -- how much ---------------------------------------------------------------------------------


def slow_reader(daemon: Daemon) -> Peer:
    peer = daemon.peer()
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return peer


def admin(folder: Path, request: str) -> dict[str, list[dict[str, object]]]:
    return ask_socket(folder / "admin", *request.split())


def cut_off(daemon: Daemon, reason: str) -> int:
    """The number of connections cut off for a reason, from the metrics."""
    with urlopen(f"http://127.0.0.1:{daemon.ports[-1]}/metrics", timeout=PATIENCE) as page:
        found = re.search(rf'yoddd_cut_off_total{{reason="{reason}"}} (\d+)', page.read().decode())
    return int(found[1]) if found else 0


def connections(folder: Path) -> dict[int, dict[str, object]]:
    return {int(str(one["number"])): one for one in admin(folder, "list")["connections"]}


def test_broadcast_to_spectator_that_does_not_read_cuts_it_off(
    daemon: Daemon, folder: Path
) -> None:
    host, watcher = daemon.peer(), slow_reader(daemon)
    game = host.ask("seek ann board=hex2").removeprefix("= ").split()[0]
    watcher.send(f"observe {game}\n")
    assert watcher.line() == "= "
    before, cuts = daemon.memory(), cut_off(daemon, "unread")
    with socket.socket(socket.AF_UNIX) as orders:
        orders.connect(str(folder / "admin"))
        orders.settimeout(PATIENCE)
        told = 1
        while told:
            orders.sendall(f"broadcast {'x' * 290}\n".encode() * 500)
            answers = b""
            while answers.count(b"\n") < 500:
                more = orders.recv(1 << 16)
                assert more
                answers += more
            told = answers.count(b'"told": 1')
    assert daemon.memory() - before < 16 * 2**20
    until(lambda: cut_off(daemon, "unread") == cuts + 1)


def test_closing_connection_that_is_not_read_is_aborted(daemon: Daemon, folder: Path) -> None:
    peer = Peer(folder / "socket")
    peer.send("name\n" + "help\n" * 3000)
    assert peer.reply() == "= yoddd"
    number = max(connections(folder))
    until(lambda: bool(connections(folder)[number]["unread"]))
    before = cut_off(daemon, "close")
    admin(folder, f"kick {number}")
    until(lambda: cut_off(daemon, "close") == before + 1)
    assert number not in connections(folder)
    peer.close()


def send_all(stream: socket.socket, data: bytes) -> None:
    """Send in pieces, with pauses for the receiver."""
    for start in range(0, len(data), 1 << 16):
        stream.send(data[start : start + (1 << 16)])
        time.sleep(0.001)


def test_requests_behind_running_search_meet_backpressure(daemon: Daemon, peer: Peer) -> None:
    assert peer.ask("hello").endswith("limits line=1024 queue=3 connections=10000")
    assert peer.ask("set_param memory 1") == "= "  # so that the search tree does not count
    peer.send("set_param playouts 10000000\ngenmove b\n")
    peer.reply()
    before = daemon.memory()
    peer.socket.setblocking(False)
    data = b"name # and a long comment behind it\n" * 1000
    with pytest.raises(BlockingIOError):
        send_all(peer.socket, data * 1000)
    assert daemon.memory() - before < 16 * 2**20


# -- how many ---------------------------------------------------------------------------------


@pytest.mark.gate
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


@pytest.mark.parametrize(
    "where", ["tcp:0", "tcp6:0", "ssl:0:privateKey={0}/key.pem:certKey={0}/cert.pem"]
)
@pytest_twisted.ensureDeferred
async def test_listen_at_public_address_without_login_is_refused(where: str, folder: Path) -> None:
    description = where.format(folder)
    found = endpoint(reactor, description, 5)
    with pytest.raises(ListenError, match="could connect and log-in is not required"):
        await listen_at(found, description, Factory(), public=False)
    port = await listen_at(found, description, Factory(), public=True)
    await maybeDeferred(port.stopListening)


# -- the socket -----------------------------------------------------------------------------


class KeepingFactory(ClientFactory):
    """Keeps the transport that it has made."""

    made: StreamTransport

    def buildProtocol(self, addr: IAddress | None) -> StreamTransport:
        self.made = super().buildProtocol(addr)
        return self.made


@pytest.mark.gate
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
