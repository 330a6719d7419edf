"""``yoddd check``: runs an examination against an engine process or a TCP connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

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
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.processes import Child
from yoddd.referee.conformance import (
    Action,
    CloseInput,
    ConformanceReport,
    Done,
    Ended,
    Event,
    Finding,
    Knowledge,
    Receive,
    Received,
    Script,
    Send,
    Start,
    Stop,
    Terms,
    TimedOut,
    Walk,
    WalkReport,
    examine,
    examine_perft,
)

Target = Launch | tuple[str, int]
"""An engine: its launch, or the address of one that listens."""

_Result = TypeVar("_Result")

MAX_BUFFERED: Final = 1 << 20
"""Bytes of unread output that are kept; the rest of a flood is dropped."""

_NEVER: Final = 3600.0
"""Seconds; the examination itself ends an engine that ignores the end of its input."""


class CheckFailed(Exception):
    """The engine cannot be reached at all; the text says why."""


class CheckInterrupted(CheckFailed):
    """The examination was ended by a signal."""


class OutputBuffer:
    """Keeps the output of an engine until the examination reads it.

    Attributes:
        ended: fires at the end of the output.
    """

    def __init__(self, reactor: Reactor) -> None:
        """Start empty."""
        self.ended: Deferred[None] = Deferred()
        self._reactor = reactor
        self._data = bytearray()
        self._end: str | None = None
        self._waiting: Deferred[None] | None = None

    def received(self, data: bytes) -> None:
        """Add output."""
        self._data += data[: MAX_BUFFERED - len(self._data)]
        self._wake()

    def gone(self, how: str) -> None:
        """The output has ended; ``how`` says in which way."""
        self._end = how
        self._wake()
        if not self.ended.called:
            self.ended.callback(None)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    async def listen(self, seconds: float) -> Event:
        """Return the output so far, or the first within ``seconds``; or its end; or neither."""
        if not self._data and self._end is None:
            self._waiting = Deferred()
            timer: DelayedCall = self._reactor.callLater(seconds, self._wake)
            try:
                await self._waiting
            finally:
                if timer.active():
                    timer.cancel()
        now = self._reactor.seconds()
        if self._data:
            data = bytes(self._data)
            self._data.clear()
            return Received(data, now)
        return TimedOut(now) if self._end is None else Ended(self._end, now)


@implementer(IHalfCloseableProtocol)
class _TcpStream(TwistedProtocol):
    """The input of an engine that listens at a TCP address."""

    transport: Connection

    def __init__(self, buffer: OutputBuffer) -> None:
        self._buffer = buffer

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)

    def dataReceived(self, data: bytes) -> None:
        self._buffer.received(data)

    def readConnectionLost(self) -> None:
        self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        """`close` was called."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._buffer.gone(f"closed the connection: {reason.getErrorMessage()}")

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def close(self, *, patience: float) -> None:
        del patience
        self.transport.loseWriteConnection()

    def kill(self) -> None:
        self.transport.abortConnection()


class Examiner:
    """Runs an examination; one engine at a time."""

    def __init__(self, reactor: Reactor, engine: Target) -> None:
        """Start without an engine."""
        self._reactor = reactor
        self._engine = engine
        self._buffer = OutputBuffer(reactor)
        self._engine_stream: Child | _TcpStream | None = None

    async def examine(self, script: Script[_Result]) -> _Result:
        """Run an examination and return its report.

        Raises:
            CheckFailed: the engine cannot be reached.
        """
        action: Action = next(script)
        while True:
            event = await self._carry_out(action)
            try:
                action = script.send(event)
            except StopIteration as end:
                result: _Result = end.value
                return result

    async def _carry_out(self, action: Action) -> Event:
        match action:
            case Start():
                await self._start()
            case Receive(seconds):
                return await self._buffer.listen(seconds)
            case Send(data) if self._engine_stream is not None:
                self._engine_stream.write(data)
            case CloseInput() if self._engine_stream is not None:
                self._engine_stream.close(patience=_NEVER)
            case Stop() if self._engine_stream is not None:
                self._engine_stream.kill()
                await self._buffer.ended
        return Done(self._reactor.seconds())

    async def _start(self) -> None:
        self._buffer = OutputBuffer(self._reactor)
        if isinstance(self._engine, Launch):
            self._engine_stream = Child(
                self._reactor, self._engine, output=self._buffer.received, ended=self._buffer.gone
            )
            return
        where = HostnameEndpoint(self._reactor, *self._engine)
        try:
            self._engine_stream = await connectProtocol(where, _TcpStream(self._buffer))
        except ConnectError as error:
            raise CheckFailed(
                f"cannot reach {self._engine[0]}:{self._engine[1]}: {error}"
            ) from None


def check(
    engine: Target, terms: Terms, found: Callable[[Finding, Knowledge], None] | None = None
) -> ConformanceReport:
    """Examine an engine and return the report; ``found`` is called with each finding at once.

    Raises:
        CheckFailed: it cannot be reached.
        ValueError: the command line has no words or an open quotation.
    """
    return _examine(engine, examine(terms, found))


def check_perft(engine: Target, terms: Terms, walk: Walk) -> WalkReport:
    """Compare the legal turns of an engine with the rules.

    Raises:
        CheckFailed: it cannot be reached.
        ValueError: the command line has no words or an open quotation.
    """
    return _examine(engine, examine_perft(terms, walk))


def _examine(engine: Target, script: Script[_Result]) -> _Result:
    reports: list[_Result] = []

    async def program(reactor: Reactor) -> int:
        reports.append(await Examiner(reactor, engine).examine(script))
        return 0

    run(program)
    if not reports:
        raise CheckInterrupted("interrupted")
    return reports[0]
