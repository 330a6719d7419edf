"""A TCP proxy whose network stalls on demand: connections stay open and nothing passes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Proxy:
    """Forwards connections to a port of this machine until it is told to stall."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._flows = threading.Event()
        self._flows.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Let nothing pass, in either direction; connections are neither closed nor refused."""
        self._flows.clear()

    def resume(self) -> None:
        """Let everything pass that was held up, and what follows."""
        self._flows.set()

    def close(self) -> None:
        self._flows.set()
        for one in (self._listener, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                self._flows.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def proxied(target: int) -> Iterator[Proxy]:
    proxy = Proxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
