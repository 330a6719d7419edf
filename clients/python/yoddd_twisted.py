"""A client for Twisted programs: every request is a Deferred of its reply's text.

::

    client = await connect(reactor, "127.0.0.1", 9633)
    await client.ask("game yodd hex4")
    print(await client.ask("genmove b"))
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import connectionDone
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure


class Refused(Exception):
    """The peer replied with ``?``; the text is its reason."""


class _Pending:
    """A request without its whole reply."""

    def __init__(self, number: str, on_line: Callable[[str], None] | None) -> None:
        self.number = number
        self.on_line = on_line
        self.lines: list[str] | None = None
        self.ok = True
        self.done: Deferred[str] = Deferred()

    def take(self, line: str) -> bool:
        """Take one line; True once the reply is whole."""
        if self.lines is None and line.startswith("# info "):
            return False  # a statement about the turn, after "info_lines on"
        if self.lines is None:
            number, _, text = line[1:].partition(" ")
            if line[:1] not in ("=", "?") or number != self.number:
                raise ValueError(f"unexpected reply: {line[:60]!r}")
            self.ok = line[0] == "="
            # A diagram begins on the second line, which keeps its indentation.
            self.lines = [text] if (text := text.strip()) else []
        elif not line:
            return True
        elif self.on_line is not None:
            self.on_line(line)
        else:
            self.lines.append(line)
        return False


class YodddClient(LineOnlyReceiver):
    """One connection; requests may be sent before earlier replies arrive."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: ITCPTransport

    def __init__(self) -> None:
        """Start unconnected."""
        self._pending: deque[_Pending] = deque()
        self._id = 0

    def ask(self, command: str) -> Deferred[str]:
        """Send a request; the result is the reply's text, or `Refused` if the reply is ``?``."""
        return self._request(command, None)

    def stream(self, command: str, on_line: Callable[[str], None]) -> Deferred[str]:
        """Send a request with a streaming reply: ``on_line`` gets its lines; fires at its end."""
        return self._request(command, on_line)

    def stop(self) -> None:
        """End a streaming reply early."""
        self.sendLine(b"")

    def interrupt(self) -> None:
        """Make a running ``genmove`` reply with its best turn so far."""
        self.sendLine(b"# interrupt")

    def _request(self, command: str, on_line: Callable[[str], None] | None) -> Deferred[str]:
        self._id += 1
        pending = _Pending(str(self._id), on_line)
        self._pending.append(pending)
        self.sendLine(f"{self._id} {command}".encode())
        return pending.done

    def lineReceived(self, line: bytes) -> None:
        """Take one line of a reply."""
        text = line.rstrip(b"\r").decode("utf-8", "replace")
        if not self._pending:
            return
        pending = self._pending[0]
        try:
            whole = pending.take(text)
        except ValueError as error:
            self._fail(Failure(error))
            self.transport.loseConnection()
            return
        if whole:
            self._pending.popleft()
            reply = "\n".join(pending.lines or []).rstrip()
            if pending.ok:
                pending.done.callback(reply)
            else:
                pending.done.errback(Refused(reply))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail the requests without a whole reply."""
        self._fail(reason)

    def _fail(self, reason: Failure) -> None:
        while self._pending:
            self._pending.popleft().done.errback(reason)


async def connect(reactor: Any, host: str, port: int) -> YodddClient:
    """Connect to a daemon."""
    client: YodddClient = await connectProtocol(
        HostnameEndpoint(reactor, host, port), YodddClient()
    )
    return client
