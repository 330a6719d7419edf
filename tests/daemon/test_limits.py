"""Every limit of the settings over a real socket, set small where the default would take long."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import ssl
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.defer import maybeDeferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.threads import deferToThread
from wsproto.events import BytesMessage, Message, Ping, TextMessage

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, Peer, make_certificate, serving, until
from tests.daemon.test_websocket_vectors import Messages
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.settings import CurrentSettings, Limits, Settings
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.listeners import ClientFactory, ListenError, endpoint, listen_at
from yoddd.daemon.net.stream_transport import StreamTransport
from yoddd.daemon.runs.control import ask_socket
from yoddd.protocol.config import SessionConfig, SessionServices

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
HASTY = {
    "exempt": "[]",
    "new_per_address": 1000,
    "handshake": 2.0,
    "slow_line": 2.0,
    "game_ping": 0.5,
    "ping": 1.0,
    "silence": 4.0,
}
"""Limits of time, only for the tests of these: a busy machine may exceed them everywhere."""


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


@pytest.fixture(scope="module")
def hasty(folder: Path) -> Iterator[Daemon]:
    """A daemon that does not wait for long; ``ports`` has those of TLS and HTTP."""
    files = ["--set", f"tls.certificate={folder}/cert.pem"]
    files += ["--set", f"tls.private_key={folder}/key.pem"]
    listen = ["--listen", "tls:tcp:0:interface=127.0.0.1"]
    with serving(*listen, *HTTP, *files, *options(HASTY)) as daemon:
        yield daemon
        daemon.hang_up()


@pytest.fixture
def dial(daemon: Daemon) -> Iterator[Callable[[], Messages]]:
    """Makes WebSocket clients and closes them in the end."""
    made: list[Messages] = []

    def make() -> Messages:
        made.append(Messages(daemon.ports[-1]))
        return made[-1]

    yield make
    for messages in made:
        messages.stream.close()


def wait_closed(stream: socket.socket) -> None:
    """Read a stream to its end; TimeoutError if that does not come."""
    stream.settimeout(PATIENCE)
    with suppress(ConnectionError):
        while stream.recv(1 << 16):
            pass


# -- what is sent ---------------------------------------------------------------------------


def trickle(peer: Peer) -> None:
    """Send a byte each tenth of a second until the connection is closed, in its time."""
    peer.socket.settimeout(0.1)
    deadline = time.monotonic() + PATIENCE
    with suppress(ConnectionError):
        while time.monotonic() < deadline:
            peer.send("n")
            with suppress(TimeoutError):
                assert peer.socket.recv(1) == b""
                return
        raise AssertionError("the connection stays open")


def test_line_unfinished_in_time_closes_connection(hasty: Daemon) -> None:
    peer = hasty.peer()
    assert peer.ask("name") == "= yoddd"
    peer.send("name\nna")
    assert peer.reply() == "= yoddd"
    assert peer.rest() == b""
    trickle(hasty.peer())


def test_http_request_unfinished_in_time_is_closed(hasty: Daemon) -> None:
    for start in (b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n"):
        with socket.create_connection(("127.0.0.1", hasty.ports[-1]), PATIENCE) as stream:
            stream.sendall(start)
            wait_closed(stream)


def test_http_request_with_body_is_refused(daemon: Daemon) -> None:
    for head in (b"Content-Length: 1000000", b"Transfer-Encoding: chunked"):
        with socket.create_connection(("127.0.0.1", daemon.ports[-1]), PATIENCE) as stream:
            stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n5\r\n")
            assert stream.recv(100).startswith(b"HTTP/1.1 413 ")


def closing_code(messages: Messages) -> int:
    for event in messages._events:
        if hasattr(event, "code"):
            return int(event.code)
    raise AssertionError("no close frame")


def test_websocket_message_over_limit_is_refused(dial: Callable[[], Messages]) -> None:
    messages = dial()
    messages.send("name #" + "x" * 500)
    assert messages.message() == "= yoddd"
    messages.send("name #" + "x" * 507)
    assert closing_code(messages) == 1009


@pytest.mark.parametrize(
    "part", [TextMessage(data="x" * 100, message_finished=False), BytesMessage(b"x")]
)
def test_websocket_endless_fragments_or_binary_are_refused(
    dial: Callable[[], Messages], part: Message[Any]
) -> None:
    messages = dial()
    with suppress(ConnectionError):
        for _ in range(100):
            messages.stream.sendall(messages.frames.send(part))
    with suppress(ConnectionError):
        assert closing_code(messages) == (1009 if isinstance(part, TextMessage) else 1008)


def test_websocket_pings_within_message_are_not_counted(dial: Callable[[], Messages]) -> None:
    messages = dial()
    messages.stream.sendall(messages.frames.send(TextMessage(data="na", message_finished=False)))
    for _ in range(300):  # 6 bytes each
        messages.stream.sendall(messages.frames.send(Ping()))
    messages.stream.sendall(messages.frames.send(TextMessage(data="me")))
    assert messages.message() == "= yoddd"


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("https://yodd.example", 101), ("http://localhost", 403)],
)
def test_websocket_upgrade_depends_on_origin(daemon: Daemon, origin: str, status: int) -> None:
    key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    upgrade = f"Connection: Upgrade\r\nUpgrade: websocket\r\n{key}Origin: {origin}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", daemon.ports[-1]), PATIENCE) as stream:
        stream.sendall(f"GET /ws HTTP/1.1\r\nHost: localhost:1\r\n{upgrade}".encode())
        assert stream.recv(100).startswith(f"HTTP/1.1 {status} ".encode())


# -- how fast ---------------------------------------------------------------------------------


def test_rate_limit_delays_requests_and_loses_none(peer: Peer) -> None:
    start = time.monotonic()
    peer.send("".join(f"{number} name\n" for number in range(12)))
    assert [peer.reply() for _ in range(12)] == [f"={number} yoddd" for number in range(12)]
    assert time.monotonic() - start > 6 / 20


def test_unix_socket_has_no_rate_limit(daemon: Daemon, folder: Path) -> None:
    del daemon
    peer = Peer(folder / "socket")
    peer.send("nonsense\n" * 1000)  # else 50 s, and closed after three
    assert peer.reply() == "? unknown command: nonsense"
    assert [peer.reply() for _ in range(999)] == ["? unknown command: nonsense"] * 999
    peer.close()


def test_errors_are_delayed_and_then_close_connection(peer: Peer) -> None:
    start = time.monotonic()
    assert peer.ask("nonsense") == "? unknown command: nonsense"
    assert peer.ask("name of it").startswith("? syntax error")
    assert time.monotonic() - start > 0.04
    assert peer.ask("undo").startswith("? cannot undo")  # no error of this kind
    peer.send("nonsense\n")
    assert peer.rest() == b"? unknown command: too many errors\n\n"


def test_tls_handshake_unfinished_in_time_is_closed(hasty: Daemon, folder: Path) -> None:
    silent = socket.create_connection(("127.0.0.1", hasty.ports[0]), PATIENCE)
    context = ssl.create_default_context(cafile=str(folder / "cert.pem"))
    plain = socket.create_connection(("127.0.0.1", hasty.ports[0]), PATIENCE)
    with context.wrap_socket(plain, server_hostname="localhost") as stream, silent:
        wait_closed(silent)
        stream.sendall(b"name\n")
        assert stream.recv(100) == b"= yoddd\n\n"


def test_websocket_without_pong_is_cut_off(hasty: Daemon) -> None:
    silent, lively = Messages(hasty.ports[-1]), Messages(hasty.ports[-1])
    cut = select.poll()
    cut.register(silent.stream, select.POLLRDHUP)
    for event in lively._events:
        if isinstance(event, Ping):
            lively.stream.sendall(lively.frames.send(event.response()))
        if cut.poll(0):
            break
    lively.send("name")
    assert lively.message() == "= yoddd"
    for one in (silent, lively):
        one.stream.close()


def test_tcp_connection_has_short_keepalive(hasty: Daemon) -> None:
    peer = hasty.peer()
    assert peer.ask("name") == "= yoddd"
    ours, theirs = (f":{number:04X}" for number in (peer.socket.getsockname()[1], hasty.port))

    def timer() -> list[str]:
        """Of their socket: its kind, 02 for keepalive, and the hundredths of a second left."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        (found,) = [row[5] for row in rows if row[1].endswith(theirs) and row[2].endswith(ours)]
        return found.split(":")

    until(lambda: timer()[0] == "02")
    assert int(timer()[1], 16) <= 200, "a second, not the two hours of the default"


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


