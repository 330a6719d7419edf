"""A blocking client for programs that speak the yoddd protocol. Standard library only.

>>> from yoddd_client import SimpleEngine
>>> with SimpleEngine.popen(["yoddd", "gtp"]) as engine:  # doctest: +SKIP
...     engine.ask("game yodd hex4")
...     print(engine.genmove("b"))
"""

from __future__ import annotations

import contextlib
import selectors
import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Self


class Refused(Exception):
    """The peer replied with ``?``; the text is its reason."""


class Disconnected(Exception):
    """The peer has ended or closed the connection."""


class TimedOut(Exception):
    """No reply came in time; do not use the connection again."""


class Connection:
    """Requests and replies over any stream of bytes; `SimpleEngine` and `Client` build on it.

    Attributes:
        info: the peer's statement about its last turn, after ``ask("info_lines on")``, such as
            ``winrate 0.61 visits 1200 time 0.14 pv 1c3 2d4``; empty if it made none.
    """

    def __init__(
        self, send: Callable[[bytes], object], receive: Callable[[float | None], bytes]
    ) -> None:
        """``receive`` gets seconds to wait, or None; it returns b"" at the end of the stream."""
        self._send = send
        self._receive = receive
        self.info = ""
        self._buffer = b""
        self._id = 0

    def ask(self, command: str, timeout: float | None = None) -> str:
        """Return the text of the reply to ``command``.

        Raises:
            Refused: the reply is ``?``.
            Disconnected: the peer has closed the connection.
            TimedOut: no reply came within ``timeout`` seconds.
        """
        first, *rest = self._reply(self._begin(command), timeout)
        # A diagram begins on the second line, which keeps its indentation.
        return "\n".join([first, *rest] if first else rest)

    def stream(self, command: str, timeout: float | None = None) -> Iterator[str]:
        """Yield the lines of a streaming reply as they arrive; `stop` ends it early."""
        lines = self._reply(self._begin(command), timeout)
        return (line for line in lines if line)

    def stop(self) -> None:
        """End the streaming reply that is being read; any line does."""
        self._send(b"\n")

    def interrupt(self) -> None:
        """Make a running ``genmove`` reply with its best turn so far."""
        self._send(b"# interrupt\n")

    def genmove(self, player: str, timeout: float | None = None) -> str:
        """Let the peer choose and play a turn, and return it."""
        return self.ask(f"genmove {player}", timeout)

    def play(self, player: str, turn: str) -> None:
        """Play a turn in the peer's game."""
        self.ask(f"play {player} {turn}")

    def close(self) -> object:
        """Close the connection; leaving a ``with`` block does the same."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, command: str) -> str:
        self._id += 1
        self._send(f"{self._id} {command}\n".encode())
        return str(self._id)

    def _reply(self, expected: str, timeout: float | None) -> Iterator[str]:
        deadline = None if timeout is None else time.monotonic() + timeout
        self.info, first = "", self._line(deadline)
        while first.startswith("# info "):
            self.info, first = first.removeprefix("# info "), self._line(deadline)
        sign, number, text = first[:1], *(first[1:].partition(" ")[::2])
        if sign not in ("=", "?") or number != expected:
            raise Disconnected(f"unexpected reply: {first[:60]!r}")
        rest = iter(lambda: self._line(deadline), "")
        if sign == "?":
            raise Refused("\n".join([text, *rest]))
        yield text.strip()
        yield from rest

    def _line(self, deadline: float | None) -> str:
        while b"\n" not in self._buffer:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            data = self._receive(wait)
            if not data:
                raise Disconnected("the peer closed the stream")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.rstrip(b"\r").decode("utf-8", "replace")


def _wait_for(stream: object, seconds: float | None) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)  # type: ignore[arg-type]  # has fileno()
        if not selector.select(seconds):
            raise TimedOut(f"no reply within {seconds:g} s")


class SimpleEngine(Connection):
    """An engine in a child process, connected by pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Use `popen` instead."""
        self.process = process
        self._is_closed = False
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            raise ValueError("the process has no pipes")

        def send(data: bytes) -> None:
            try:
                stdin.write(data)
                stdin.flush()
            except OSError as error:
                raise Disconnected(str(error)) from None

        def receive(seconds: float | None) -> bytes:
            _wait_for(stdout, seconds)
            return stdout.read1(1 << 16)  # type: ignore[attr-defined, no-any-return]  # buffered

        super().__init__(send, receive)

    @classmethod
    def popen(cls, command: str | Sequence[str]) -> SimpleEngine:
        """Start an engine from a command line or its words."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        pipe = subprocess.PIPE
        return cls(subprocess.Popen(words, stdin=pipe, stdout=pipe))

    def close(self, patience: float = 2.0) -> int:
        """Ask it to quit, kill it if it does not, and return its exit status."""
        if self._is_closed:
            return self.process.wait()
        self._is_closed = True
        with contextlib.suppress(Refused, Disconnected, TimedOut):
            self.ask("quit", patience)
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Client(Connection):
    """A connection to a daemon."""

    def __init__(self, connection: socket.socket) -> None:
        """Use `connect` instead."""
        self.socket = connection

        def receive(seconds: float | None) -> bytes:
            _wait_for(connection, seconds)
            return connection.recv(1 << 16)

        super().__init__(connection.sendall, receive)

    @classmethod
    def connect(cls, address: str, timeout: float = 10.0) -> Client:
        """Connect to ``HOST:PORT``, or to a UNIX socket by its path."""
        if "/" in address:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout)
            connection.connect(address)
        else:
            host, _, port = address.rpartition(":")
            connection = socket.create_connection((host.strip("[]"), int(port)), timeout)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(None)
        return cls(connection)

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()
