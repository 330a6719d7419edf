"""Asking a daemon for a match: the client's side of ``match``."""

from __future__ import annotations

from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.match_command import parse_news
from yoddd.daemon.play.match_runner import Watch
from yoddd.notation import NotationError

_ERROR: Final = "error "


class RemoteError(Exception):
    """The daemon cannot be reached, refuses the match, or breaks it off; the text says why."""


class _Listener(LineOnlyReceiver):
    """Sends one ``match`` request and hears its streaming reply."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: Connection

    def __init__(self, request: str, watch: Watch) -> None:
        self.done: Deferred[None] = Deferred()
        self._request = request
        self._watch = watch
        self._accepted = False
        self._error: str | None = None

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self.transport.write(f"{self._request}\n".encode())

    def lineReceived(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if not self._accepted:
            self._accepted = text.startswith("=")
            self._error = None if self._accepted else text.lstrip("? ")
        elif text.startswith(_ERROR):
            self._error = text.removeprefix(_ERROR)
        elif text:
            self._tell(text)
            return
        if not self._accepted or not text:
            self._finish()

    def _tell(self, text: str) -> None:
        try:
            self._watch(parse_news(text))
        except NotationError as error:
            self._error = str(error)
            self._finish()

    def _finish(self) -> None:
        self.transport.loseConnection()
        if self.done.called:
            return
        if self._error is None:
            self.done.callback(None)
        else:
            self.done.errback(RemoteError(self._error))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        del reason
        if not self.done.called:
            self.done.errback(RemoteError("the daemon closed the connection"))


async def play_remotely(
    reactor: Reactor, address: tuple[str, int], request: str, watch: Watch
) -> None:
    """Have the daemon at ``address`` play the match that ``request`` describes.

    Raises:
        RemoteError: it did not come to its end.
    """
    listener = _Listener(request, watch)
    try:
        await connectProtocol(HostnameEndpoint(reactor, *address), listener)
    except ConnectError as error:
        raise RemoteError(f"cannot reach {address[0]}:{address[1]}: {error}") from None
    await listener.done
