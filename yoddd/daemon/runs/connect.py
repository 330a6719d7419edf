"""``yoddd connect``: a local engine joins a daemon over TCP, its bytes carried both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.play.processes import Child
from yoddd.protocol.errors import Code

RETRY: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each further try to reach the daemon; the last one repeats."""

STEADY: Final = 5.0
"""Seconds after which a connection counts as one: a balancer accepts them for whoever is down."""


class ConnectFailed(Exception):
    """The daemon refused the engine, or the engine ended; the text says which and why."""


class Carrier:
    """Keeps an engine attached to a daemon until either gives up for good.

    Each connection has a fresh engine process: one that still owes the daemon a reply would answer
    the wrong request. A daemon that resumes a game sets the new process up by itself.
    """

    def __init__(
        self,
        reactor: Reactor,
        address: tuple[str, int],
        name: str,
        command: str,
        say: Callable[[str], None],
        token: str | None = None,
    ) -> None:
        """Prepare to attach ``command`` as ``name`` to the daemon at ``address``.

        Args:
            reactor: Twisted's.
            address: the daemon's host and port.
            name: what the engine is to be called there.
            command: the engine's command line.
            say: is called with what a person should know.
            token: of the account called ``name``, if it has one.
        """
        self.done: Deferred[None] = Deferred()
        self.reactor = reactor
        self.name = name
        self.greeting = name if token is None else f"{name} token={token}"
        self.command = command
        self._endpoint = HostnameEndpoint(reactor, *address)
        self._where = f"{address[0]}:{address[1]}"
        self._say = say
        self._failures = 0
        self._since = 0.0
        self._was_steady = False

    def start(self) -> None:
        """Dial the daemon, again and again until it answers."""
        if not self.done.called:
            dialled = self._endpoint.connect(Factory.forProtocol(lambda: _Line(self)))
            dialled.addErrback(self._not_reached)

    def _not_reached(self, failure: Failure) -> None:
        if self._failures == 0:
            self._say(f"cannot reach {self._where} ({failure.getErrorMessage()}); trying on")
        self._retry()

    def _retry(self) -> None:
        delay = RETRY[min(self._failures, len(RETRY) - 1)]
        self._failures += 1
        self.reactor.callLater(delay, self.start)

    def attached(self) -> None:
        """The connection stands and the daemon has been told who is there."""
        self._since = self.reactor.seconds()
        self._say(f"attached to {self._where} as {self.name}")

    def refused(self, reason: str) -> None:
        """The daemon will not have the engine, now or ever.

        It may be busy, or not know yet that our last connection is gone.
        """
        if self._was_steady or reason.startswith(Code.BUSY):
            self._say(f"{self._where} refused: {reason}")
        else:
            self.finish(f"{self._where} refused: {reason}")

    def lost(self) -> None:
        """The connection is gone: make it anew, later each time if it never lasts."""
        if self.reactor.seconds() - self._since >= STEADY:
            self._was_steady, self._failures = True, 0
        if not self.done.called:
            self._say(f"lost {self._where}; trying again")
            self._retry()

    def finish(self, problem: str | None = None) -> None:
        """End for good, with the reason where it is a failure."""
        if self.done.called:
            return
        if problem is None:
            self.done.callback(None)
        else:
            self.done.errback(ConnectFailed(problem))


class _Line(Protocol):
    """One connection to the daemon and the engine process behind it."""

    transport: Connection

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier
        self._engine: Child | None = None

    def connectionMade(self) -> None:
        carrier = self._carrier
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)
        self._engine = Child(
            carrier.reactor,
            carrier.command,
            output=self.transport.write,
            ended=self._engine_ended,
        )
        self.transport.write(f"attach {carrier.greeting}\n".encode())
        carrier.attached()

    def dataReceived(self, data: bytes) -> None:
        # No request begins with a question mark, so this is the daemon's refusal.
        if data.startswith(b"?"):
            self._carrier.refused(data[1:].decode("utf-8", "replace").strip())
            self.transport.loseConnection()
        elif self._engine is not None:
            self._engine.write(data)

    def _engine_ended(self, detail: str) -> None:
        if self._engine is not None:
            self._engine = None
            self._carrier.finish(f"the engine ended: {detail}")
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        del reason
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
        self._carrier.lost()


def connect(
    address: tuple[str, int],
    name: str,
    command: str,
    say: Callable[[str], None],
    token: str | None = None,
) -> int:
    """Attach a local engine to a daemon until one of them ends it.

    Args:
        address: of the daemon.
        name: what the engine is called there.
        command: the engine's command line.
        say: is told what happens.
        token: of the account called ``name``, if it has one.

    Raises:
        ConnectFailed: the daemon refused, or the engine ended.
    """

    async def program(reactor: Reactor) -> int:
        carrier = Carrier(reactor, address, name, command, say, token)
        carrier.start()
        await carrier.done
        return 0

    return run(program)
