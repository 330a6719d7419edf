"""``yoddd connect``: attaches a local engine process to a daemon over TCP."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs
from twisted.internet.defer import Deferred, FirstError, gatherResults
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.processes import Child
from yoddd.protocol.errors import Code

SPREAD: Final = 5.0
"""Seconds within which all engines that have lost a daemon come back, each at a moment of its own:
of a thousand about 20 in a tenth of a second."""

GROWTH: Final = 1.2
"""The growth of that time with each attempt that fails."""

LONGEST: Final = 10.0
"""Seconds before an attempt at most."""

STABLE_AFTER: Final = 5.0
"""Seconds after which a connection counts: a balancer accepts them for daemons that are down."""

_REPLY_LIMIT: Final = 1024
"""Bytes of a reply to ``attach`` at most; longer ones are not a daemon's."""


class ConnectFailed(Exception):
    """The daemon refused the engine, or the engine ended; the text says which and why."""


@attrs.frozen
class AttachOptions:
    """The options of an engine that attaches.

    Attributes:
        token: of the account that has the engine's name; None without one.
        is_open: whether other clients of the daemon may play against it.
        secret: keeps the name for it while it is disconnected.
        plays: what it plays, in the words of ``attach``.
        copy: the number of the connection, of an engine that plays several games at once.
    """

    token: str | None = attrs.field(default=None, repr=False)
    is_open: bool = False
    secret: str = attrs.field(factory=lambda: secrets.token_urlsafe(24), repr=False)
    plays: tuple[str, ...] = ()
    copy: int = 1

    def copies(self, number: int) -> list[AttachOptions]:
        """The options of the connections of an engine that plays so many games at once."""
        return [attrs.evolve(self, copy=copy) for copy in range(1, number + 1)]

    def greeting(self, name: str) -> str:
        """The arguments of ``attach``."""
        words = [name, f"secret={self.secret}"]
        words += [] if self.token is None else [f"token={self.token}"]
        words += ["open=yes"] if self.is_open else []
        words += [f"copy={self.copy}"] if self.copy > 1 else []
        words += [*self.plays, "reply=on"]
        return " ".join(words)


@attrs.define(eq=False)
class EngineBridge:
    """Keeps an engine attached to a daemon; a lost connection is made again.

    Each connection has an engine process of its own: one that still owes the daemon a reply would
    answer the wrong request. A daemon that resumes a game sets the new process up.

    Attributes:
        done: fires at `finish`; fails with `ConnectFailed`.
        reactor: Twisted's.
        name: of the engine at the daemon.
        launch: how the engine is started.
    """

    reactor: Reactor
    # The daemon's host and port.
    _address: tuple[str, int]
    name: str
    launch: Launch
    # Is called with messages for the user.
    _report: Callable[[str], None]
    # By which it attaches; by default with a secret of its own alone.
    _options: AttachOptions = attrs.Factory(AttachOptions)
    done: Deferred[None] = attrs.Factory(Deferred)
    # Attempts and short connections since the last stable one; chooses the delay.
    _failures: int = 0
    # When the present connection was made, in reactor time.
    _since: float = 0.0
    # Gives numbers from 0 to 1: many engines may lose one daemon at once.
    _chance: Callable[[], float] = random.random
    # Whether a connection has lasted: then a refusal may be temporary.
    _was_stable: bool = False

    @property
    def greeting(self) -> str:
        """The arguments of ``attach``."""
        return self._options.greeting(self.name)

    @property
    def _where(self) -> str:
        return f"{self._address[0]}:{self._address[1]}"

    def start(self) -> None:
        """Connect to the daemon, with retries until it answers."""
        if not self.done.called:
            factory = Factory.forProtocol(lambda: _DaemonConnection(self))
            where = HostnameEndpoint(self.reactor, *self._address)
            where.connect(factory).addErrback(self._not_reached)

    def _not_reached(self, failure: Failure) -> None:
        if self._failures == 0:
            self._report(f"cannot reach {self._where} ({failure.getErrorMessage()}); retrying")
        self._retry()

    def _retry(self) -> None:
        delay = min(LONGEST, SPREAD * GROWTH**self._failures) * self._chance()
        self._failures = min(self._failures + 1, 100)
        self.reactor.callLater(delay, self.start)

    def connected(self) -> None:
        """The connection is made and the engine announced."""
        self._since = self.reactor.seconds()

    def attached(self) -> None:
        """The daemon has accepted the engine."""
        self._report(f"attached to {self._where} as {self.name}")

    def refused(self, reason: str) -> None:
        """The daemon has refused the engine; end for good unless that may be temporary.

        It may be busy, or not have noticed the end of the last connection.
        """
        if self._was_stable or reason.startswith(Code.BUSY):
            self._report(f"{self._where} refused: {reason}")
        else:
            self.finish(f"{self._where} refused: {reason}")

    def lost(self) -> None:
        """The connection is lost: connect again, after a longer delay if it was short."""
        if self.reactor.seconds() - self._since >= STABLE_AFTER:
            self._was_stable, self._failures = True, 0
        if not self.done.called:
            self._report(f"lost the connection to {self._where}; reconnecting")
            self._retry()

    def finish(self, problem: str | None = None) -> None:
        """End for good; ``problem`` makes it a failure."""
        if self.done.called:
            return
        if problem is None:
            self.done.callback(None)
        else:
            self.done.errback(ConnectFailed(problem))


