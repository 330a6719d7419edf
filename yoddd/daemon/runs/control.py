"""Asking a run how it goes, and telling it to pause, go on, stop or change its pace.

A UNIX socket in the run's folder takes one request a line and answers each with one line of JSON::

    status
    pause
    resume
    stop
    set concurrency=4
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import maybeDeferred
from twisted.internet.interfaces import IListeningPort
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineOnlyReceiver

from yoddd.daemon.base.clock import Reactor

SOCKET: Final = "control.sock"
PATIENCE: Final = 10.0
_MAX_CONCURRENCY: Final = 4096

Answer = Mapping[str, Any]
Orders = Mapping[str, Callable[[str], Answer]]
"""What can be asked for, by word; each takes the rest of the line and raises ValueError."""


class NotRunning(Exception):
    """Nobody answers in the folder."""


class _Listener(LineOnlyReceiver):
    """One who asks."""

    delimiter = b"\n"

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    def lineReceived(self, line: bytes) -> None:
        word, _, rest = line.decode("utf-8", "replace").strip().partition(" ")
        try:
            answer = self._orders.get(word, self._unknown)(rest.strip())
        except ValueError as error:
            answer = {"error": str(error)}
        self.sendLine(json.dumps(answer).encode())

    def _unknown(self, _rest: str) -> Answer:
        raise ValueError(f"expected one of {', '.join(self._orders)}")


class _ListenerFactory(Factory[_Listener]):
    noisy = False

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    def buildProtocol(self, addr: object) -> _Listener:
        del addr
        return _Listener(self._orders)


class ControlPort:
    """A socket that takes orders from its owner only."""

    def __init__(self, reactor: Reactor, path: Path, orders: Orders) -> None:
        """Listen at ``path``; a socket that an earlier process has left there is removed.

        Raises:
            OSError: its folder is not there.
            CannotListenError: something else is there, or we may not write.
        """
        if path.is_socket():
            path.unlink()
        self._name = ExitStack()
        name = self._name.enter_context(_short_name(path))
        self._port: IListeningPort = reactor.listenUNIX(name, _ListenerFactory(orders), mode=0o600)

    async def close(self) -> None:
        """Listen no more, and remove the socket."""
        await maybeDeferred(self._port.stopListening)
        self._name.close()


@contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """A name for the socket that is never over the 107 bytes that a socket's may have."""
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


def ask_run(folder: Path, request: str) -> dict[str, Any]:
    """Ask the run in ``folder``, and wait for its answer; see `ask_socket`."""
    return ask_socket(folder / SOCKET, request)


def ask_socket(path: Path, request: str) -> dict[str, Any]:
    """Ask whoever listens at ``path``, and wait for the answer.

    Raises:
        NotRunning: nobody answers.
        ValueError: it refuses; the text says why.
    """
    try:
        with (
            _short_name(path) as name,
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer,
        ):
            peer.settimeout(PATIENCE)
            peer.connect(name)
            peer.sendall(f"{request}\n".encode())
            with peer.makefile("rb") as lines:
                answer: dict[str, Any] = json.loads(lines.readline())
    except (OSError, json.JSONDecodeError) as error:
        raise NotRunning(f"{path}: nobody answers ({error})") from None
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer
