"""The control sockets of a run or a daemon, and the client that asks them.

A UNIX socket takes one request a line and answers each with one line of JSON. A request is words
with a space between them, and a word is printable. A run has two sockets in its folder: `SOCKET`
commands it, and `yoddd.daemon.runs.status_socket` can only be read::

    pause
    resume
    stop
    set concurrency=4
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, ITransport
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineOnlyReceiver

from yoddd.daemon.base.clock import Reactor

SOCKET: Final = "control.sock"
TIMEOUT: Final = 10.0
"""Seconds that a client waits for an answer."""

_MAX_CONCURRENCY: Final = 4096

Answer = Mapping[str, Any]
Commands = Mapping[str, Callable[[str], Answer]]
"""Functions by the first word of a request; each takes the rest of the line.

They raise ValueError for an argument that they refuse."""


class NotRunning(Exception):
    """The socket does not answer: its process has ended or hangs."""


def is_word(text: str) -> bool:
    """Return whether a text can stand between the spaces of a request."""
    return bool(text) and text.isprintable() and " " not in text


def request_line(words: Iterable[str]) -> bytes:
    """Return the line of a request.

    Raises:
        ValueError: a word is empty, or has a space, a line end or another unprintable character.
    """
    found = tuple(words)
    for word in found:
        if not is_word(word):
            raise ValueError(f"{word[:40]!r}: expected a word without spaces")
    return f"{' '.join(found)}\n".encode()


class _ControlProtocol(LineOnlyReceiver):
    """One connection to a control socket; it closes after a line that is no request."""

    delimiter = b"\n"
    transport: ITransport

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def lineReceived(self, line: bytes) -> None:
        # What is not UTF-8 becomes a character that no word has.
        words = line.decode("utf-8", "surrogateescape").split(" ")
        if not all(map(is_word, words)):
            self._answer({"error": "expected printable words with a space between them"})
            self.transport.loseConnection()  # further lines may be of the same forgery
            return
        try:
            self._answer(self._commands.get(words[0], self._unknown)(" ".join(words[1:])))
        except ValueError as error:
            self._answer({"error": str(error)})

    def _answer(self, answer: Answer) -> None:
        self.sendLine(json.dumps(answer).encode())

    def _unknown(self, _rest: str) -> Answer:
        raise ValueError(f"expected one of {', '.join(self._commands)}")


class ControlFactory(Factory[_ControlProtocol]):
    """Makes the connections to a control socket."""

    noisy = False

    def __init__(self, commands: Commands) -> None:
        """Serve ``commands``."""
        self._commands = commands

    def buildProtocol(self, addr: object) -> _ControlProtocol:
        """Return the protocol of a connection."""
        del addr
        return _ControlProtocol(self._commands)


class ControlPort:
    """A control socket; only its owner may connect."""

    def __init__(self, reactor: Reactor, path: Path, commands: Commands) -> None:
        """Listen at ``path``; a socket that an earlier process has left there is removed.

        Raises:
            OSError: no socket can be there.
        """
        if path.is_socket():
            path.unlink()
        factory = ControlFactory(commands)
        with ExitStack() as stack:
            name = stack.enter_context(_short_name(path))
            try:
                self._port: IListeningPort = reactor.listenUNIX(name, factory, mode=0o600)
            except CannotListenError as error:
                cause = error.socketError
                reason = getattr(cause, "strerror", None) or str(cause)
                raise OSError(getattr(cause, "errno", None), reason, path) from None
            self._name = stack.pop_all()

    async def close(self) -> None:
        """Stop listening and remove the socket."""
        await maybeDeferred(self._port.stopListening)
        self._name.close()


@contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """A name for the socket within the 107 bytes of ``sun_path``; its own name without /proc."""
    if not Path("/proc/self/fd").is_dir():
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def parse_setting(text: str) -> int:
    """The number of games of ``concurrency=N``.

    Raises:
        ValueError: anything else.
    """
    name, _, value = text.partition("=")
    if name.strip() != "concurrency" or not value.strip().isdecimal():
        raise ValueError(f"{text!r}: expected concurrency=N")
    number = int(value)
    if not 1 <= number <= _MAX_CONCURRENCY:
        raise ValueError(f"concurrency {number}: expected 1 to {_MAX_CONCURRENCY}")
    return number


def command_run(folder: Path, *words: str) -> dict[str, Any]:
    """Command the run in ``folder`` and return its answer; see `ask_socket`."""
    return ask_socket(folder / SOCKET, *words)


def ask_socket(path: Path, *words: str) -> dict[str, Any]:
    """Send a request to the socket at ``path`` and return the answer.

    Raises:
        NotRunning: no answer within `TIMEOUT` seconds.
        ValueError: the request is refused, here or there; the text says why.
    """
    line = request_line(words)
    try:
        with (
            _short_name(path) as name,
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer,
        ):
            peer.settimeout(TIMEOUT)
            peer.connect(name)
            peer.sendall(line)
            with peer.makefile("rb") as lines:
                answer: dict[str, Any] = json.loads(lines.readline())
    except (OSError, json.JSONDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NotRunning(f"{path}: no answer ({reason})") from None
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer
