"""``yoddd check``: carries the actions of an examination out on a process or a connection."""

from __future__ import annotations

from typing import Final, Protocol

from twisted.internet.base import DelayedCall
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.play.processes import Child
from yoddd.referee.conformance import (
    Action,
    CloseInput,
    Done,
    Ended,
    Event,
    Receive,
    Received,
    Report,
    Send,
    Start,
    Stop,
    Terms,
    TimedOut,
    examine,
)

BUFFER: Final = 1 << 20
"""Bytes that are kept of what nobody has listened to yet; more of a flood need not be seen."""

_FOREVER: Final = 3600.0


class CheckFailed(Exception):
    """The engine cannot be reached at all; the text says why."""


class Peer(Protocol):
    """The engine's end of the stream."""

    def write(self, data: bytes) -> None:
        """Send."""

    def close_input(self) -> None:
        """Send no more."""

    def kill(self) -> None:
        """End it at once."""


class Ear:
    """Keeps what the engine says until somebody listens."""

    def __init__(self, reactor: Reactor) -> None:
        """Nothing was said yet."""
        self.ended: Deferred[None] = Deferred()
        self._reactor = reactor
        self._heard = bytearray()
        self._how: str | None = None
        self._waiting: Deferred[None] | None = None

    def received(self, data: bytes) -> None:
        """The engine said something."""
        self._heard += data[: BUFFER - len(self._heard)]
        self._wake()

    def gone(self, how: str) -> None:
        """The engine will say no more."""
        self._how = how
        self._wake()
        if not self.ended.called:
            self.ended.callback(None)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    async def listen(self, seconds: float) -> Event:
        """What comes within so many seconds."""
        if not self._heard and self._how is None:
            self._waiting = Deferred()
            timer: DelayedCall = self._reactor.callLater(seconds, self._wake)
            await self._waiting
            if timer.active():
                timer.cancel()
        now = self._reactor.seconds()
        if self._heard:
            data = bytes(self._heard)
            self._heard.clear()
            return Received(data, now)
        return TimedOut(now) if self._how is None else Ended(self._how, now)


class _Process:
    """An engine that we start."""

    def __init__(self, reactor: Reactor, command: str, ear: Ear) -> None:
        self._child = Child(reactor, command, output=ear.received, ended=ear.gone)

    def write(self, data: bytes) -> None:
        self._child.write(data)

    def close_input(self) -> None:
        self._child.close(patience=_FOREVER)

    def kill(self) -> None:
        self._child.kill()


@implementer(IHalfCloseableProtocol)
class _Wire(TwistedProtocol):
    """An engine that listens."""

    transport: Connection

    def __init__(self, ear: Ear) -> None:
        self._ear = ear

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)

    def dataReceived(self, data: bytes) -> None:
        self._ear.received(data)

    def readConnectionLost(self) -> None:
        self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        """We have closed our side ourselves."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._ear.gone(f"closed the connection: {reason.getErrorMessage()}")

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def close_input(self) -> None:
        self.transport.loseWriteConnection()

    def kill(self) -> None:
        self.transport.abortConnection()


class Examiner:
    """Runs an examination; one engine at a time."""

    def __init__(self, reactor: Reactor, engine: str | tuple[str, int]) -> None:
        """``engine`` is a command line, or the address of one that listens."""
        self._reactor = reactor
        self._engine = engine
        self._ear = Ear(reactor)
        self._peer: Peer | None = None

    async def examine(self, terms: Terms) -> Report:
        """The report.

        Raises:
            CheckFailed: the engine cannot be reached.
        """
        script = examine(terms)
        action: Action = next(script)
        while True:
            event = await self._carry_out(action)
            try:
                action = script.send(event)
            except StopIteration as end:
                report: Report = end.value
                return report

    async def _carry_out(self, action: Action) -> Event:
        match action:
            case Start():
                await self._start()
            case Receive(seconds):
                return await self._ear.listen(seconds)
            case Send(data) if self._peer is not None:
                self._peer.write(data)
            case CloseInput() if self._peer is not None:
                self._peer.close_input()
            case Stop() if self._peer is not None:
                self._peer.kill()
                await self._ear.ended
        return Done(self._reactor.seconds())

    async def _start(self) -> None:
        self._ear = Ear(self._reactor)
        if isinstance(self._engine, str):
            self._peer = _Process(self._reactor, self._engine, self._ear)
            return
        where = HostnameEndpoint(self._reactor, *self._engine)
        try:
            self._peer = await connectProtocol(where, _Wire(self._ear))
        except ConnectError as error:
            raise CheckFailed(
                f"cannot reach {self._engine[0]}:{self._engine[1]}: {error}"
            ) from None


def check(engine: str | tuple[str, int], terms: Terms) -> Report:
    """Examine an engine and return the report.

    Raises:
        CheckFailed: it cannot be reached.
        ValueError: the command line has no words or an open quotation.
    """
    reports: list[Report] = []

    async def program(reactor: Reactor) -> int:
        reports.append(await Examiner(reactor, engine).examine(terms))
        return 0

    run(program)
    if not reports:
        raise CheckFailed("interrupted")
    return reports[0]
