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
    """The peer answered with ``?``; the text is its reason."""


class _Pending:
    """A request without its whole reply."""

    def __init__(self, number: str, hear: Callable[[str], None] | None) -> None:
        self.number = number
        self.hear = hear
        self.lines: list[str] | None = None
        self.ok = True
        self.done: Deferred[str] = Deferred()

    def take(self, line: str) -> bool:
        """Take one line; True once the reply is whole."""
        if self.lines is None:
            number, _, text = line[1:].partition(" ")
            if line[:1] not in ("=", "?") or number != self.number:
                raise ValueError(f"unexpected reply: {line[:60]!r}")
            self.ok = line[0] == "="
            # A diagram begins on the second line, which keeps its indentation.
            self.lines = [text] if (text := text.strip()) else []
        elif not line:
            return True
        elif self.hear is not None:
            self.hear(line)
        else:
            self.lines.append(line)
        return False


class YodddClient(LineOnlyReceiver):
    """One connection; requests may be made without waiting for replies."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: ITCPTransport

    def __init__(self) -> None:
        """Wait for the connection."""
        self._pending: deque[_Pending] = deque()
        self._id = 0

    def ask(self, command: str) -> Deferred[str]:
        """The text of the reply; fails with `Refused` where the answer is ``?``."""
        return self._request(command, None)

    def stream(self, command: str, hear: Callable[[str], None]) -> Deferred[str]:
        """A streaming reply: ``hear`` gets its lines; fires at its end."""
        return self._request(command, hear)

    def stop(self) -> None:
        """End a streaming reply early."""
        self.sendLine(b"")

    def interrupt(self) -> None:
        """Let a running ``genmove`` answer with its best turn so far."""
        self.sendLine(b"# interrupt")

    def _request(self, command: str, hear: Callable[[str], None] | None) -> Deferred[str]:
        self._id += 1
        pending = _Pending(str(self._id), hear)
        self._pending.append(pending)
        self.sendLine(f"{self._id} {command}".encode())
        return pending.done

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 — Twisted's name
        """One line of a reply."""
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

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 — Twisted's name
        """Fail all pending requests."""
        self._fail(reason)

    def _fail(self, reason: Failure) -> None:
        while self._pending:
            self._pending.popleft().done.errback(reason)


async def connect(reactor: Any, host: str, port: int) -> YodddClient:  # noqa: ANN401 — any reactor
    """Connect to a daemon."""
    client: YodddClient = await connectProtocol(
        HostnameEndpoint(reactor, host, port), YodddClient()
    )
    return client
