"""The session vectors over every transport, byte for byte."""

from __future__ import annotations

import select
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, make_certificate
from tests.protocol.vectors import FILES, Exchange, connections
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

SERVER = Path(__file__).with_name("vector_server.py")
CASES = [
    pytest.param(one, id=one.stem, marks=[pytest.mark.gate] * (one.stem == "framing"))
    for one in FILES
]
TRANSPORTS = ("stdio", "tcp", "unix", "ssl")


class ClientEnd:
    """The client's end of a connection, blocking."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        stream.settimeout(PATIENCE)

    def send(self, data: bytes) -> None:
        with suppress(ConnectionError):
            self.stream.sendall(data)

    def receive(self, size: int) -> bytes:
        """So many bytes; fewer only at the end of the stream."""
        data = b""
        while len(data) < size:
            chunk = self.stream.recv(size - len(data))
            if not chunk:
                break
            data += chunk
        return data

    def is_quiet(self) -> bool:
        if isinstance(self.stream, ssl.SSLSocket) and self.stream.pending():
            return False
        return not select.select([self.stream], [], [], 0.02)[0]


@contextmanager
def served(transport: str, folder: Path) -> Iterator[str]:
    """A server for the vectors; yields what to connect to."""
    with Program([sys.executable, str(SERVER), transport, str(folder)], cwd=folder) as process:
        yield process.stdout.readline().strip()
        process.terminate()
        process.rest()


@contextmanager
def connected(transport: str, where: str, folder: Path) -> Iterator[ClientEnd]:
    if transport == "stdio":
        with over_pipes(folder) as stream:
            yield ClientEnd(stream)
        return
    if transport == "unix":
        stream = socket.socket(socket.AF_UNIX)
        stream.connect(where)
    else:
        stream = socket.create_connection(("127.0.0.1", int(where)))
    if transport == "ssl":
        context = ssl.create_default_context(cafile=str(folder / "cert.pem"))
        stream = context.wrap_socket(stream, server_hostname="localhost")
    with stream:
        yield ClientEnd(stream)


@contextmanager
def over_pipes(folder: Path) -> Iterator[socket.socket]:
    ours, theirs = socket.socketpair()
    with ours:
        process = subprocess.Popen(
            [sys.executable, str(SERVER), "stdio", str(folder)],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            cwd=folder,
        )
        theirs.close()
        try:
            yield ours
        finally:
            process.terminate()
            process.wait()


@pytest.fixture(scope="module", params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, transport: str) -> Path:
    where = tmp_path_factory.mktemp("transport")
    if transport == "ssl":
        make_certificate(where)
    return where


@pytest.fixture(scope="module")
def server(transport: str, folder: Path) -> Iterator[str]:
    if transport == "stdio":
        yield ""
        return
    with served(transport, folder) as where:
        yield where


def play(client: ClientEnd, exchange: Exchange) -> None:
    client.send(exchange.line + b"\n")
    assert client.receive(len(exchange.reply)) == exchange.reply
    if exchange.ends == "closed":
        assert client.receive(1) == b""


@pytest.mark.parametrize("file", CASES)
def test_session_vectors_over_transport_give_same_bytes(
    transport: str, server: str, folder: Path, file: Path
) -> None:
    # Each connection over pipes is a program of its own, so a few of each file have to do there.
    for connection in islice(connections(file), 3 if transport == "stdio" else None):
        with connected(transport, server, folder) as client:
            for exchange in connection:
                if transport == "stdio" and exchange.line.startswith((b"attach", b"match")):
                    break
                play(client, exchange)
            else:
                assert exchange.ends or client.is_quiet()