def test_connections_from_one_address_are_limited(tmp_path: Path) -> None:
    limits = {"exempt": "[]", "per_address": 2, "new_per_address": 4, "new_window": 100}
    with serving("--listen", f"unix:{tmp_path}/socket", *options(limits)) as daemon:
        first, second = daemon.peer(), daemon.peer()
        assert first.ask("name") == second.ask("name") == "= yoddd"
        assert daemon.peer().rest() == b"? busy: too many connections from your address\n\n"
        local = [Peer(tmp_path / "socket") for _ in range(10)]
        assert [peer.ask("name") for peer in local] == ["= yoddd"] * 10
        for _ in range(2):
            first.send("quit\n")
            assert first.rest() == b"= \n\n"
            first.close()
            first = daemon.peer()
            assert first.ask("name") == "= yoddd"
        first.send("quit\n")
        first.rest()
        late = daemon.peer()
        assert late.rest() == b"? busy: too many new connections from your address\n\n"
        for peer in local:
            peer.close()
        daemon.hang_up()


def test_connections_over_memory_limit_are_refused() -> None:
    with serving("--set", "limits.memory=1") as daemon:
        assert daemon.peer().rest() == b"? busy: the server is short of memory\n\n"
        daemon.hang_up()


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


def test_serve_public_http_without_login_is_refused() -> None:
    where = ["--listen", "tcp:0:interface=127.0.0.1", "--http", "tcp:0"]
    done = subprocess.run(
        [*YODDD, "serve", *where], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert "other machines could connect and log-in is not required" in done.stderr


# -- log-in ---------------------------------------------------------------------------------


@contextmanager
def login_required(**limits: Any) -> Iterator[tuple[Services, int]]:
    """A listener in this process that requires a log-in and has no accounts."""
    config = SessionConfig(services=SessionServices(login_required=True))
    services = Services(
        reactor=reactor,
        session=config,
        settings=CurrentSettings(Settings(limits=Limits(exempt=(), **limits))),
    )
    port = reactor.listenTCP(0, ClientFactory(services), interface="127.0.0.1")
    try:
        yield services, port.getHost().port
    finally:
        port.stopListening()
        services.pool.close()


def talk(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as stream:
        stream.sendall(data)
        return b"".join(iter(lambda: stream.recv(1 << 16), b""))


@pytest_twisted.ensureDeferred
async def test_login_not_in_time_closes_connection() -> None:
    with login_required(login=0.2) as (services, port):
        said = await deferToThread(talk, port, b"name\ngenmove b\n")
        assert said == b"= yoddd\n\n? login required: genmove\n\n"
        assert services.connections.cut_off == {"no login": 1}


@pytest_twisted.ensureDeferred
async def test_login_missing_limits_commands_and_output() -> None:
    with login_required(login_commands=3) as (_, port):
        said = await deferToThread(talk, port, b"name\n" * 9)
        assert said == b"= yoddd\n\n" * 3 + b"? login required: enough asked without it\n\n"
    with login_required(login_output=100) as (_, port):
        said = await deferToThread(talk, port, b"help\n" * 9)
        assert said.endswith(b"\n\n? login required: enough asked without it\n\n")


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
