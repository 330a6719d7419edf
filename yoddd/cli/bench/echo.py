"""A bare Twisted server: the cost of the framework alone.

Run as a program it prints its port and serves until it is terminated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import ClassVar

from twisted.internet import reactor as installed
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IListeningPort
from twisted.internet.protocol import Factory, connectionDone
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor

REPLY = b"= true\n\n"


class _Echo(LineOnlyReceiver):
    """Answers every line with the same reply, of the length of that to ``known_command``.

    A line that begins with ``all`` is sent to every connection instead.
    """

    delimiter = b"\n"
    everyone: ClassVar[set[_Echo]] = set()

    def connectionMade(self) -> None:
        """Send small replies at once."""
        self.transport.setTcpNoDelay(True)  # type: ignore[union-attr]  # it is TCP
        self.everyone.add(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Forget the connection."""
        del reason
        self.everyone.discard(self)

    def lineReceived(self, line: bytes) -> None:
        """Send the reply."""
        for one in self.everyone if line.startswith(b"all") else (self,):
            one.transport.write(REPLY)  # type: ignore[union-attr]  # it is connected


def main() -> None:
    """Listen on any free port of the loopback interface."""
    reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor
    factory = Factory.forProtocol(_Echo)
    listen: Callable[..., IListeningPort] = reactor.listenTCP
    port = listen(0, factory, backlog=4096, interface="127.0.0.1")
    where = port.getHost()
    number = where.port if isinstance(where, IPv4Address) else 0
    sys.stdout.write(f"listening on tcp:{number}:interface=127.0.0.1\n")
    sys.stdout.flush()
    reactor.run()


if __name__ == "__main__":
    main()
