"""Figures of the daemon over a real loopback connection."""

from __future__ import annotations

import re
import resource
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from yoddd.cli.bench import Figures, rate
from yoddd.system import own_command, page_size

_ROUNDS: Final = 2000
_PIPELINED: Final = 50_000
_RECEIVE: Final = 1 << 20

_DAEMON: Final = ("yoddd", "serve", "--listen", "tcp:0:interface=127.0.0.1", "--no-http")
_SPARE: Final = 200
"""File descriptors that a process needs besides its connections."""

_CONNECTIONS: Final = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE)


@attrs.frozen
class Server:
    """A server in a process of its own."""

    process: subprocess.Popen[bytes]
    port: int

    def connect(self) -> socket.socket:
        """A new connection to it."""
        peer = socket.create_connection(("127.0.0.1", self.port))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer

    def memory(self) -> int:
        """The resident memory of the server in bytes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * page_size()


@contextmanager
def running() -> Iterator[Server]:
    """A new daemon."""
    process = subprocess.Popen(
        own_command(*_DAEMON), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        line = process.stdout.readline() if process.stdout else b""
        match = re.match(rb"listening on tcp:([0-9]+)", line)
        if match is None:
            raise RuntimeError("the server did not start")
        yield Server(process, int(match[1]))
    finally:
        process.terminate()
        process.communicate()


def _round_trips(peer: socket.socket, requests: bytes, replies: int) -> int:
    for _ in range(_ROUNDS):
        peer.sendall(requests)
        _read(peer, replies)
    return _ROUNDS


def _read(peer: socket.socket, replies: int) -> None:
    """Read until that many replies have ended, each with an empty line."""
    seen, last = 0, b""
    while seen < replies:
        data = last + peer.recv(_RECEIVE)
        seen += data.count(b"\n\n")
        last = b"\n" if data.endswith(b"\n") and not data.endswith(b"\n\n") else b""


def _pipelined(peer: socket.socket, request: bytes) -> int:
    sent = memoryview(request * _PIPELINED)
    peer.setblocking(False)
    seen = 0
    while seen < _PIPELINED:
        with suppress(BlockingIOError):
            sent = sent[peer.send(sent) :] if sent else sent
        with suppress(BlockingIOError):
            # Each reply is `= true` and an empty line: count the signs, which nothing splits.
            seen += peer.recv(_RECEIVE).count(b"=")
    peer.setblocking(True)
    return _PIPELINED


_Work = Callable[[socket.socket], int]
_KNOWN: Final = b"known_command play\n"
_WORK: Final[Mapping[str, _Work]] = {
    "round_trips.known_command": partial(_round_trips, requests=_KNOWN, replies=1),
    "round_trips.play_undo.hex8": partial(_round_trips, requests=b"play b 1h8\nundo\n", replies=2),
    "pipelined.known_command": partial(_pipelined, request=_KNOWN),
}


def _rate(work: _Work) -> float:
    with running() as server, server.connect() as peer:
        return rate(lambda: work(peer))


def _idle_memory() -> float:
    """Bytes that each of many silent connections adds to the server."""
    with running() as server, ExitStack() as stack:
        _greet(stack.enter_context(server.connect()))
        before = server.memory()
        peers = [stack.enter_context(server.connect()) for _ in range(_CONNECTIONS)]
        _greet(peers[-1])
        return (server.memory() - before) / _CONNECTIONS


def _greet(peer: socket.socket) -> None:
    """A round trip: the server has accepted all earlier connections then."""
    peer.sendall(_KNOWN)
    _read(peer, 1)


def _accepts() -> float:
    """Connections made, greeted and closed, one after another."""

    def work(server: Server) -> int:
        for _ in range(_ROUNDS // 4):
            with server.connect() as peer:
                _greet(peer)
        return _ROUNDS // 4

    with running() as server:
        return rate(lambda: work(server))


FIGURES: Final[Figures] = {
    **{f"protocol.{name}": (partial(_rate, work), "1/s") for name, work in _WORK.items()},
    "protocol.idle_memory": (_idle_memory, f"bytes at {_CONNECTIONS}"),
    "protocol.accepts": (_accepts, "1/s"),
}
