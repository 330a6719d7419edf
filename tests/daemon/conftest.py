"""A real daemon in a process of its own, and peers that talk to it over real sockets."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.daemon.leaks import delayed_calls, frozen_objects, logged_errors
from tests.daemon.lobby.journals import journal
from tests.daemon.memory import daemons
from tests.support.programs import PATIENCE, YODDD, Program, free_port, until
from tests.support.wire import follows_reply
from yoddd.daemon.play.confinement import LAUNCHER

# For others.
__all__ = [
    "PATIENCE",
    "YODDD",
    "daemons",
    "delayed_calls",
    "free_port",
    "frozen_objects",
    "journal",
    "logged_errors",
    "until",
]
ENGINE = Path(__file__).parents[1] / "programs" / "engine.py"
# Without site-packages it starts fast, also where coverage is measured in all programs.
ENGINE_COMMAND = [sys.executable, "-S", str(ENGINE)]


class Peer:
    """A blocking client that sends and reads lines, as a user would with nc.

    ``source`` is the address that it connects from: any of 127.0.0.0/8 reaches a local daemon.
    """

    def __init__(self, where: int | Path, source: str = "127.0.0.1") -> None:
        if isinstance(where, int):
            self.socket = socket.create_connection(("127.0.0.1", where), PATIENCE, (source, 0))
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(PATIENCE)
            self.socket.connect(str(where))
        self._buffer = b""

    def send(self, data: str | bytes) -> None:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def line(self) -> str:
        while b"\n" not in self._buffer:
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError(self._buffer)
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode()

    def reply(self) -> str:
        """One whole reply without its closing empty line."""
        lines = list(iter(self.line, ""))
        return "\n".join(lines)

    def ask(self, request: str) -> str:
        self.send(f"{request}\n")
        reply = self.reply()
        assert follows_reply(request.lstrip("0123456789 "), reply), (request, reply)
        return reply

    def rest(self) -> bytes:
        """Everything until the daemon closes."""
        data = self._buffer
        while chunk := self.socket.recv(1 << 16):
            data += chunk
        return data

    def close(self) -> None:
        self.socket.close()


@attrs.define
class Daemon:
    """A running daemon; ``ports`` are those of further listeners, in order."""

    process: Program
    port: int
    ports: list[int] = attrs.Factory(list)
    peers: list[Peer] = attrs.Factory(list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def peer(self, source: str = "127.0.0.1") -> Peer:
        self.peers.append(Peer(self.port, source))
        return self.peers[-1]

    def hang_up(self) -> None:
        while self.peers:
            self.peers.pop().close()

    def memory(self) -> int:
        """Resident memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        match = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert match is not None
        return int(match[1]) * 1024

    def check_alive(self) -> None:
        peer = Peer(self.port)
        assert peer.ask("name") == "= yoddd"
        peer.close()


@contextmanager
def serving(*options: str, below: Sequence[str] = ()) -> Iterator[Daemon]:
    """A daemon with these options; it must exit with status 0 and without a traceback.

    ``below`` are words before its command: a program that becomes the daemon.
    """
    always = ["serve", "--set", "drain=0", "--listen", "tcp:0:interface=127.0.0.1"]
    always += [] if "--http" in options else ["--no-http"]
    with Program([*below, *YODDD, *always, *options]) as process:
        count = 1 + sum(option in ("--listen", "--analysis", "--http") for option in options)
        lines = [process.stdout.readline() for _ in range(count)]
        if not all(lines):
            pytest.fail(f"the daemon does not listen: {lines}, {process.rest()}")
        found = [re.search(r"listening on .*?:(\d+)[:/]", line) for line in lines]
        port, *ports = [int(match[1]) for match in found if match]
        try:
            yield Daemon(process, port, ports)
        finally:
            process.terminate()
            _, errors = process.rest()
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "Unhandled" not in errors


def make_certificate(
    folder: Path,
    name: str = "localhost",
    *,
    is_rsa: bool = False,
    begins: datetime | None = None,
    days: int = 2,
) -> None:
    """A certificate for this machine that its own key has signed: cert.pem and key.pem."""
    key = (
        rsa.generate_private_key(65537, 2048) if is_rsa else ec.generate_private_key(ec.SECP256R1())
    )
    subject, now = x509.Name.from_rfc4514_string(f"CN={name}"), begins or datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), 1, now, now + timedelta(days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    text = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(text)


@pytest.fixture(scope="session")
def daemon() -> Iterator[Daemon]:
    """A daemon with default settings; one start of it takes longer than most tests."""
    with serving() as daemon:
        yield daemon


@pytest.fixture(autouse=True)
def hang_up(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close the peers of a test after it."""
    yield
    if "daemon" in request.fixturenames:
        request.getfixturevalue("daemon").hang_up()


@pytest.fixture
def peer(daemon: Daemon) -> Peer:
    return daemon.peer()


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    """A word in the command line of every engine of a test; none may outlive the test."""
    word = f"--name={tmp_path.name}"
    yield word
    until(lambda: processes_with(word) == [])


def engines_with(word: str) -> list[str]:
    """The processes whose command line has a word, without those that keep engines."""
    keepers = processes_with(LAUNCHER[-1])
    return [pid for pid in processes_with(word) if pid not in keepers]


def processes_with(word: str) -> list[str]:
    """The processes whose command line has a word."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if word.encode() in arguments:
                found.append(folder.name)
    return found


def engine(marker: str, *options: str) -> str:
    return " ".join([*ENGINE_COMMAND, marker, *options])