class _DaemonConnection(Protocol):
    """One connection to the daemon, and its engine process."""

    transport: Connection

    def __init__(self, bridge: EngineBridge) -> None:
        self._bridge = bridge
        self._engine: Child | None = None
        # The beginning of the reply to ``attach``; None once that is complete.
        self._reply: bytes | None = b""

    def connectionMade(self) -> None:
        bridge = self._bridge
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)
        self._engine = Child(
            bridge.reactor,
            bridge.launch,
            output=self.transport.write,
            ended=self._engine_ended,
        )
        self.transport.write(f"attach {bridge.greeting}\n".encode())
        bridge.connected()

    def dataReceived(self, data: bytes) -> None:
        if self._reply is not None:
            self._reply += data
            text, complete, data = self._reply.partition(b"\n\n")
            if not complete and len(text) < _REPLY_LIMIT:
                return
            self._reply = None
            self._replied(text.decode("utf-8", "replace"))
        if self._engine is not None and data:
            self._engine.write(data)

    def _replied(self, text: str) -> None:
        if text.startswith("="):
            self._bridge.attached()
            return
        self._bridge.refused(text.removeprefix("?").strip())
        self.transport.loseConnection()

    def _engine_ended(self, detail: str) -> None:
        if self._engine is not None:
            self._engine = None
            self._bridge.finish(f"the engine ended: {detail}")
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        del reason
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
        self._bridge.lost()


def connect(
    address: tuple[str, int],
    name: str,
    command: str,
    report: Callable[[str], None],
    options: AttachOptions,
    log: Path | None = None,
    copies: int = 1,
) -> int:
    """Attach a local engine to a daemon until the engine ends or is refused for good.

    Args:
        address: of the daemon.
        name: of the engine at the daemon.
        command: the engine's command line.
        report: is called with messages for the user.
        options: by which it attaches.
        log: the folder where every byte to and from it is logged; None for none.
        copies: how many processes of it are attached, each of which plays a game at a time.

    Raises:
        ConnectFailed: the daemon refused, or the engine ended.
    """

    async def program(reactor: Reactor) -> int:
        launch = Launch(command=command, log=log, name=name)
        bridges = [
            EngineBridge(reactor, address, name, launch, say, one)
            for one in options.copies(copies)
            for say in [report if one.copy == 1 else lambda _text: None]  # each text once
        ]
        for bridge in bridges:
            bridge.start()
        try:
            await gatherResults([bridge.done for bridge in bridges], consumeErrors=True)
        except FirstError as error:
            error.subFailure.raiseException()
        return 0

    return run(program)
